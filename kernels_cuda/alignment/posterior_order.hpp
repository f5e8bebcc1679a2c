#pragma once

#include <cstdint>

#include "kernels_cuda/alignment/posterior_kernels.hpp"

/// How the threads of a block bring the entries of a pair, which lie as they were found, into rows: counted,
/// places added up, put in their rows, each row sorted. Plain C++, too, so that it is tested without a
/// device: threads may go through a step in any order, and wait for each other between two steps.
namespace glycine::cuda {

/// Threads of a block, and those whose counts are added up together.
inline constexpr std::uint32_t kOrderThreads = 128;
inline constexpr std::uint32_t kOrderGroup = 16;
/// Numbers that the steps keep: of each thread, and of each group.
inline constexpr std::uint32_t kOrderSums = kOrderThreads + kOrderThreads / kOrderGroup;

/// Returns what was there before.
GLYCINE_HOST_DEVICE inline std::uint32_t addAtOnce(std::uint32_t* number, std::uint32_t more) {
#ifdef __CUDA_ARCH__
    return atomicAdd(number, more);
#else
    const std::uint32_t before = *number;
    *number += more;
    return before;
#endif
}

/// One direction of a pair: rows are the query's residues, or those of the other sequence.
struct PosteriorOrder {
    const PosteriorFound* found;
    std::uint32_t count;
    bool isTransposed;
    std::uint32_t rows;
    std::uint32_t* places;    ///< rows + 1; at the end, where each row begins
    PosteriorEntry* entries;  ///< `count`
    std::uint32_t* sums;      ///< kOrderSums

    GLYCINE_HOST_DEVICE std::uint32_t rowOf(std::uint32_t place) const {
        return isTransposed ? place & 0xffff : place >> 16;
    }

    // The steps, one after the other.
    GLYCINE_HOST_DEVICE void clear(std::uint32_t thread) const {
        for (std::uint32_t row = thread; row <= rows; row += kOrderThreads) places[row] = 0;
    }
    GLYCINE_HOST_DEVICE void countRows(std::uint32_t thread) const {
        for (std::uint32_t k = thread; k < count; k += kOrderThreads)
            addAtOnce(places + rowOf(found[k].place), 1);
    }
    /// A thread has some rows, one behind the other.
    GLYCINE_HOST_DEVICE void sumRows(std::uint32_t thread) const {
        std::uint32_t sum = 0;
        for (std::uint32_t row = firstRow(thread); row < firstRow(thread + 1); ++row) sum += places[row];
        sums[thread] = sum;
    }
    GLYCINE_HOST_DEVICE void sumGroups(std::uint32_t thread) const {
        if (thread >= kOrderThreads / kOrderGroup) return;
        std::uint32_t sum = 0;
        for (std::uint32_t k = 0; k < kOrderGroup; ++k) sum += sums[thread * kOrderGroup + k];
        sums[kOrderThreads + thread] = sum;
    }
    /// Of each row, where it ends.
    GLYCINE_HOST_DEVICE void addUp(std::uint32_t thread) const {
        const std::uint32_t group = thread / kOrderGroup;
        std::uint32_t sum = 0;
        for (std::uint32_t k = 0; k < group; ++k) sum += sums[kOrderThreads + k];
        for (std::uint32_t k = group * kOrderGroup; k < thread; ++k) sum += sums[k];
        for (std::uint32_t row = firstRow(thread); row < firstRow(thread + 1); ++row) {
            sum += places[row];
            places[row] = sum;
        }
    }
    /// From the end of each row to its beginning, since rows and columns were found in descending order.
    GLYCINE_HOST_DEVICE void put(std::uint32_t thread) const {
        for (std::uint32_t k = thread; k < count; k += kOrderThreads) {
            const PosteriorFound one = found[k];
            const std::uint32_t column = isTransposed ? one.place >> 16 : one.place & 0xffff;
            entries[addAtOnce(places + rowOf(one.place), std::uint32_t(-1)) - 1] = {column, one.value};
        }
    }
    /// Threads come one before the other here and there: rows are nearly sorted.
    GLYCINE_HOST_DEVICE void sortRows(std::uint32_t thread) const {
        for (std::uint32_t row = thread; row < rows; row += kOrderThreads) {
            const std::uint32_t begin = places[row], end = places[row + 1];
            for (std::uint32_t k = begin + 1; k < end; ++k) {
                const PosteriorEntry one = entries[k];
                std::uint32_t place = k;
                for (; place > begin && entries[place - 1].column > one.column; --place)
                    entries[place] = entries[place - 1];
                entries[place] = one;
            }
        }
    }

  private:
    /// Of rows + 1.
    GLYCINE_HOST_DEVICE std::uint32_t firstRow(std::uint32_t thread) const {
        const std::uint32_t each = rows / kOrderThreads + 1, row = thread * each;
        return row < rows + 1 ? row : rows + 1;
    }
};

}  // namespace glycine::cuda
