#include "engine/alignment/study/alignment_problem.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "engine/core/host_backends.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/study/pairwise_problem.hpp"
#include "engine/study/problem.hpp"

namespace glycine::align {

namespace {

using Shared = std::shared_ptr<const pairwise::StudySequences>;

pairs::PairFormat formatOf(std::size_t sequences) {
    return {.layout = {sequences, pairs::StoreLayout::Triangle}, .type = pairs::ValueType::Float64};
}

/// Sequences, how they are aligned, and what the reference says of some pairs.
class WholeInput {
  public:
    WholeInput(Shared sequences, AlignMethod method, std::uint64_t seed)
        : sequences_(std::move(sequences)), method_(method), seed_(seed) {}

    const Sequences& sequences() const { return sequences_->sequences; }
    AlignMethod method() const { return method_; }
    std::string name() const { return fmt::format("{}: {}", sequences_->description, toString(method_)); }
    AlignOptions optionsOf(const Configuration& configuration) const {
        AlignOptions options{.method = method_};
        if (!configuration.variant.empty())
            options.variant = fromString<pairwise::Variant>(configuration.variant);
        return options;
    }

    Comparison compare(const pairs::PairStore& found, Progress& progress) {
        if (!expected_) askReference(progress);
        Comparison comparison = equalSoFar(0);
        for (std::size_t i = 1; i < checked_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                comparison.compareElement(expected_->value(i, j), found.value(checked_[i], checked_[j]), [&] {
                    return fmt::format("sequences {} and {}", checked_[i], checked_[j]);
                });
        comparison.verdict = fmt::format("distances of {} equal",
                                         formatCount(checked_.size() * (checked_.size() - 1) / 2, "pair"));
        return comparison;
    }

  private:
    void askReference(Progress& progress) {
        checked_ = drawSamples(sequences().size(), pairwise::kCheckedSequences, seed_);
        Sequences some;
        some.alphabet = sequences().alphabet;
        for (const std::size_t k : checked_) some.add(sequences().names[k], sequences().letters[k]);
        const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
        expected_.emplace(formatOf(some.size()));
        pairwise::computePairwise(*reference, some, pairsOf(some, {.method = method_}), *expected_, progress);
    }

    Shared sequences_;
    AlignMethod method_;
    std::uint64_t seed_;
    std::vector<std::size_t> checked_;  ///< ascending
    std::optional<pairs::PairStore> expected_;
};

/// A backend at work on it.
struct WholeTrial {
    std::shared_ptr<WholeInput> input;
    Backend& backend;
    AlignOptions options;
    std::optional<pairs::PairStore> store{};
    MultipleAlignment found{};

    study::Outcome run(Progress& progress) {
        const Sequences& sequences = input->sequences();
        const std::size_t n = sequences.size();
        const Stopwatch watch;
        Stopwatch stage;
        store.emplace(formatOf(n));
        const pairwise::PairwiseReport pairs =
            pairwise::computePairwise(backend, sequences, pairsOf(sequences, options), *store, progress);
        AlignOptions rest = options;
        rest.distances = distancesOf(sequences, options.method, *store);
        study::Outcome outcome{.variant = pairs.variant,
                               .stages = {{"pairs", stage.seconds(), pairs.cells / 1e9}},
                               .seconds = 0,
                               .work = pairs.cells / 1e9,
                               .note = pairs.note};
        AlignmentResult aligned = computeAlignment(backend, sequences, rest, progress);
        outcome.seconds = watch.seconds();
        for (const auto& [name, seconds] : aligned.report.stages)
            outcome.stages.push_back({name, seconds, 0});
        const std::string& note = aligned.report.note;
        if (!note.empty()) outcome.note += (outcome.note.empty() ? "" : "; ") + note;
        found = std::move(aligned.alignment);
        return outcome;
    }
    Comparison check(Progress& progress) {
        if (!store) throw std::logic_error("nothing was aligned since the last check");
        Comparison comparison = input->compare(*store, progress);
        store.reset();
        return comparison;
    }
};

}  // namespace

std::unique_ptr<study::Problem> alignmentProblem(Shared sequences, AlignMethod method, std::uint64_t seed) {
    const auto input = std::make_shared<WholeInput>(std::move(sequences), method, seed);
    return study::problemOf(
        {.name = input->name(),
         .dimensions = {{"sequences", input->sequences().size()}, {"letters", input->sequences().longest()}},
         .supports =
             [input](Backend& backend, const Configuration& configuration) {
                 return supportsAlignment(backend, input->sequences(), input->optionsOf(configuration));
             },
         .start =
             [input](Backend& backend, const Configuration& configuration) {
                 const auto trial = std::shared_ptr<WholeTrial>(
                     new WholeTrial{input, backend, input->optionsOf(configuration)});
                 return study::ToldComputation{
                     [trial](Progress& progress) { return trial->run(progress); },
                     [trial](Progress& progress) { return trial->check(progress); },
                     [trial] { return study::digestOfRows(residueColumns(trial->found)); }};
             }});
}

}  // namespace glycine::align
