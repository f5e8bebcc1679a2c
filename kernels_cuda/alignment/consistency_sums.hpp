#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels_cuda/alignment/consistency_kernels.hpp"

/// What a thread of the consistency transformation computes; plain C++, too, so that it is tested without a
/// device.
namespace glycine::cuda {

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
