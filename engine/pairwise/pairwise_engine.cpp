#include "engine/pairwise/pairwise_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/pairwise/clustal_scoring.hpp"

namespace glycine::pairwise {

PairwiseRequest requestFor(const Sequences& sequences, const PairwiseOptions& options) {
    return {.variant = options.variant,
            .scoring = options.scoring,
            .sequences = sequences.size(),
            .longest = sequences.longest()};
}

Support supportsRequest(Backend& backend, const PairwiseRequest& request) {
    return glycine::supportsRequest("pairwise", implementations<PairwiseEngine>(), backend, request);
}

std::unique_ptr<PairwiseEngine> createPairwiseEngine(Backend& backend) {
    return createImplementation("pairwise", implementations<PairwiseEngine>(), backend);
}

ScoreBounds scoreBounds(const PairScoring& scoring, std::size_t shorter, std::size_t longer) {
    const auto least = static_cast<std::int64_t>(std::min(shorter, longer));
    const auto all = static_cast<std::int64_t>(shorter + longer);
    ScoreBounds bounds;
    // Of ClustalW's matrices, that for proteins has the highest score.
    const int highest = scoring.method == PairMethod::ClustalW ? clustalMatrix(Alphabet::Protein).highest()
                                                               : scoring.matrix.highest();
    bounds.highest = std::max(highest, 0) * least;
    // One gap in each sequence is always there to take.
    if (scoring.method == PairMethod::Global)
        bounds.lowest = -(2 * std::int64_t{scoring.gaps.open} + all * scoring.gaps.extend);
    return bounds;
}

void checkPenalties(const GapPenalties& gaps) {
    if (gaps.open < 0 || gaps.open > kLargestPenalty || gaps.extend < 0 || gaps.extend > kLargestPenalty)
        throw UsageError(fmt::format("gap penalties are {} and {}; expected 0 … {}", gaps.open, gaps.extend,
                                     kLargestPenalty));
}

Support scoresFit(const PairwiseRequest& request) {
    // Gaps of nucleotides cost 666 a letter, and borders of two halves are added.
    constexpr std::size_t kLongestClustal = 200'000;
    if (request.scoring.method == PairMethod::ClustalW && request.longest > kLongestClustal)
        return Support::no(fmt::format("as ClustalW, sequences of up to {} letters are aligned; one has {}",
                                       formatCount(kLongestClustal), formatCount(request.longest)));
    const ScoreBounds bounds = scoreBounds(request.scoring, request.longest, request.longest);
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    if (-bounds.lowest < kLargest && bounds.highest < kLargest) return Support::yes();
    return Support::no(
        fmt::format("scores of {} letters with these penalties may reach {}; at most {} are kept",
                    request.longest, -bounds.lowest >= kLargest ? bounds.lowest : bounds.highest, kLargest));
}

std::vector<std::size_t> placesByLength(const Sequences& sequences, Range range) {
    std::vector<std::size_t> places(range.size());
    std::iota(places.begin(), places.end(), range.begin);
    std::ranges::stable_sort(places, {}, [&](std::size_t place) { return sequences.codes[place].size(); });
    return places;
}

double cellsOf(const Sequences& sequences, const pairs::PairTile& tile) {
    double cells = 0, before = 0;
    if (!tile.isDiagonal())
        for (std::size_t j = tile.columns.begin; j < tile.columns.end; ++j)
            before += static_cast<double>(sequences.letters[j].size());
    for (std::size_t i = tile.rows.begin; i < tile.rows.end; ++i) {
        const auto length = static_cast<double>(sequences.letters[i].size());
        cells += before * length;
        if (tile.isDiagonal()) before += length;
    }
    return cells;
}

TileProgress::TileProgress(const Sequences& sequences, const pairs::PairTile& tile, Progress& progress)
    : progress_(progress),
      unitsPerCell_(static_cast<double>(tile.pairs()) / std::max(1.0, cellsOf(sequences, tile))) {}

}  // namespace glycine::pairwise

namespace glycine {

template <>
ImplementationList<pairwise::PairwiseEngine>& implementations<pairwise::PairwiseEngine>() {
    static ImplementationList<pairwise::PairwiseEngine> all{pairwise::reference::pairwiseEngine(),
                                                            pairwise::cpu::pairwiseEngine()};
    return all;
}

}  // namespace glycine
