#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/pair_tile.cuh"

/// Sums over coordinates. Terms are added up in float32 within a block of attributes, blocks in double: few
/// roundings a term, and few of the double additions that most GPUs are slow at. The order is fixed, so that
/// results are the same from run to run.
namespace glycine::cuda {

namespace {

extern __shared__ __align__(16) std::uint32_t sharedCoordinates[];

constexpr int kRowsPerThread = 8;
constexpr int kColumnsPerThread = 4;
constexpr int kThreadsDown = 8;
constexpr int kThreadsAcross = 16;
constexpr int kDepth = 16;
using Tile = PairTile<kThreadsDown * kRowsPerThread, kThreadsAcross * kColumnsPerThread,
                      kThreadsDown * kThreadsAcross, kDepth, 3>;
/// Stages of which sums are taken in float32: 256 attributes.
constexpr int kStagesABlock = 16;

template <bool squared>
__device__ inline float addTerm(float sum, float difference) {
    return squared ? __fmaf_rn(difference, difference, sum) : sum + fabsf(difference);
}

template <bool squared>
__global__ void __launch_bounds__(Tile::kThreads, 4)
    directKernel(PairTask task, MatrixOnDevice<double> sums) {
    const PairBlock<Tile> block(task);
    if (block.isAboveDiagonal(task)) return;
    using Grid = ThreadGrid<kThreadsAcross>;
    float partial[kRowsPerThread][kColumnsPerThread] = {};
    double total[kRowsPerThread][kColumnsPerThread] = {};
    const auto flush = [&] {
#pragma unroll
        for (int i = 0; i < kRowsPerThread; ++i) {
#pragma unroll
            for (int j = 0; j < kColumnsPerThread; ++j) {
                total[i][j] += partial[i][j];
                partial[i][j] = 0;
            }
        }
    };
    int stages = 0;
    forEachPairStage(sharedCoordinates, task.window, block, kDepth, [&](const std::uint32_t* stage) {
        const std::uint32_t* rows = stage + Grid::row() * 4;
        const std::uint32_t* columns = stage + Tile::kRows + Grid::column() * 4;
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            std::uint32_t a[2][4], b[4];
            readVector(rows + k * Tile::kPitch, a[0]);
            readVector(rows + k * Tile::kPitch + kThreadsDown * 4, a[1]);
            readVector(columns + k * Tile::kPitch, b);
#pragma unroll
            for (int i = 0; i < kRowsPerThread; ++i) {
#pragma unroll
                for (int j = 0; j < kColumnsPerThread; ++j)
                    partial[i][j] = addTerm<squared>(
                        partial[i][j], __uint_as_float(a[i / 4][i % 4]) - __uint_as_float(b[j]));
            }
        }
        if (++stages == kStagesABlock) {
            flush();
            stages = 0;
        }
    });
    flush();
#pragma unroll
    for (int i = 0; i < kRowsPerThread; ++i) {
        const std::size_t row = block.row + (i / 4 * kThreadsDown + Grid::row()) * 4 + i % 4;
        double2* target = reinterpret_cast<double2*>(sums.at(row, block.column + Grid::column() * 4));
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            double2 pair = make_double2(total[i][half * 2], total[i][half * 2 + 1]);
            if (task.adds) {
                pair.x += target[half].x;
                pair.y += target[half].y;
            }
            target[half] = pair;
        }
    }
}

}  // namespace

void launchDirect(const Launch& launch, const PairWindow& window, const PairPortion& portion, bool isSquared,
                  Accumulate accumulate, MatrixOnDevice<double> sums) {
    const dim3 blocks(window.columnCount / Tile::kColumns, portion.rowCount / Tile::kRows);
    const PairTask task{window, portion, portion.depth, accumulate == Accumulate::Yes};
    const auto kernel = isSquared ? directKernel<true> : directKernel<false>;
    kernel<<<blocks, Tile::kThreads, Tile::kSharedBytes, launch.stream>>>(task, sums);
    checkLaunch("direct");
}

}  // namespace glycine::cuda
