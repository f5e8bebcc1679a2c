#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/alignment/posterior_kernels.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Launches of the consistency transformation: of pairs of residues, the sum over other sequences of what
/// both have in common there.
namespace glycine::cuda {

/// A pair of sequences x > y, and what becomes of its posteriors.
struct ConsistencyPair {
    std::uint32_t x, y;
    std::uint32_t rows;                  ///< residues of x
    std::uint32_t firstThird, endThird;  ///< in PairConsistencyWork::thirds
    float kept, added;  ///< a posterior becomes kept · posterior + added · sum over third sequences
};

/// All posteriors are there.
struct PairConsistencyWork {
    const PosteriorRows* from;  ///< of the ordered pair (x, y) at x · sequences + y
    PosteriorEntry* const* to;  ///< the same: where the new entries come to, columns as before
    std::uint32_t sequences;
    const ConsistencyPair* pairs;
    std::uint32_t firstPair, endPair;
    const std::uint32_t* thirds;  ///< of one pair after the other, ascending
    const float* weights;         ///< of each sequence
};

/// Of each pair both directions: Σ_z weights(z) Σ_k P_xz(i, k) P_yz(j, k) for each entry (i, j).
void launchPairConsistency(const Launch& launch, const PairConsistencyWork& work);

/// Some third sequences are there. Rows are the residues of all sequences, one sequence behind the other.
/// Entries of a row with some of the sequences, z, lie one behind the other in ascending order of z and
/// column: lanes of a warp, a z each, read beside each other.
struct ConsistencyWork {
    const PosteriorEntry* entries;
    const std::uint64_t* begins;  ///< of each row's entries
    const std::uint32_t*
        places;  ///< of each row `others` + 1: where entries with each z begin, behind begins
    std::uint32_t others;
    std::uint32_t firstOther;  ///< the number of the first z
    /// Of each pair of sequences x > y `thirdWords` words whose bits say which z count, at (x · sequenceCount
    /// + y) · thirdWords; null: all do.
    const std::uint32_t* thirds;
    std::uint32_t thirdWords, sequenceCount;
    const std::uint32_t* sequences;     ///< of each row; read where there are thirds
    const float* weights;               ///< of each z
    const std::uint64_t* targetBegins;  ///< of each row's targets, and behind the last one
    const std::uint32_t* targets;       ///< rows that the row is paired with
    float* sums;                        ///< of each target; what is there is added to
    std::uint32_t firstRow, endRow;
};

/// Over all z that count: sums(target) += Σ_z weights(z) Σ_k entry(row, z, k) · entry(target, z, k). The
/// order of additions depends on nothing but `others`.
void launchConsistency(const Launch& launch, const ConsistencyWork& work);

// ---- what a thread does

// What a thread of the consistency transformation computes; plain C++, too, so that it is tested without a
// device.

/// Of the columns that both have, which ascend.
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

/// Of a pair, in one direction.
GLYCINE_HOST_DEVICE inline std::uint32_t entriesOf(const PairConsistencyWork& work,
                                                   const ConsistencyPair& pair) {
    return work.from[std::size_t(pair.x) * work.sequences + pair.y].places[pair.rows];
}

/// The row of entry `entry`: the last one that does not begin behind it.
GLYCINE_HOST_DEVICE inline std::uint32_t rowOfEntry(const std::uint32_t* places, std::uint32_t rows,
                                                    std::uint32_t entry) {
    std::uint32_t low = 0, high = rows;  // places[low] <= entry < places[high]
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        (places[middle] <= entry ? low : high) = middle;
    }
    return low;
}

/// Both directions of one entry of a pair.
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
