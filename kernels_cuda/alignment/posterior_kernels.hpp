#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/alignment/posterior/device_types.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Launches of posteriors of residue pairs by two models, a pair of sequences in each thread of a warp: a
/// query (rows) with 32 others (columns), in strips of some rows.
namespace glycine::cuda {

using align::PosteriorEntry;

/// Pairs that a warp takes at once.
inline constexpr std::uint32_t kPosteriorLanes = 32;
/// Sides of the tables of odds: codes, of which the last stands for what is beyond the end of a sequence.
inline constexpr std::uint32_t kPosteriorCodes = 32;
/// Rows of a strip, whose state stays in registers. Number: float or double.
template <class Number>
inline constexpr std::uint32_t kPosteriorRows = sizeof(Number) == 4 ? 8 : 4;
inline constexpr std::uint32_t kMostPosteriorKinds = 2;
/// Columns whose forward sums are on their way while one is computed backwards, that one included; and the
/// sums of them in a warp.
inline constexpr std::uint32_t kPosteriorColumnsAhead = 4;
template <class Number>
inline constexpr std::uint32_t kPosteriorAhead =
    kPosteriorColumnsAhead* kPosteriorRows<Number>* kPosteriorLanes;
/// Warps of a block, at most.
inline constexpr std::uint32_t kPosteriorWarps = 4;
/// Row and column of an entry have 16 bits each.
inline constexpr std::size_t kMostPosteriorLetters = 65535;

/// mantissa · 2^exponent.
struct alignas(8) PosteriorEnd {
    float mantissa;
    std::int32_t exponent;
};

/// One model's steps; what is beyond the model's kinds of gaps is 0.
template <class Number>
struct PosteriorModel {
    Number match;
    Number open[kMostPosteriorKinds], extend[kMostPosteriorKinds], close[kMostPosteriorKinds];
    const PosteriorEnd* leads;   ///< of 0, 1 … letters, up to one more than the longest sequence has
    const PosteriorEnd* trails;  ///< the same
};

/// A number of each model.
template <class Number>
struct alignas(2 * sizeof(Number)) PosteriorPair {
    Number one, other;
};

/// A query with `count` others that are not longer: places in the list of sequences.
struct PosteriorTask {
    std::uint32_t query;
    std::uint32_t first;
    std::uint32_t count;          ///< 1 … 32
    std::uint32_t wanted;         ///< bit k: the pair with the other k; not all where a task is done again
    std::uint32_t stretchStrips;  ///< PosteriorShape::stretch
};

/// A residue of the query beside one of the other.
struct alignas(8) PosteriorFound {
    std::uint32_t place;  ///< row · 2^16 + column
    float value;
};

/// Rows of one sequence with another one: where each begins among the entries, and behind the last one.
struct PosteriorRows {
    const std::uint32_t* places;
    const PosteriorEntry* entries;
};

enum class PosteriorState : std::uint32_t {
    Done,
    Unsound,   ///< the numbers do not hold the sums: both directions differ
    Overflow,  ///< more entries than PosteriorWork::staged; `count` tells how many
    NoRoom,    ///< more entries than PosteriorWork::found has room for
};

/// Of one pair: its entries, by strips from the last one to the first; of each row columns descend.
struct PosteriorRecord {
    std::uint64_t begin;
    std::uint32_t count;
    PosteriorState state;
};

/// How the memory of a warp is used for one task. All parts are multiples of 128 bytes.
struct PosteriorShape {
    std::size_t stripRows, numberBytes;  ///< kPosteriorRows and size of the numbers
    std::size_t rows, width;             ///< letters of the query and of the longest other
    std::size_t stretch;                 ///< strips whose forward sums are kept at once
    std::size_t stateNumbers;            ///< that a strip hands to the next one, a column and lane
    std::size_t stagedEntries;           ///< room for entries, of each lane

    GLYCINE_HOST_DEVICE std::size_t strips() const { return (rows + stripRows - 1) / stripRows; }
    GLYCINE_HOST_DEVICE std::size_t stretches() const { return (strips() + stretch - 1) / stretch; }
    /// Of all lanes, as bytes: entries, the exponents of all strips, the state between two strips.
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
    /// One between two strips in each direction, and those before all stretches but the first one.
    GLYCINE_HOST_DEVICE std::size_t states() const { return stretches() + 1; }
    GLYCINE_HOST_DEVICE std::size_t bytes() const {
        return stagedBytes() + exponentBytes() + states() * stateBytes() + sumBytes();
    }
};

/// Tasks, and all that they read and write.
template <class Number>
struct PosteriorWork {
    const std::uint8_t* codes;          ///< of all sequences, one behind the other
    const std::uint64_t* begins;        ///< of each sequence, and behind the last one
    const std::uint32_t* sequences;     ///< in ascending order of length
    const PosteriorPair<Number>* odds;  ///< kPosteriorCodes², of both models; 0 beyond the end
    PosteriorModel<Number> models[2];
    Number limit;  ///< of the sum of both squares
    const PosteriorTask* tasks;
    std::uint32_t taskCount;
    std::uint32_t* nextTask;  ///< 0
    std::byte* memory;        ///< of each warp
    std::uint64_t memoryEach;
    std::uint32_t warps;   ///< that memory has room for
    std::uint32_t staged;  ///< PosteriorShape::stagedEntries
    PosteriorFound* found;
    std::uint64_t foundRoom;
    unsigned long long* foundCount;  ///< 0; counts those, too, for which there is no room
    PosteriorRecord* records;        ///< 32 a task
};

/// Entries of pairs, as the tasks have left them, and where they come to in rows.
struct PosteriorOrderWork {
    const std::uint64_t* begins;     ///< as in PosteriorWork
    const std::uint32_t* sequences;  ///< the same
    const PosteriorTask* tasks;
    std::uint32_t taskCount;
    const PosteriorRecord* records;  ///< 32 a task
    const PosteriorFound* found;
    /// Of each pair, 32 a task: where its places begin.
    const std::uint64_t* placeBegins;
    /// Of each pair that is wanted and done, where the rows of its query begin among its entries, and behind
    /// the last one; then the same of the other sequence.
    std::uint32_t* places;
    /// From 2 · PosteriorRecord::begin on, a pair's entries in rows of its query, columns ascending; then as
    /// many in rows of the other sequence.
    PosteriorEntry* entries;
};

/// Gap kinds of both models, as far as the kernels tell models apart.
struct PosteriorKinds {
    std::uint32_t one, other;
    std::size_t stateNumbers() const { return one + other + 2; }
};
/// The kinds of the kernel that takes models with so many.
PosteriorKinds posteriorKernelKinds(PosteriorKinds kinds);
/// Warps that a multiprocessor runs at once. Number: float, double.
template <class Number>
std::uint32_t posteriorWarpsAtOnce(PosteriorKinds kinds);
template <class Number>
void launchPosteriors(const Launch& launch, PosteriorKinds kinds, const PosteriorWork<Number>& work);
void launchPosteriorOrder(const Launch& launch, const PosteriorOrderWork& work);
/// Within the device's memory, behind what is queued in the stream.
void copyThere(StreamHandle stream, const void* from, std::size_t bytes, void* to);

// ---- rows of entries

// How the threads of a block bring the entries of a pair, which lie as they were found, into rows: counted,
// places added up, put in their rows, each row sorted. Plain C++, too, so that it is tested without a
// device: threads may go through a step in any order, and wait for each other between two steps.

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
