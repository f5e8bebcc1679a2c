#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/alignment/posterior_kernels.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Launches of the consistency transformation: for pairs of residues, the sum over other sequences of their
/// common posteriors.
namespace glycine::cuda {

/// A pair of sequences x > y and its transformation.
struct ConsistencyPair {
    std::uint32_t x, y;
    std::uint32_t rows;                  ///< residues of x
    std::uint32_t firstThird, endThird;  ///< in PairConsistencyWork::thirds
    float kept, added;  ///< a posterior becomes kept · posterior + added · sum over third sequences
};

/// For when all posteriors are on the device.
struct PairConsistencyWork {
    const PosteriorRows* from;  ///< of the ordered pair (x, y) at x · sequences + y
    PosteriorEntry* const* to;  ///< likewise: target of the new entries, columns unchanged
    std::uint32_t sequences;
    const ConsistencyPair* pairs;
    std::uint32_t firstPair, endPair;
    const std::uint32_t* thirds;  ///< of one pair after another, ascending
    const float* weights;         ///< one per sequence
};

/// In both directions of each pair, for each entry (i, j): Σ_z weights(z) Σ_k P_xz(i, k) P_yz(j, k).
void launchPairConsistency(const Launch& launch, const PairConsistencyWork& work);

/// For when only some third sequences are on the device. Rows are the residues of all sequences, one sequence
/// after another. A row's entries with these sequences z are stored in ascending order of z and column. The
/// lanes of a warp, one z each, then read adjacent memory.
struct ConsistencyWork {
    const PosteriorEntry* entries;
    const std::uint64_t* begins;  ///< offset of each row's entries
    const std::uint32_t* places;  ///< `others` + 1 per row: offsets of the entries with each z, from begins
    std::uint32_t others;
    std::uint32_t firstOther;  ///< the number of the first z
    /// For each pair of sequences x > y, `thirdWords` words at (x · sequenceCount + y) · thirdWords, whose
    /// bits select the z to use; null: all are used.
    const std::uint32_t* thirds;
    std::uint32_t thirdWords, sequenceCount;
    const std::uint32_t* sequences;     ///< sequence of each row; read only with thirds
    const float* weights;               ///< one per z
    const std::uint64_t* targetBegins;  ///< offset of each row's targets, and the end
    const std::uint32_t* targets;       ///< rows that this row is paired with
    float* sums;                        ///< one per target; sums are added to the present values
    std::uint32_t firstRow, endRow;
};

/// Over all selected z: sums(target) += Σ_z weights(z) Σ_k entry(row, z, k) · entry(target, z, k). The order
/// of additions depends only on `others`.
void launchConsistency(const Launch& launch, const ConsistencyWork& work);

// ---- the work of a thread

// The per-thread computations of the consistency transformation. They also compile as plain C++, so that they
// can be tested without a device.

/// The sum of products over common columns; both ranges ascend.
GLYCINE_HOST_DEVICE inline float commonSum(const PosteriorEntry* first, const PosteriorEntry* firstEnd,
                                           const PosteriorEntry* second, const PosteriorEntry* secondEnd) {
    float sum = 0;
    if (first == firstEnd || second == secondEnd) return sum;
    PosteriorEntry a = *first, b = *second;
    for (;;) {
        if (a.column == b.column) sum = fmaf(a.value, b.value, sum);
        const bool isBefore = a.column <= b.column, isBehind = a.column >= b.column;
        if (isBefore) {
            if (++first == firstEnd) break;
            a = *first;
        }
        if (isBehind) {
            if (++second == secondEnd) break;
            b = *second;
        }
    }
    return sum;
}

/// The number of entries of a pair in one direction.
GLYCINE_HOST_DEVICE inline std::uint32_t entriesOf(const PairConsistencyWork& work,
                                                   const ConsistencyPair& pair) {
    return work.from[std::size_t(pair.x) * work.sequences + pair.y].places[pair.rows];
}

/// The row of an entry: the last row that does not begin after it.
GLYCINE_HOST_DEVICE inline std::uint32_t rowOfEntry(const std::uint32_t* places, std::uint32_t rows,
                                                    std::uint32_t entry) {
    std::uint32_t low = 0, high = rows;  // places[low] <= entry < places[high]
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        (places[middle] <= entry ? low : high) = middle;
    }
    return low;
}

/// Transforms one entry of a pair in both directions.
GLYCINE_HOST_DEVICE inline void transformEntry(const PairConsistencyWork& work, const ConsistencyPair& pair,
                                               std::uint32_t entry) {
    const std::size_t x = std::size_t(pair.x) * work.sequences, y = std::size_t(pair.y) * work.sequences;
    const PosteriorRows here = work.from[x + pair.y];
    const std::uint32_t row = rowOfEntry(here.places, pair.rows, entry);
    const PosteriorEntry before = here.entries[entry];
    float sum = 0;
    for (std::uint32_t k = pair.firstThird; k < pair.endThird; ++k) {
        const std::uint32_t z = work.thirds[k];
        const PosteriorRows first = work.from[x + z], second = work.from[y + z];
        sum = fmaf(work.weights[z],
                   commonSum(first.entries + first.places[row], first.entries + first.places[row + 1],
                             second.entries + second.places[before.column],
                             second.entries + second.places[before.column + 1]),
                   sum);
    }
    const float value = pair.kept * before.value + pair.added * sum;
    work.to[x + pair.y][entry] = {before.column, value};
    const PosteriorRows other = work.from[y + pair.x];
    std::uint32_t place = other.places[before.column];
    while (other.entries[place].column != row) ++place;
    work.to[y + pair.x][place] = {row, value};
}

}  // namespace glycine::cuda
