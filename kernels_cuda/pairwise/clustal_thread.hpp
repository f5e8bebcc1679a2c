#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/pairwise/recurrences.hpp"
#include "kernels_cuda/device/whole_maxima.hpp"
#include "kernels_cuda/pairwise/intertask_kernels.hpp"

/// A pair aligned as by ClustalW 2.1, in one thread (see engine/pairwise/clustal_pair.hpp): forwards to the
/// end of the best local alignment, backwards to its start, and the part between divided by Myers and
/// Miller's method. All three process 16 columns at a time, row by row. Values passed from row to row stay in
/// registers; values passed from column to column are kept in memory.
///
/// Plain C++, so that it can be tested without a device.
namespace glycine::cuda {

inline constexpr unsigned kClustalColumns = 16;  ///< columns kept in registers
/// Row stride of the score table: threads of a warp that read different rows seldom have bank conflicts.
inline constexpr unsigned kClustalTableStride = kAlignCodes + 1;
/// The most parts that wait while one is divided: halves of at most 2^19 rows.
inline constexpr unsigned kClustalDepth = 20;
/// Numbers of memory per row, and per column (for one more than the columns).
inline constexpr unsigned kClustalPerRow = 2, kClustalPerColumn = 4;

using pairwise::ClustalPass;
using pairwise::kClustalNever;

/// A pair's scores: kAlignCodes rows of kClustalTableStride numbers.
struct ClustalScores {
    const std::int32_t* table;
    std::int32_t open, extend;
};

/// A range of rows and columns, both in the same direction.
struct ClustalRegion {
    const std::uint8_t* rows;  ///< the first row
    const std::uint8_t* columns;
    unsigned rowCount, columnCount;
    int step;  ///< 1; −1: backwards
};

/// A score, and the numbers of letters of each sequence up to its cell.
struct ClustalPlace {
    std::int32_t score;
    unsigned rows, columns;
};

/// A part of a pair aligned from end to end. `opensFirst`, `opensLast`: whether a gap at that end pays for
/// its opening.
struct ClustalStretch {
    unsigned firstRow, rows, firstColumn, columns;
    bool opensFirst, opensLast;
};

struct ClustalFound {
    std::int32_t score, identities;
};

/// The memory of one thread, interleaved with that of kStride threads.
template <unsigned kStride>
struct ClustalMemory {
    std::int32_t* numbers;
    unsigned rows, columns;  ///< sizes that it has room for

    GLYCINE_HOST_DEVICE std::int32_t* state() const { return numbers; }
    /// Element 0 … columns of the border `which`.
    GLYCINE_HOST_DEVICE std::int32_t* border(unsigned which) const {
        return numbers + std::size_t(kClustalPerRow * rows + which * (columns + 1)) * kStride;
    }
};

/// Computes all cells of a region. Border: aligns from end to end; a gap at the first corner costs
/// `borderOpen` to open. It outputs the best scores of the last row, and the scores of alignments that end
/// with a gap in the columns' sequence; element 0 is before the first column. End: finds the first end, row
/// by row, of the best local alignment; score 0 if none is above 0. Begin: finds the first end, row by row,
/// of an alignment from the first corner that scores at least `enough`.
template <ClustalPass kPass, unsigned kStride>
GLYCINE_HOST_DEVICE ClustalPlace sweep(const ClustalScores& scores, const ClustalRegion& region,
                                       std::int32_t borderOpen, std::int32_t enough, std::int32_t* state,
                                       std::int32_t* bestOut, std::int32_t* gapOut) {
    constexpr bool kIsBorder = kPass == ClustalPass::Border;
    constexpr std::int32_t kOutside = kPass == ClustalPass::Begin ? -1 : 0;
    constexpr int kColumns = int(kClustalColumns);
    const std::int32_t extend = scores.extend, first = scores.open + scores.extend;
    const int step = region.step;
    ClustalPlace found{0, 0, 0};
    unsigned rowCount = region.rowCount;
    for (unsigned begin = 0; begin < region.columnCount; begin += kClustalColumns) {
        // Cells are stored minus an opening and an extension, except those within gaps.
        std::int32_t best[kColumns], gap[kColumns];
        unsigned letters[kColumns];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int c = 0; c < kColumns; ++c) {
            const unsigned column = begin + unsigned(c);
            letters[c] = column < region.columnCount ? region.columns[int(column) * step] : kAlignCodes - 1;
            const std::int32_t above = kIsBorder ? -borderOpen - std::int32_t(column + 1) * extend : kOutside;
            best[c] = above - first;
            gap[c] = kPass == ClustalPass::Begin ? above : above - scores.open;
        }
        std::int32_t corner = begin == 0 ? 0 : kOutside;
        if (kIsBorder && begin > 0) corner = -borderOpen - std::int32_t(begin) * extend;
        corner -= first;
        const bool isLast = begin + kClustalColumns >= region.columnCount;
        // Fetch one row ahead.
        unsigned nextLetter = 0;
        std::int32_t nextLeft = 0, nextAcross = 0;
        const auto fetch = [&](unsigned row) {
            nextLetter = region.rows[int(row) * step];
            if (begin == 0) {
                const std::int32_t outside =
                    kIsBorder ? -borderOpen - std::int32_t(row + 1) * extend : kOutside;
                nextLeft = outside - first;
                nextAcross = kPass == ClustalPass::Begin ? outside : outside - scores.open;
            } else {
                nextLeft = state[2 * row * kStride];
                nextAcross = state[(2 * row + 1) * kStride];
            }
        };
        if (rowCount > 0) fetch(0);
        for (unsigned row = 0; row < rowCount; ++row) {
            const std::int32_t* const line = scores.table + nextLetter * kClustalTableStride;
            std::int32_t left = nextLeft, across = nextAcross, diagonal = corner, highest = kClustalNever;
            corner = left;
            if (row + 1 < rowCount) fetch(row + 1);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (int c = 0; c < kColumns; ++c) {
                across = addLarger(across, -extend, left);
                gap[c] = addLarger(gap[c], -extend, best[c]);
                std::int32_t cell = larger(larger(diagonal + line[letters[c]] + first, gap[c]), across);
                if (kPass == ClustalPass::End) cell = larger(cell, 0);
                if (!kIsBorder) highest = larger(highest, cell);
                diagonal = best[c];
                best[c] = left = cell - first;
            }
            if (!isLast) {
                state[2 * row * kStride] = left;
                state[(2 * row + 1) * kStride] = across;
            }
            if (kIsBorder) continue;
            // A score equal to one of earlier columns counts only in an earlier row. Past the end, no cell
            // scores as much as the last real one.
            const bool isFirst = kPass == ClustalPass::Begin
                                     ? highest >= enough
                                     : highest > found.score ||
                                           (highest == found.score && highest > 0 && row + 1 < found.rows);
            if (!isFirst) continue;
            found = {highest, row + 1, 0};
            const std::int32_t wanted = highest - first;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (int c = kColumns - 1; c >= 0; --c)
                if (best[c] == wanted) found.columns = begin + unsigned(c) + 1;
            if (kPass == ClustalPass::Begin) {
                rowCount = row;
                break;
            }
        }
        if (kIsBorder)
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (int c = 0; c < kColumns; ++c)
                if (const unsigned column = begin + unsigned(c); column < region.columnCount) {
                    bestOut[(column + 1) * kStride] = best[c] + first;
                    gapOut[(column + 1) * kStride] = gap[c];
                }
    }
    if (kIsBorder) bestOut[0] = gapOut[0] = -borderOpen - std::int32_t(region.rowCount) * extend;
    return found;
}

/// The cut of the columns, as in pairwise::findCut, from the borders in `memory`.
template <unsigned kStride>
GLYCINE_HOST_DEVICE unsigned findCut(const ClustalMemory<kStride>& memory, unsigned columns,
                                     std::int32_t open, bool& isWithinGap) {
    const std::int32_t *const best = memory.border(0), *const gap = memory.border(1),
                              *const bestBack = memory.border(2), *const gapBack = memory.border(3);
    unsigned cut = 0, gapCut = 0;
    std::int32_t highest = 2 * kClustalNever, highestGap = 2 * kClustalNever;
    for (unsigned j = 0; j <= columns; ++j) {
        const unsigned here = j * kStride, back = (columns - j) * kStride;
        const std::int32_t score = best[here] + bestBack[back];
        if (score > highest ||
            (score == highest && best[here] != gap[here] && bestBack[back] == gapBack[back])) {
            highest = score;
            cut = j;
        }
        // Among equal cuts within gaps, the last one counts.
        if (const std::int32_t within = gap[here] + gapBack[back] + open; within >= highestGap) {
            highestGap = within;
            gapCut = j;
        }
    }
    isWithinGap = highestGap > highest;
    return isWithinGap ? gapCut : cut;
}

/// Aligns one letter with a range of columns: paired, or in a gap. Returns whether it is paired with an equal
/// letter.
GLYCINE_HOST_DEVICE inline bool joinsEqual(const ClustalScores& scores, std::uint8_t letter,
                                           const std::uint8_t* columns, const ClustalStretch& part) {
    const std::int32_t openFirst = part.opensFirst ? scores.open : 0,
                       openLast = part.opensLast ? scores.open : 0;
    const auto gapCost = [&](unsigned letters, std::int32_t open) {
        return letters == 0 ? 0 : open + scores.extend * std::int32_t(letters);
    };
    std::int32_t highest = larger(-(openFirst + scores.extend) - gapCost(part.columns, openLast),
                                  -(openLast + scores.extend) - gapCost(part.columns, openFirst));
    const std::int32_t* const line = scores.table + letter * kClustalTableStride;
    bool isEqual = false;
    for (unsigned j = 0; j < part.columns; ++j) {
        const std::int32_t score =
            line[columns[j]] - gapCost(part.columns - j - 1, openLast) - gapCost(j, openFirst);
        if (score > highest) {
            highest = score;
            isEqual = columns[j] == letter;
        }
    }
    return isEqual;
}

/// The identities of a part aligned from end to end.
template <unsigned kStride>
GLYCINE_HOST_DEVICE std::int32_t joinStretch(const ClustalScores& scores, const std::uint8_t* a,
                                             const std::uint8_t* b, ClustalStretch part,
                                             const ClustalMemory<kStride>& memory) {
    ClustalStretch waiting[kClustalDepth];
    unsigned depth = 0;
    std::int32_t identities = 0;
    for (;;) {
        // Parts too small to be divided are handled in one go, so that the threads of a warp divide at the
        // same time.
        while (part.rows < 2 || part.columns == 0) {
            if (part.rows == 1 && part.columns > 0 &&
                joinsEqual(scores, a[part.firstRow], b + part.firstColumn, part))
                ++identities;
            if (depth == 0) return identities;
            part = waiting[--depth];
        }
        const unsigned half = part.rows / 2;
        for (int direction = 0; direction < 2; ++direction) {
            const bool isForwards = direction == 0;
            const unsigned row = isForwards ? part.firstRow : part.firstRow + part.rows - 1;
            const unsigned column = isForwards ? part.firstColumn : part.firstColumn + part.columns - 1;
            const ClustalRegion region{a + row, b + column, isForwards ? half : part.rows - half,
                                       part.columns, isForwards ? 1 : -1};
            const bool opens = isForwards ? part.opensFirst : part.opensLast;
            sweep<ClustalPass::Border, kStride>(scores, region, opens ? scores.open : 0, 0, memory.state(),
                                                memory.border(isForwards ? 0 : 2),
                                                memory.border(isForwards ? 1 : 3));
        }
        bool isWithinGap = false;
        const unsigned cut = findCut(memory, part.columns, scores.open, isWithinGap);
        const unsigned inGap = isWithinGap ? 1 : 0;
        waiting[depth++] = {part.firstRow + half + inGap,
                            part.rows - half - inGap,
                            part.firstColumn + cut,
                            part.columns - cut,
                            !isWithinGap,
                            part.opensLast};
        part.rows = half - inGap;
        part.columns = cut;
        part.opensLast = !isWithinGap;
    }
}

/// The best local alignment of two sequences, and its identities if requested (else 0). `memory` must have
/// room for both.
template <unsigned kStride>
GLYCINE_HOST_DEVICE ClustalFound alignClustal(const ClustalScores& scores, const std::uint8_t* a,
                                              unsigned rows, const std::uint8_t* b, unsigned columns,
                                              bool hasIdentities, const ClustalMemory<kStride>& memory) {
    const ClustalPlace end = sweep<ClustalPass::End, kStride>(scores, {a, b, rows, columns, 1}, 0, 0,
                                                              memory.state(), nullptr, nullptr);
    if (end.score == 0 || !hasIdentities) return {end.score, 0};
    const ClustalPlace begin = sweep<ClustalPass::Begin, kStride>(
        scores, {a + end.rows - 1, b + end.columns - 1, end.rows, end.columns, -1}, 0, end.score,
        memory.state(), nullptr, nullptr);
    return {end.score, joinStretch(scores, a, b,
                                   {end.rows - begin.rows, begin.rows, end.columns - begin.columns,
                                    begin.columns, false, false},
                                   memory)};
}

// ---- launches

// Kernels for pairs aligned as by ClustalW 2.1, one per thread of a warp.

/// A pair. The sequence that comes first in the input has the rows.
struct ClustalTask {
    std::uint32_t first, second;
    std::int32_t open;
};

struct ClustalWork {
    const std::uint8_t* codes;    ///< of all sequences, one after another
    const std::uint64_t* begins;  ///< offset of each sequence, and the end
    /// Neighbouring tasks should have similar lengths: a warp takes 32 of them.
    const ClustalTask* tasks;
    std::uint32_t taskCount;
    std::uint32_t* nextTask;    ///< initially 0
    const std::int32_t* table;  ///< kAlignCodes² scores, kClustalNever for the last code
    std::int32_t extend;
    bool hasIdentities;
    std::int32_t* memory;         ///< clustalMemoryBytes(rows, columns) per block
    std::uint32_t rows, columns;  ///< the greatest lengths
    std::uint32_t blocks;
    ClustalFound* results;  ///< one per task
};

/// Bytes of ClustalWork::memory per block.
std::size_t clustalMemoryBytes(std::size_t rows, std::size_t columns);
/// Blocks that a multiprocessor runs at once.
int clustalBlocksAtOnce();
void launchClustal(const Launch& launch, const ClustalWork& work);

}  // namespace glycine::cuda
