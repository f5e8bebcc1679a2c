#include "engine/alignment/fast/compare_fast.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "engine/alignment/fast/common_subsequence.hpp"
#include "engine/alignment/posterior/compare_posteriors.hpp"
#include "engine/alignment/reference/serial_posterior.hpp"
#include "engine/alignment/reference/serial_subsequence.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::align {

namespace {

PosteriorAlignment columnsOf(const MultipleAlignment& alignment) {
    PosteriorAlignment result;
    result.columns = residueColumns(alignment);
    result.width = alignment.columns();
    return result;
}

}  // namespace

void compareSubsequences(const Sequences& sequences, InstructionSet instructions,
                         const std::vector<std::size_t>& numbers, Comparison& comparison,
                         Progress& progress) {
    SubsequenceQueries::Memory memory;
    std::array<std::uint32_t, SubsequenceQueries::kMostLanes> found{};
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

}  // namespace glycine::align
