#include "engine/gl/pairwise/clustal_wavefront.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/core/parallel.hpp"
#include "engine/pairwise/clustal_scoring.hpp"

namespace glycine::pairwise::gl {

namespace {

/// Parts of fewer cells are joined by the processor: less of them than passes would take to begin.
constexpr std::size_t kFewCells = 1024;
/// Pairs whose parts are in hand at once: some tens of megabytes.
constexpr std::size_t kPairsAtOnce = 65536;
/// What a pass forwards, the one backwards, and the division take of the work on a pair.
constexpr double kEndShare = 0.25, kBeginShare = 0.25;

}  // namespace

pairs::PairTimes ClustalWavefront::times() const {
    pairs::PairTimes times = times_;
    times.upload += sweeps_.uploadSeconds();
    times.compute += sweeps_.computeSeconds();
    times.download += sweeps_.downloadSeconds();
    return times;
}

double ClustalWavefront::cells(std::span<const SweptPart> parts) const {
    double cells = 0;
    for (const SweptPart& part : parts)
        cells += static_cast<double>(sequences_.codes[part.a].size()) *
                 static_cast<double>(sequences_.codes[part.b].size());
    return cells;
}

void ClustalWavefront::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                               Progress& progress) {
    backend_.makeCurrent();
    backend_.budget().restart();
    TileProgress told(sequences_, tile, progress);
    for (const pairs::PairTile& piece : pairs::cutTile(tile, plan_.side)) {
        Stopwatch watch;
        std::vector<char> isThere(sequences_.size());
        std::vector<SweptPart> whole;
        for (std::size_t a = piece.columns.begin; a < piece.columns.end; ++a)
            for (std::size_t b = std::max(piece.rows.begin, a + 1); b < piece.rows.end; ++b) {
                const std::size_t rows = sequences_.codes[a].size(), columns = sequences_.codes[b].size();
                whole.push_back({.a = a,
                                 .b = b,
                                 .rows = {0, rows},
                                 .columns = {0, columns},
                                 .open = clustalPenalties(sequences_.alphabet, rows, columns).open});
                isThere[a] = isThere[b] = 1;
            }
        if (whole.empty()) continue;
        std::vector<std::size_t> sequences;
        for (std::size_t k = 0; k < isThere.size(); ++k)
            if (isThere[k] != 0) sequences.push_back(k);
        times_.pack += watch.seconds();
        sweeps_.load(sequences);
        std::vector<PairResult> found(whole.size());
        for (std::size_t begin = 0; begin < whole.size(); begin += kPairsAtOnce) {
            const std::size_t count = std::min(kPairsAtOnce, whole.size() - begin);
            alignPairs(std::span(whole).subspan(begin, count), std::span(found).subspan(begin, count),
                       !results[1].empty(), progress, told);
        }
        for (std::size_t k = 0; k < whole.size(); ++k) {
            const std::size_t row = whole[k].b - tile.rows.begin, column = whole[k].a - tile.columns.begin;
            if (!results[0].empty()) results[0](row, column) = static_cast<std::int32_t>(found[k].score);
            if (!results[1].empty()) results[1](row, column) = static_cast<std::int32_t>(found[k].identities);
        }
    }
    backend_.canary().check("aligning pairs");
}

void ClustalWavefront::alignPairs(std::span<const SweptPart> pairs, std::span<PairResult> found,
                                  bool hasIdentities, Progress& progress, TileProgress& told) {
    const double all = cells(pairs);
    const std::vector<SweptPlace> ends = sweeps_.findEnds(pairs, progress);
    told.advance(hasIdentities ? kEndShare * all : all);
    std::vector<OpenPart> open;
    std::vector<SweptPart> upToEnds;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        found[k].score = ends[k].score;
        if (!hasIdentities || ends[k].score == 0) continue;
        SweptPart part = pairs[k];
        part.rows.end = ends[k].rows;
        part.columns.end = ends[k].columns;
        upToEnds.push_back(part);
        open.push_back({k, part});
    }
    if (!hasIdentities) return;
    const std::vector<SweptPlace> begins = sweeps_.findBegins(upToEnds, progress);
    told.advance(kBeginShare * all);
    for (std::size_t k = 0; k < open.size(); ++k) {
        SweptPart& part = open[k].part;
        part.rows.begin = part.rows.end - begins[k].rows;
        part.columns.begin = part.columns.end - begins[k].columns;
    }
    std::vector<OpenPart> few, halves;
    std::vector<SweptPart> divided;
    for (;;) {
        std::erase_if(open, [&](const OpenPart& one) {
            const std::size_t rows = one.part.rows.size(), columns = one.part.columns.size();
            const bool isSmall = rows < 2 || columns == 0 || rows * columns < kFewCells;
            if (isSmall && rows > 0 && columns > 0) few.push_back(one);
            return isSmall;
        });
        if (open.empty()) break;
        divided.clear();
        for (const OpenPart& one : open) divided.push_back(one.part);
        const std::vector<ClustalCut> cuts = sweeps_.findCuts(divided, progress);
        halves.clear();
        for (std::size_t k = 0; k < open.size(); ++k) {
            const std::size_t inGap = cuts[k].isWithinGap ? 1 : 0;
            SweptPart first = open[k].part, second = first;
            const std::size_t half = first.rows.begin + first.rows.size() / 2;
            first.rows.end = half - inGap;
            second.rows.begin = half + inGap;
            first.columns.end = second.columns.begin = first.columns.begin + cuts[k].column;
            first.openLast = second.openFirst = cuts[k].isWithinGap ? 0 : first.open;
            halves.push_back({open[k].pair, first});
            halves.push_back({open[k].pair, second});
        }
        std::swap(open, halves);
    }
    Stopwatch watch;
    joinOnHost(few, found);
    times_.compute += watch.seconds();
    told.advance((1 - kEndShare - kBeginShare) * all);
}

void ClustalWavefront::joinOnHost(std::span<const OpenPart> parts, std::span<PairResult> found) const {
    const SubstitutionMatrix& matrix = clustalMatrix(sequences_.alphabet);
    std::vector<std::atomic<std::int64_t>> identities(found.size());
    const std::vector<Range> portions = splitRange(parts.size(), 256);
    parallelFor(omp_get_max_threads(), portions.size(), [&](std::size_t index, std::size_t) {
        ClustalPair pair(matrix);
        for (std::size_t k = portions[index].begin; k < portions[index].end; ++k) {
            const SweptPart& part = parts[k].part;
            const auto letters = [&](std::size_t sequence, const Range& range) {
                return std::span(sequences_.codes[sequence]).subspan(range.begin, range.size());
            };
            const GapPenalties gaps{part.open, clustalPenalties(sequences_.alphabet, 1, 1).extend};
            identities[parts[k].pair] += pair.join(letters(part.a, part.rows), letters(part.b, part.columns),
                                                   gaps, part.openFirst, part.openLast);
        }
    });
    for (std::size_t k = 0; k < found.size(); ++k) found[k].identities = identities[k];
}

}  // namespace glycine::pairwise::gl
