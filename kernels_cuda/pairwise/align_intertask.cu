#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairwise/align_cells.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kThreads = kAlignWarps * kAlignLanes;
constexpr unsigned kAll = 0xffffffffU;

/// The numbers of two queries against the same other sequence, 16 bits each.
template <int kColumnsAtOnce>
struct Pair {
    using Number = unsigned;
    static constexpr int kColumns = kColumnsAtOnce;
    static constexpr int kQueries = 2;
    static __device__ Number both(std::int64_t low, std::int64_t high) {
        return unsigned(low & 0xffff) | unsigned(high) << 16;
    }
    static __device__ Number of(std::int64_t value) { return both(value, value); }
    static __device__ Number add(Number a, Number b) { return __viaddmax_s16x2(a, b, 0x80008000U); }
    static __device__ Number larger(Number a, Number b) { return __vmaxs2(a, b); }
    static __device__ Number addLarger(Number a, Number b, Number c) { return __viaddmax_s16x2(a, b, c); }
    static __device__ std::int64_t query(Number number, int q) {
        return static_cast<std::int16_t>(q == 0 ? number & 0xffff : number >> 16);
    }
    /// One row for each pair of letters, including positions past the end.
    static __host__ __device__ unsigned rows(unsigned letters) { return (letters + 1) * (letters + 1); }
    static __device__ unsigned rowOf(unsigned letter, unsigned other, unsigned letters) {
        return min(letter, letters) * (letters + 1) + min(other, letters);
    }
    static __device__ Number entry(const std::int64_t* table, unsigned letters, unsigned row,
                                   unsigned column) {
        const auto code = [letters](unsigned letter) { return letter == letters ? kAlignCodes - 1 : letter; };
        return both(table[code(row / (letters + 1)) * kAlignCodes + column],
                    table[code(row % (letters + 1)) * kAlignCodes + column]);
    }
};

// As many columns as fit in registers; affine gaps need two numbers per column.
using PairLinear = Pair<32>;
using PairAffine = Pair<24>;
using Int32 = Single<std::int32_t, 32>;
using Int64 = Single<long long, 16>;

struct Query {
    const std::uint8_t* codes;
    unsigned length;
    __device__ unsigned letter(unsigned row) const { return row < length ? codes[row] : kAlignCodes - 1; }
};

/// The cells of a query (or two) against kColumns letters of the other sequence, row by row. Values passed
/// from row to row stay in registers; values passed from column to column are kept in memory.
template <class Lane, Recurrence kRecurrence>
struct Columns {
    using Number = typename Lane::Number;
    static constexpr int kColumns = Lane::kColumns;

    Number best[kColumns];
    Number gap[kColumns];
    unsigned offset[kColumns];  ///< of a letter in a table row, in bytes
    Number corner;
    Number highest;

    template <bool kIsFirst>
    __device__ void work(const char* table, unsigned letters, const Query* queries, unsigned begin,
                         unsigned end, bool isLast, Number border, Number minusOpen, Number minusExtend,
                         Number* state) {
        Number* place = state + std::size_t(begin) * 2 * kAlignLanes;
        unsigned row = 0;
        // Fetch one row ahead.
        const auto fetch = [&](unsigned i) {
            row = Lane::rowOf(queries[0].letter(i),
                              Lane::kQueries > 1 ? queries[Lane::kQueries - 1].letter(i) : 0, letters);
        };
        Number nextLeft = border, nextAcross = border;
        const auto fetchState = [&] {
            if (kIsFirst) return;
            nextLeft = place[0];
            nextAcross = place[kAlignLanes];
        };
        if (begin < end) {
            fetch(begin);
            fetchState();
        }
        for (unsigned i = begin; i < end; ++i) {
            const char* scores = table + std::size_t(row) * (kAlignCodes * sizeof(Number));
            const Number left = nextLeft, across = nextAcross;
            Number* const current = place;
            place += 2 * kAlignLanes;
            if (i + 1 < end) {
                fetch(i + 1);
                fetchState();
            }
            AlignRow<Lane> cells{corner, left, across};
            corner = left;
#pragma unroll
            for (int c = 0; c < kColumns; ++c)
                alignCell<Lane, kRecurrence>(*reinterpret_cast<const Number*>(scores + offset[c]), minusOpen,
                                             minusExtend, cells, best[c], gap[c], highest);
            if (!isLast) {
                current[0] = cells.left;
                current[kAlignLanes] = cells.across;
            }
        }
    }

    /// best[index], without indexing registers dynamically.
    __device__ Number bestAt(unsigned index) const {
        Number found = best[0];
#pragma unroll
        for (int c = 1; c < kColumns; ++c) found = index == unsigned(c) ? best[c] : found;
        return found;
    }
};

template <class Lane, Recurrence kRecurrence>
__global__ void __launch_bounds__(kThreads, 2) alignKernel(AlignWork work) {
    using Number = typename Lane::Number;
    constexpr int kColumns = Lane::kColumns;
    constexpr bool kIsLocal = kRecurrence == Recurrence::Local;
    extern __shared__ __align__(16) char table[];
    for (unsigned k = threadIdx.x; k < Lane::rows(work.letters) * kAlignCodes; k += kThreads)
        reinterpret_cast<Number*>(table)[k] =
            Lane::entry(work.table, work.letters, k / kAlignCodes, k % kAlignCodes);
    __syncthreads();

    const unsigned lane = threadIdx.x % kAlignLanes;
    const std::size_t warp = std::size_t(blockIdx.x) * kAlignWarps + threadIdx.x / kAlignLanes;
    Number* const state = static_cast<Number*>(work.state) + warp * 2 * work.stateRows * kAlignLanes + lane;
    const Number minusOpen = Lane::of(-work.open), minusExtend = Lane::of(-work.extend);
    const Number border = alignBorder<Lane, kRecurrence>(work.open);

    for (;;) {
        unsigned next = 0;
        if (lane == 0) next = atomicAdd(work.nextTask, 1);
        next = __shfl_sync(kAll, next, 0);
        if (next >= work.taskCount) return;
        const AlignTask task = work.tasks[next];
        const unsigned lanes = min(kAlignLanes, work.columnCount - task.column);
        const unsigned place = task.column + min(lane, lanes - 1);
        const unsigned other = work.columns[place];
        const std::uint8_t* const letters = work.codes + work.begins[other];
        const unsigned length = unsigned(work.begins[other + 1] - work.begins[other]);
        // The last sequence is the longest.
        const unsigned width = __shfl_sync(kAll, length, int(lanes - 1));
        Query queries[Lane::kQueries];
        unsigned sequences[Lane::kQueries];
#pragma unroll
        for (int q = 0; q < Lane::kQueries; ++q) {
            sequences[q] = work.rows[min(task.query + q, work.rowCount - 1)];
            queries[q] = {work.codes + work.begins[sequences[q]],
                          unsigned(work.begins[sequences[q] + 1] - work.begins[sequences[q]])};
        }

        Columns<Lane, kRecurrence> columns;
        columns.highest = Lane::of(0);
        Number found[Lane::kQueries];
#pragma unroll
        for (int q = 0; q < Lane::kQueries; ++q) found[q] = Lane::of(0);
        for (unsigned first = 0; first < width; first += kColumns) {
#pragma unroll
            for (int c = 0; c < kColumns; ++c) {
                const unsigned letter = first + c < length ? letters[first + c] : kAlignCodes - 1;
                columns.offset[c] = letter * unsigned(sizeof(Number));
                columns.best[c] = border;
                columns.gap[c] = border;
            }
            columns.corner = first == 0 ? minusOpen : border;
            const bool isLast = first + kColumns >= width;
            unsigned begin = 0;
            // Queries are in ascending order of length; a query that has ended continues past its end.
#pragma unroll
            for (int q = 0; q < Lane::kQueries; ++q) {
                if (first == 0)
                    columns.template work<true>(table, work.letters, queries, begin, queries[q].length,
                                                isLast, border, minusOpen, minusExtend, state);
                else
                    columns.template work<false>(table, work.letters, queries, begin, queries[q].length,
                                                 isLast, border, minusOpen, minusExtend, state);
                begin = queries[q].length;
                if (!kIsLocal && length - 1 - first < unsigned(kColumns))
                    found[q] = columns.bestAt(length - 1 - first);
            }
        }
#pragma unroll
        for (int q = 0; q < Lane::kQueries; ++q) {
            const unsigned queryPlace = task.query + q;
            const bool isWanted =
                lane < lanes && queryPlace < work.rowCount && (!work.isDiagonal || place < queryPlace);
            if (!isWanted) continue;
            const unsigned row = max(sequences[q], other), column = min(sequences[q], other);
            *work.results.at(row - work.firstRow, column - work.firstColumn) =
                Lane::query(kIsLocal ? columns.highest : found[q], q);
        }
    }
}

using Kernel = void (*)(AlignWork);
template <class Lane>
Kernel kernelOf(Recurrence recurrence) {
    return ofRecurrence(recurrence,
                        [](auto known) -> Kernel { return alignKernel<Lane, decltype(known)::value>; });
}

Kernel kernelOf(AlignNumber number, Recurrence recurrence) {
    switch (number) {
        case AlignNumber::Pair16:
            return recurrence == Recurrence::Linear ? kernelOf<PairLinear>(recurrence)
                                                    : kernelOf<PairAffine>(recurrence);
        case AlignNumber::Int32:
            return kernelOf<Int32>(recurrence);
        case AlignNumber::Int64:
            break;
    }
    return kernelOf<Int64>(recurrence);
}

std::size_t numberBytes(AlignNumber number) {
    return number == AlignNumber::Int64 ? sizeof(std::int64_t) : sizeof(std::int32_t);
}

/// The kernel, with its shared memory limit set.
Kernel preparedKernel(AlignNumber number, Recurrence recurrence, unsigned letters) {
    const Kernel kernel = kernelOf(number, recurrence);
    GLYCINE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      int(alignSharedBytes(number, letters))));
    return kernel;
}

}  // namespace

std::size_t alignSharedBytes(AlignNumber number, unsigned letters) {
    const unsigned rows = number == AlignNumber::Pair16 ? PairLinear::rows(letters) : Int32::rows(letters);
    return rows * kAlignCodes * numberBytes(number);
}

std::size_t alignStateBytes(AlignNumber number, std::size_t longest) {
    return kAlignWarps * 2 * longest * kAlignLanes * numberBytes(number);
}

int alignBlocksAtOnce(AlignNumber number, Recurrence recurrence, unsigned letters) {
    int blocks = 0;
    GLYCINE_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, preparedKernel(number, recurrence, letters),
                                                      int(kThreads), alignSharedBytes(number, letters)));
    return blocks;
}

void launchAlignments(const Launch& launch, AlignNumber number, Recurrence recurrence,
                      const AlignWork& work) {
    preparedKernel(
        number, recurrence,
        work.letters)<<<work.blocks, kThreads, alignSharedBytes(number, work.letters), launch.stream>>>(work);
    checkLaunch("alignments of pairs");
}

}  // namespace glycine::cuda
