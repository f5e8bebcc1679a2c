#include "engine/alignment/study/alignment_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/fast/subsequence_tree.hpp"
#include "engine/alignment/method.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/comparison.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/study/pairwise_problem.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/study/problem.hpp"

namespace glycine::align {

namespace {

using Shared = std::shared_ptr<const pairwise::StudySequences>;

pairs::PairFormat formatOf(std::size_t sequences) {
    return {.layout = {sequences, pairs::StoreLayout::Triangle}, .type = pairs::ValueType::Float64};
}

/// Sequences, the method that aligns them, and the reference's results for some pairs.
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
        if (!expected_) runReference(progress);
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
    void runReference(Progress& progress) {
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

/// A backend's run on an input.
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
                 return study::CallbackComputation{
                     [trial](Progress& progress) { return trial->run(progress); },
                     [trial](Progress& progress) { return trial->check(progress); },
                     [trial] { return study::digestOfRows(residueColumns(trial->found)); }};
             }});
}

// ---- --method fast

namespace {

constexpr AlignOptions kFast{.method = AlignMethod::Fast};

/// The method has no variants of its own: a row names the variant whose instructions and number format it
/// uses.
std::string variantOf(const Configuration& configuration) {
    if (configuration.variant == "default")
        for (const VariantInfo& info : alignAlgorithm().variants())
            if (info.backend == configuration.backend && info.isDefault) return info.name;
    return configuration.variant;
}

PosteriorAlignment columnsOf(const MultipleAlignment& alignment) {
    PosteriorAlignment result;
    result.columns = residueColumns(alignment);
    result.width = alignment.columns();
    return result;
}

/// Compares the lengths of the longest common subsequences of some pairs (pairs::pairNumber), which must be
/// equal.
void compareSubsequences(const Sequences& sequences, InstructionSet instructions,
                         const std::vector<std::size_t>& numbers, Comparison& comparison,
                         Progress& progress) {
    SubsequenceQueries::Memory memory;
    std::array<std::uint32_t, SubsequenceQueries::kMaxLanes> found{};
    for (const std::size_t number : numbers) {
        progress.throwIfCancelled();
        const pairs::PairTile pair = pairs::pairNumber(number);
        const std::size_t first = pair.rows.begin, second = pair.columns.begin;
        const auto& other = sequences.codes[second];
        SubsequenceQueries(sequences, {&first, 1}, instructions).commonWith(other, memory, found);
        comparison.compareElement(
            static_cast<double>(reference::commonSubsequence(sequences.codes[first], other)), found[0],
            [&] { return fmt::format("common letters of sequences {} and {}", first, second); });
    }
}

/// Compares an alignment: its guide tree must be equal, and the accuracy that it reaches on some pairs must
/// be within kAccuracyTolerance.
void compareFastAlignments(const Sequences& sequences, const MultipleAlignment& expected,
                           const MultipleAlignment& found, const std::vector<std::size_t>& numbers,
                           Comparison& comparison, Progress& progress) {
    if (found.guideTree != expected.guideTree) comparison.fail("the guide tree is not the reference's");
    const PosteriorAlignment theirs = columnsOf(expected), ours = columnsOf(found);
    double best = 0, reached = 0;
    for (const std::size_t number : numbers) {
        progress.throwIfCancelled();
        const pairs::PairTile pair = pairs::pairNumber(number);
        const std::size_t first = pair.rows.begin, second = pair.columns.begin;
        PosteriorSet posteriors(2);
        posteriors.setPair(0, 1, reference::mergedPosterior(sequences, first, second),
                           sequences.codes[second].size());
        best += accuracyOf({theirs.columns[first], theirs.columns[second]}, posteriors);
        reached += accuracyOf({ours.columns[first], ours.columns[second]}, posteriors);
    }
    compareAccuracies(best, reached, theirs, ours, comparison);
}

/// Sequences and the reference's results for them.
class FastInput {
  public:
    FastInput(std::shared_ptr<const pairwise::StudySequences> sequences, std::size_t checkedPairs,
              std::uint64_t seed)
        : sequences_(std::move(sequences)), checkedPairs_(checkedPairs), seed_(seed) {}

    const Sequences& sequences() const { return sequences_->sequences; }
    std::string name() const { return sequences_->description + ", fast"; }

    /// `instructions`: those that `found` was computed with.
    Comparison compare(const MultipleAlignment& found, InstructionSet instructions, Progress& progress) {
        Comparison comparison = equalSoFar(0);
        const std::size_t pairs = sequences().size() * (sequences().size() - 1) / 2;
        const std::vector<std::size_t> some = drawSamples(pairs, std::min(checkedPairs_, pairs), seed_);
        compareSubsequences(sequences(), instructions, some, comparison, progress);
        comparison.verdict = fmt::format("subsequences of {} equal", formatCount(some.size(), "pair"));
        if (sequences().size() <= kMaxForAllPairs)
            compareFastAlignments(sequences(), answer(progress), found, some, comparison, progress);
        return comparison;
    }

  private:
    const MultipleAlignment& answer(Progress& progress) {
        if (!expected_) {
            const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
            expected_ = computeAlignment(*reference, sequences(), kFast, progress).alignment;
        }
        return *expected_;
    }

    std::shared_ptr<const pairwise::StudySequences> sequences_;
    std::size_t checkedPairs_;
    std::uint64_t seed_;
    std::optional<MultipleAlignment> expected_;
};

/// A backend's run on an input.
struct FastTrial {
    std::shared_ptr<FastInput> input;
    Backend& backend;
    std::string variant;
    MultipleAlignment found{};

    study::Outcome run(Progress& progress) {
        const Stopwatch watch;
        AlignmentResult result = computeAlignment(backend, input->sequences(), kFast, progress);
        study::Outcome outcome{.variant = variant,
                               .stages = {},
                               .seconds = watch.seconds(),
                               .work = 0,
                               .note = result.report.note};
        for (const auto& [stage, seconds] : result.report.stages)
            outcome.stages.push_back({stage, seconds, 0});
        found = std::move(result.alignment);
        return outcome;
    }
    Comparison check(Progress& progress) {
        const auto* const host = dynamic_cast<const HostBackend*>(&backend);
        return input->compare(std::exchange(found, {}),
                              host != nullptr ? host->instructions() : detectInstructionSet(), progress);
    }
};

}  // namespace

std::unique_ptr<study::Problem> fastProblem(std::shared_ptr<const pairwise::StudySequences> sequences,
                                            std::size_t checkedPairs, std::uint64_t seed) {
    const auto input = std::make_shared<FastInput>(std::move(sequences), checkedPairs, seed);
    return study::problemOf(
        {.name = input->name(),
         .dimensions = {{"sequences", input->sequences().size()}, {"letters", input->sequences().longest()}},
         .supports =
             [input](Backend& backend, const Configuration&) {
                 return supportsAlignment(backend, input->sequences(), kFast);
             },
         .start =
             [input](Backend& backend, const Configuration& configuration) {
                 const auto trial =
                     std::shared_ptr<FastTrial>(new FastTrial{input, backend, variantOf(configuration)});
                 return study::CallbackComputation{
                     [trial](Progress& progress) { return trial->run(progress); },
                     [trial](Progress& progress) { return trial->check(progress); },
                     [trial] { return study::digestOfRows(residueColumns(trial->found)); }};
             },
         .concerns =
             [](const Configuration& configuration) {
                 return configuration.backend == "cpu" || configuration.backend == "reference";
             }});
}

study::InputBytes bytesOfFast(DataSize size, bool isGenerated) {
    const auto n = static_cast<double>(size.instances), letters = n * static_cast<double>(size.attributes);
    const double all = std::min<double>(n, kMaxForAllPairs);
    // Rows with a few times as many columns as letters, the column of each residue, and distances.
    const double result = letters * (4 + 2 * sizeof(std::uint32_t)) + all * all * sizeof(float);
    return {isGenerated ? 2 * letters : 0, n <= kMaxForAllPairs ? result : 0, result};
}

}  // namespace glycine::align
