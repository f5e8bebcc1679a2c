#include "engine/algorithms/align/fast/compare_fast.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/algorithms/align/fast/common_subsequence.hpp"
#include "engine/algorithms/align/posterior/compare_posteriors.hpp"
#include "engine/algorithms/align/reference/serial_posterior.hpp"
#include "engine/algorithms/align/reference/serial_subsequence.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::align {

void compareSubsequences(const Sequences& sequences, std::span<const std::size_t> pairs,
                         InstructionSet instructions, Comparison& comparison, Progress& progress) {
    SubsequenceQueries::Memory memory;
    std::array<std::uint32_t, SubsequenceQueries::kMostLanes> found{};
    for (const std::size_t number : pairs) {
        progress.throwIfCancelled();
        const glycine::pairs::PairTile pair = glycine::pairs::pairNumber(number);
        const std::size_t first = pair.rows.begin, second = pair.columns.begin;
        const auto& other = sequences.codes[second];
        SubsequenceQueries(sequences, {&first, 1}, instructions).commonWith(other, memory, found);
        comparison.compareElement(
            static_cast<double>(reference::commonSubsequence(sequences.codes[first], other)), found[0],
            [&] { return fmt::format("common letters of sequences {} and {}", first, second); });
    }
}

void compareFastAlignments(const Sequences& sequences, const MultipleAlignment& expected,
                           const MultipleAlignment& found, std::span<const std::size_t> pairs,
                           Comparison& comparison, Progress& progress) {
    if (found.guideTree != expected.guideTree) comparison.fail("the guide tree is not the reference's");
    PosteriorAlignment ours, theirs;
    ours.columns = residueColumns(found);
    ours.width = found.columns();
    theirs.columns = residueColumns(expected);
    theirs.width = expected.columns();
    double best = 0, reached = 0;
    for (const std::size_t number : pairs) {
        progress.throwIfCancelled();
        const glycine::pairs::PairTile pair = glycine::pairs::pairNumber(number);
        const std::size_t first = pair.rows.begin, second = pair.columns.begin;
        PosteriorSet posteriors(2);
        posteriors.setPair(0, 1, reference::mergedPosterior(sequences, first, second),
                           sequences.codes[second].size());
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

}  // namespace glycine::align
