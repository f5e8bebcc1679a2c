#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/block_tile.cuh"

/// Sums over coordinates. Terms are added in float32 within a block of attributes, and blocks in double. This
/// causes few roundings per term, and needs few of the double additions that are slow on most GPUs. Double
/// numbers are summed in double. The order is fixed, so results are reproducible.
namespace glycine::cuda {

namespace {

extern __shared__ __align__(16) std::uint32_t sharedCoordinates[];

constexpr int kDirectRowsPerThread = 8;
constexpr int kColumnsPerThread = 4;
constexpr int kDirectThreadsDown = 8;
constexpr int kThreadsAcross = 16;
constexpr int kDepth = 16;
using Tile = BlockTile<kDirectThreadsDown * kDirectRowsPerThread, kThreadsAcross * kColumnsPerThread,
                       kDirectThreadsDown * kThreadsAcross, kDepth, 3>;
/// Stages whose terms are summed in float32: 256 attributes.
constexpr int kStagesABlock = 16;

/// Arithmetic of the terms: HostArithmetic with a single rounding of x · y + z.
struct DeviceArithmetic {
    static __device__ float absolute(float x) { return fabsf(x); }
    static __device__ double absolute(double x) { return fabs(x); }
    static __device__ float multiplyAdd(float x, float y, float z) { return __fmaf_rn(x, y, z); }
    static __device__ double multiplyAdd(double x, double y, double z) { return __fma_rn(x, y, z); }
    static __device__ float larger(float x, float y) { return fmaxf(x, y); }
    static __device__ double larger(double x, double y) { return fmax(x, y); }
    static __device__ float isNotZero(float x) { return x != 0.0F ? 1.0F : 0.0F; }
    static __device__ double isNotZero(double x) { return x != 0.0 ? 1.0 : 0.0; }
};

/// Four doubles of consecutive instances: low words in one row of the operands, high words in the next.
__device__ inline void readDoubles(const std::uint32_t* source, double (&target)[4]) {
    std::uint32_t low[4], high[4];
    readVector(source, low);
    readVector(source + Tile::kPitch, high);
#pragma unroll
    for (int i = 0; i < 4; ++i) target[i] = __hiloint2double(int(high[i]), int(low[i]));
}

/// Positions of a thread's first instances in a stage of the operands.
struct Operands {
    const std::uint32_t* rows;
    const std::uint32_t* columns;
};
__device__ inline Operands operandsOf(const std::uint32_t* stage) {
    using Grid = ThreadGrid<kThreadsAcross>;
    return {stage + Grid::row() * 4, stage + Tile::kRows + Grid::column() * 4};
}

/// Writes the sums of a thread, or joins them with the existing ones.
template <class Term>
__device__ inline void storeTotals(const PairTask& task, const PairBlock<Tile>& block,
                                   const MatrixOnDevice<double>& sums,
                                   const double (&total)[kDirectRowsPerThread][kColumnsPerThread]) {
    using Grid = ThreadGrid<kThreadsAcross>;
#pragma unroll
    for (int i = 0; i < kDirectRowsPerThread; ++i) {
        const std::size_t row = block.row + (i / 4 * kDirectThreadsDown + Grid::row()) * 4 + i % 4;
        double2* target = reinterpret_cast<double2*>(sums.at(row, block.column + Grid::column() * 4));
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            double2 pair = make_double2(total[i][half * 2], total[i][half * 2 + 1]);
            if (task.adds) {
                pair.x = Term::join(pair.x, target[half].x);
                pair.y = Term::join(pair.y, target[half].y);
            }
            target[half] = pair;
        }
    }
}

template <class Term>
__global__ void __launch_bounds__(Tile::kThreads, 4)
    directKernel(PairTask task, MatrixOnDevice<double> sums) {
    const PairBlock<Tile> block(task);
    if (block.isAboveDiagonal(task)) return;
    float partial[kDirectRowsPerThread][kColumnsPerThread] = {};
    double total[kDirectRowsPerThread][kColumnsPerThread] = {};
    const auto flush = [&] {
#pragma unroll
        for (int i = 0; i < kDirectRowsPerThread; ++i) {
#pragma unroll
            for (int j = 0; j < kColumnsPerThread; ++j) {
                total[i][j] = Term::join(total[i][j], double(partial[i][j]));
                partial[i][j] = 0;
            }
        }
    };
    int stages = 0;
    forEachPairStage(sharedCoordinates, task.window, block, kDepth, [&](const std::uint32_t* stage) {
        const auto [rows, columns] = operandsOf(stage);
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            std::uint32_t a[2][4], b[4];
            readVector(rows + k * Tile::kPitch, a[0]);
            readVector(rows + k * Tile::kPitch + kDirectThreadsDown * 4, a[1]);
            readVector(columns + k * Tile::kPitch, b);
#pragma unroll
            for (int i = 0; i < kDirectRowsPerThread; ++i) {
#pragma unroll
                for (int j = 0; j < kColumnsPerThread; ++j)
                    partial[i][j] = Term::template add<DeviceArithmetic>(
                        partial[i][j], __uint_as_float(a[i / 4][i % 4]), __uint_as_float(b[j]));
            }
        }
        if (++stages == kStagesABlock) {
            flush();
            stages = 0;
        }
    });
    flush();
    storeTotals<Term>(task, block, sums, total);
}

/// The same for doubles: rows 2k and 2k + 1 of the operands hold the low and high words of attribute k.
template <class Term>
__global__ void __launch_bounds__(Tile::kThreads, 4)
    directDoubleKernel(PairTask task, MatrixOnDevice<double> sums) {
    const PairBlock<Tile> block(task);
    if (block.isAboveDiagonal(task)) return;
    double total[kDirectRowsPerThread][kColumnsPerThread] = {};
    forEachPairStage(sharedCoordinates, task.window, block, kDepth, [&](const std::uint32_t* stage) {
        const auto [rows, columns] = operandsOf(stage);
#pragma unroll 2
        for (int k = 0; k < kDepth; k += 2) {
            double b[kColumnsPerThread];
            readDoubles(columns + k * Tile::kPitch, b);
#pragma unroll
            for (int half = 0; half < kDirectRowsPerThread / 4; ++half) {
                double a[4];
                readDoubles(rows + k * Tile::kPitch + half * kDirectThreadsDown * 4, a);
#pragma unroll
                for (int i = 0; i < 4; ++i) {
#pragma unroll
                    for (int j = 0; j < kColumnsPerThread; ++j)
                        total[half * 4 + i][j] =
                            Term::template add<DeviceArithmetic>(total[half * 4 + i][j], a[i], b[j]);
                }
            }
        }
    });
    storeTotals<Term>(task, block, sums, total);
}

}  // namespace

void launchDirect(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                  const SummedNumbers& summed, Accumulate accumulate, MatrixOnDevice<double> sums) {
    const dim3 blocks(window.columnCount / Tile::kColumns, portion.rowCount / Tile::kRows);
    const PairTask task{window, portion, portion.depth, accumulate == Accumulate::Yes};
    const auto kernel = distance::withTerm(summed.term, [&](auto operation) {
        using Term = decltype(operation);
        return summed.isDouble ? directDoubleKernel<Term> : directKernel<Term>;
    });
    kernel<<<blocks, Tile::kThreads, Tile::kSharedBytes, launch.stream>>>(task, sums);
    checkLaunch("direct");
}

}  // namespace glycine::cuda
