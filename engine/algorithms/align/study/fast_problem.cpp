#include "engine/algorithms/align/study/fast_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/algorithms/align/compute_alignment.hpp"
#include "engine/algorithms/align/fast/common_subsequence.hpp"
#include "engine/algorithms/align/fast/subsequence_tree.hpp"
#include "engine/algorithms/align/posterior/compare_posteriors.hpp"
#include "engine/algorithms/align/reference/serial_posterior.hpp"
#include "engine/algorithms/align/reference/serial_subsequence.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/samples.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/study/told_problem.hpp"

namespace glycine::align {

namespace {

constexpr AlignOptions kFast{.method = AlignMethod::Fast};

/// Sequences, and what the reference says of them.
class FastInput {
  public:
    FastInput(std::shared_ptr<const StudySequences> sequences, std::size_t checkedPairs, std::uint64_t seed)
        : sequences_(std::move(sequences)), checkedPairs_(checkedPairs), seed_(seed) {}

    const Sequences& sequences() const { return sequences_->sequences; }
    std::string name() const { return sequences_->description + ", fast"; }

    Comparison compare(const MultipleAlignment& found, Progress& progress) {
        Comparison comparison = equalSoFar(0);
        const std::size_t pairs = sequences().size() * (sequences().size() - 1) / 2;
        const std::vector<std::size_t> some = drawSamples(pairs, std::min(checkedPairs_, pairs), seed_);
        compareSubsequences(some, comparison, progress);
        comparison.verdict = fmt::format("subsequences of {} equal", formatCount(some.size(), "pair"));
        if (sequences().size() <= kMostForAllPairs) compareAlignments(found, some, comparison, progress);
        return comparison;
    }

  private:
    void compareSubsequences(const std::vector<std::size_t>& some, Comparison& comparison,
                             Progress& progress) const {
        SubsequenceQueries::Memory memory;
        std::array<std::uint32_t, SubsequenceQueries::kMostLanes> found{};
        for (const std::size_t number : some) {
            progress.throwIfCancelled();
            const pairs::PairTile pair = pairs::pairNumber(number);
            const std::size_t first = pair.rows.begin, second = pair.columns.begin;
            const auto& other = sequences().codes[second];
            SubsequenceQueries(sequences(), {&first, 1}, instructions_).commonWith(other, memory, found);
            comparison.compareElement(
                static_cast<double>(reference::commonSubsequence(sequences().codes[first], other)), found[0],
                [&] { return fmt::format("common letters of sequences {} and {}", first, second); });
        }
    }

    void compareAlignments(const MultipleAlignment& found, const std::vector<std::size_t>& some,
                           Comparison& comparison, Progress& progress) {
        const MultipleAlignment& expected = answer(progress);
        if (found.guideTree != expected.guideTree) comparison.fail("the guide tree is not the reference's");
        PosteriorAlignment ours, theirs;
        ours.columns = residueColumns(found);
        ours.width = found.columns();
        theirs.columns = residueColumns(expected);
        theirs.width = expected.columns();
        double best = 0, reached = 0;
        for (const std::size_t number : some) {
            progress.throwIfCancelled();
            const pairs::PairTile pair = pairs::pairNumber(number);
            const std::size_t first = pair.rows.begin, second = pair.columns.begin;
            PosteriorSet posteriors(2);
            posteriors.setPair(0, 1, reference::mergedPosterior(sequences(), first, second),
                               sequences().codes[second].size());
            best += accuracyOf({theirs.columns[first], theirs.columns[second]}, posteriors);
            reached += accuracyOf({ours.columns[first], ours.columns[second]}, posteriors);
        }
        const double difference = best > 0 ? std::abs(best - reached) / best : 0;
        if (difference > kAccuracyTolerance)
            comparison.fail(
                fmt::format("the alignment has an expected accuracy of {} instead of {}", reached, best));
        comparison.also =
            fmt::format("tree equal, {:.3g} % of the columns the same, expected accuracy {:.2g} % apart",
                        100 * sharedColumns(theirs, ours), 100 * difference);
    }

    const MultipleAlignment& answer(Progress& progress) {
        if (!expected_) {
            const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
            expected_ = computeAlignment(*reference, sequences(), kFast, progress).alignment;
        }
        return *expected_;
    }

    std::shared_ptr<const StudySequences> sequences_;
    std::size_t checkedPairs_;
    std::uint64_t seed_;
    InstructionSet instructions_ = detectInstructionSet();
    std::optional<MultipleAlignment> expected_;
};

/// A backend at work on it.
struct FastTrial {
    std::shared_ptr<FastInput> input;
    Backend& backend;
    MultipleAlignment found{};

    study::Outcome run(Progress& progress) {
        const Stopwatch watch;
        AlignmentResult result = computeAlignment(backend, input->sequences(), kFast, progress);
        study::Outcome outcome{.variant = "profiles",
                               .stages = {},
                               .seconds = watch.seconds(),
                               .work = 0,
                               .note = result.report.note};
        for (const auto& [stage, seconds] : result.report.stages)
            outcome.stages.push_back({stage, seconds, 0});
        found = std::move(result.alignment);
        return outcome;
    }
    Comparison check(Progress& progress) { return input->compare(std::exchange(found, {}), progress); }
};

}  // namespace

std::unique_ptr<study::Problem> fastProblem(std::shared_ptr<const StudySequences> sequences,
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
             [input](Backend& backend, const Configuration&) {
                 const auto trial = std::shared_ptr<FastTrial>(new FastTrial{input, backend});
                 return study::ToldComputation{
                     [trial](Progress& progress) { return trial->run(progress); },
                     [trial](Progress& progress) { return trial->check(progress); }};
             },
         .concerns =
             [](const Configuration& configuration) {
                 return configuration.backend == "cpu" || configuration.backend == "reference";
             }});
}

study::InputBytes bytesOfFast(DataSize size, bool isGenerated) {
    const auto n = static_cast<double>(size.instances), letters = n * static_cast<double>(size.attributes);
    const double all = std::min<double>(n, kMostForAllPairs);
    // Rows of a few times the letters' number of columns, where each residue stands, and distances.
    const double result = letters * (4 + 2 * sizeof(std::uint32_t)) + all * all * sizeof(float);
    return {isGenerated ? 2 * letters : 0, n <= kMostForAllPairs ? result : 0, result};
}

}  // namespace glycine::align
