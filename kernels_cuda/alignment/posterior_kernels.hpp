#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/alignment/posterior/device_types.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernels for posteriors of residue pairs by two models, one pair of sequences per thread of a warp: a query
/// (rows) with 32 others (columns), in strips of a few rows.
namespace glycine::cuda {

using align::PosteriorEntry;

/// Pairs that a warp computes at once.
inline constexpr std::uint32_t kPosteriorLanes = 32;
/// The side of the tables of odds, indexed by codes. The last code stands for positions past the end of a
/// sequence.
inline constexpr std::uint32_t kPosteriorCodes = 32;
/// Rows of a strip, whose state stays in registers. Number: float or double.
template <class Number>
inline constexpr std::uint32_t kPosteriorRows = sizeof(Number) == 4 ? 8 : 4;
inline constexpr std::uint32_t kMaxPosteriorKinds = 2;
/// Columns whose forward sums are being copied while one is computed backwards, including that one; and the
/// number of these sums per warp.
inline constexpr std::uint32_t kPosteriorColumnsAhead = 4;
template <class Number>
inline constexpr std::uint32_t kPosteriorAhead =
    kPosteriorColumnsAhead* kPosteriorRows<Number>* kPosteriorLanes;
/// The most warps per block.
inline constexpr std::uint32_t kPosteriorWarps = 4;
/// The row and column of an entry have 16 bits each.
inline constexpr std::size_t kMaxPosteriorLetters = 65535;

/// mantissa · 2^exponent.
struct alignas(8) PosteriorEnd {
    float mantissa;
    std::int32_t exponent;
};

/// The steps of one model; elements beyond the model's kinds of gaps are 0.
template <class Number>
struct PosteriorModel {
    Number match;
    Number open[kMaxPosteriorKinds], extend[kMaxPosteriorKinds], close[kMaxPosteriorKinds];
    const PosteriorEnd* leads;   ///< of 0, 1 … letters, up to the longest sequence plus one
    const PosteriorEnd* trails;  ///< likewise
};

/// One number per model.
template <class Number>
struct alignas(2 * sizeof(Number)) PosteriorPair {
    Number one, other;
};

/// A query with `count` others that are not longer, given by places in the list of sequences.
struct PosteriorTask {
    std::uint32_t query;
    std::uint32_t first;
    std::uint32_t count;          ///< 1 … 32
    std::uint32_t wanted;         ///< bit k: the pair with other k; some are cleared when a task is repeated
    std::uint32_t stretchStrips;  ///< PosteriorShape::stretch
};

/// A pair of a residue of the query and one of the other sequence.
struct alignas(8) PosteriorFound {
    std::uint32_t place;  ///< row · 2^16 + column
    float value;
};

/// The rows of one sequence with another: the offset of each row's entries, and the end.
struct PosteriorRows {
    const std::uint32_t* places;
    const PosteriorEntry* entries;
};

enum class PosteriorState : std::uint32_t {
    Done,
    Unsound,   ///< the sums exceed the numbers' range: both directions differ
    Overflow,  ///< more entries than PosteriorWork::staged; `count` is their number
    NoRoom,    ///< PosteriorWork::found has no room left
};

/// The result of one pair. Its entries are ordered by strips from last to first; in each row, columns
/// descend.
struct PosteriorRecord {
    std::uint64_t begin;
    std::uint32_t count;
    PosteriorState state;
};

/// The layout of a warp's memory for one task. All parts are multiples of 128 bytes.
struct PosteriorShape {
    std::size_t stripRows, numberBytes;  ///< kPosteriorRows and size of the numbers
    std::size_t rows, width;             ///< letters of the query and of the longest other
    std::size_t stretch;                 ///< strips whose forward sums are kept at once
    std::size_t stateNumbers;            ///< passed from strip to strip, per column and lane
    std::size_t stagedEntries;           ///< room for entries, per lane

    GLYCINE_HOST_DEVICE std::size_t strips() const { return (rows + stripRows - 1) / stripRows; }
    GLYCINE_HOST_DEVICE std::size_t stretches() const { return (strips() + stretch - 1) / stretch; }
    /// Bytes for all lanes: entries, the exponents of all strips, the state between two strips.
    GLYCINE_HOST_DEVICE std::size_t stagedBytes() const {
        return stagedEntries * kPosteriorLanes * sizeof(PosteriorFound);
    }
    GLYCINE_HOST_DEVICE std::size_t exponentBytes() const {
        return strips() * 2 * kPosteriorLanes * sizeof(std::int32_t);
    }
    GLYCINE_HOST_DEVICE std::size_t stateBytes() const {
        return width * stateNumbers * kPosteriorLanes * numberBytes;
    }
    GLYCINE_HOST_DEVICE std::size_t sumBytes() const {
        return stretch * stripRows * width * kPosteriorLanes * 2 * numberBytes;
    }
    /// One state between two strips per direction, and one before each stretch except the first.
    GLYCINE_HOST_DEVICE std::size_t states() const { return stretches() + 1; }
    GLYCINE_HOST_DEVICE std::size_t bytes() const {
        return stagedBytes() + exponentBytes() + states() * stateBytes() + sumBytes();
    }
};

/// Tasks with all their inputs and outputs.
template <class Number>
struct PosteriorWork {
    const std::uint8_t* codes;          ///< of all sequences, one after another
    const std::uint64_t* begins;        ///< offset of each sequence, and the end
    const std::uint32_t* sequences;     ///< in ascending order of length
    const PosteriorPair<Number>* odds;  ///< kPosteriorCodes², of both models; 0 past the end
    PosteriorModel<Number> models[2];
    Number limit;  ///< on the sum of both squares
    const PosteriorTask* tasks;
    std::uint32_t taskCount;
    std::uint32_t* nextTask;  ///< initially 0
    std::byte* memory;        ///< memoryEach bytes per warp
    std::uint64_t memoryEach;
    std::uint32_t warps;   ///< with memory
    std::uint32_t staged;  ///< PosteriorShape::stagedEntries
    PosteriorFound* found;
    std::uint64_t foundRoom;
    unsigned long long* foundCount;  ///< initially 0; also counts entries without room
    PosteriorRecord* records;        ///< 32 per task
};

/// Entries of pairs as the tasks store them, and their targets in rows.
struct PosteriorOrderWork {
    const std::uint64_t* begins;     ///< as in PosteriorWork
    const std::uint32_t* sequences;  ///< likewise
    const PosteriorTask* tasks;
    std::uint32_t taskCount;
    const PosteriorRecord* records;  ///< 32 per task
    const PosteriorFound* found;
    /// For each pair, 32 per task: the offset of its places.
    const std::uint64_t* placeBegins;
    /// For each pair that is wanted and done: the offset of each row of its query among its entries, and the
    /// end; then the same for the other sequence.
    std::uint32_t* places;
    /// From 2 · PosteriorRecord::begin: a pair's entries in rows of its query, columns ascending; then as
    /// many in rows of the other sequence.
    PosteriorEntry* entries;
};

/// The gap kinds of both models, which select the kernel.
struct PosteriorKinds {
    std::uint32_t one, other;
    std::size_t stateNumbers() const { return one + other + 2; }
};
/// The kinds of the kernel that can compute models with these kinds.
PosteriorKinds posteriorKernelKinds(PosteriorKinds kinds);
/// The number of warps that a multiprocessor runs at once. Number: float, double.
template <class Number>
std::uint32_t posteriorWarpsAtOnce(PosteriorKinds kinds);
template <class Number>
void launchPosteriors(const Launch& launch, PosteriorKinds kinds, const PosteriorWork<Number>& work);
void launchPosteriorOrder(const Launch& launch, const PosteriorOrderWork& work);
/// Copies within device memory, after the work queued in the stream.
void copyThere(StreamHandle stream, const void* from, std::size_t bytes, void* to);

// ---- rows of entries

// How the threads of a block sort the entries of a pair into rows: rows are counted, offsets summed, entries
// put into their rows, and each row sorted. The steps also compile as plain C++, so that they can be tested
// without a device. Within a step, threads may run in any order; between steps they synchronise.

/// Threads per block, and threads whose counts are summed together.
inline constexpr std::uint32_t kOrderThreads = 128;
inline constexpr std::uint32_t kOrderGroup = 16;
/// Numbers shared between the steps: one per thread and one per group.
inline constexpr std::uint32_t kOrderSums = kOrderThreads + kOrderThreads / kOrderGroup;

/// Adds atomically on the device; returns the previous value.
GLYCINE_HOST_DEVICE inline std::uint32_t addAtOnce(std::uint32_t* number, std::uint32_t more) {
#ifdef __CUDA_ARCH__
    return atomicAdd(number, more);
#else
    const std::uint32_t before = *number;
    *number += more;
    return before;
#endif
}

/// One direction of a pair: the rows are the query's residues or those of the other sequence.
struct PosteriorOrder {
    const PosteriorFound* found;
    std::uint32_t count;
    bool isTransposed;
    std::uint32_t rows;
    std::uint32_t* places;    ///< rows + 1; finally the offset of each row
    PosteriorEntry* entries;  ///< `count`
    std::uint32_t* sums;      ///< kOrderSums

    GLYCINE_HOST_DEVICE std::uint32_t rowOf(std::uint32_t place) const {
        return isTransposed ? place & 0xffff : place >> 16;
    }

    // The steps, in order.
    GLYCINE_HOST_DEVICE void clear(std::uint32_t thread) const {
        for (std::uint32_t row = thread; row <= rows; row += kOrderThreads) places[row] = 0;
    }
    GLYCINE_HOST_DEVICE void countRows(std::uint32_t thread) const {
        for (std::uint32_t k = thread; k < count; k += kOrderThreads)
            addAtOnce(places + rowOf(found[k].place), 1);
    }
    /// Each thread has a range of adjacent rows.
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
    /// Computes the end of each row.
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
    /// Fills each row from its end, because rows and columns were found in descending order.
    GLYCINE_HOST_DEVICE void put(std::uint32_t thread) const {
        for (std::uint32_t k = thread; k < count; k += kOrderThreads) {
            const PosteriorFound one = found[k];
            const std::uint32_t column = isTransposed ? one.place >> 16 : one.place & 0xffff;
            entries[addAtOnce(places + rowOf(one.place), std::uint32_t(-1)) - 1] = {column, one.value};
        }
    }
    /// Threads may overtake each other when they put entries, so rows are only nearly sorted.
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
    /// The thread's first row among rows + 1.
    GLYCINE_HOST_DEVICE std::uint32_t firstRow(std::uint32_t thread) const {
        const std::uint32_t each = rows / kOrderThreads + 1, row = thread * each;
        return row < rows + 1 ? row : rows + 1;
    }
};

}  // namespace glycine::cuda
