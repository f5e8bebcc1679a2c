#include <cuda_pipeline.h>

#include <cstddef>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/mutualinfo/information_kernels.hpp"
#include "kernels_cuda/mutualinfo/weight_numbers.cuh"

/// Joint tables as products of stacked weighting matrices, and their entropies, in one kernel: tables stay on
/// the multiprocessor.
namespace glycine::cuda {

namespace {

// ---- From joint tables in shared memory to mutual information

/// The joint tables of all pairs of two panels.
template <class Sum>
struct SharedTables {
    Sum* table;       ///< panel side × panel side
    unsigned pitch;   ///< of the table, distance between rows
    Sum* columnSums;  ///< genes × panel side: per gene, sums over its rows
    Sum* totals;      ///< genes × genes
    unsigned side;
    unsigned genes;
    unsigned bins;  ///< in the table
};

/// Contribution of a table element to the information, times the number of samples. `scale`: samples /
/// marginal of its row.
template <class Sum>
__device__ inline Sum shareOf(Sum value, Sum scale, Sum columnMarginal) {
    return value > 0 && columnMarginal > 0 ? value * log2(value * scale / columnMarginal) : Sum(0);
}

/// Calls take(x, y, information in bits) for all pairs of genes; NaN if a table is empty. Destroys the
/// tables, which all threads of the block must see beforehand. For elements v of a table, with its sums m
/// over rows and m' over columns, and the total n: I = Σ v/n log₂(v n / (m m')). Common factors cancel.
template <class Sum, class Take>
__device__ inline void findInformation(const SharedTables<Sum>& tables, unsigned threads, const Take& take) {
    const unsigned genes = tables.genes;
    const unsigned bins = tables.bins;
    const unsigned rows = genes * bins;
    for (unsigned i = threadIdx.x; i < genes * rows; i += threads) {
        const unsigned x = i / rows;
        const unsigned column = i % rows;
        Sum sum = 0;
        for (unsigned k = 0; k < bins; ++k) sum += tables.table[(x * bins + k) * tables.pitch + column];
        tables.columnSums[x * tables.side + column] = sum;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < genes * genes; i += threads) {
        const Sum* sums = tables.columnSums + i / genes * tables.side + i % genes * bins;
        Sum total = 0;
        for (unsigned l = 0; l < bins; ++l) total += sums[l];
        tables.totals[i] = total;
    }
    __syncthreads();
    // A thread per row of a pair's table. The row's contribution then replaces its first element.
    for (unsigned i = threadIdx.x; i < rows * genes; i += threads) {
        const unsigned row = i / genes;
        const unsigned x = row / bins;
        const unsigned y = i % genes;
        Sum* cells = tables.table + row * tables.pitch + y * bins;
        const Sum* columnSums = tables.columnSums + x * tables.side + y * bins;
        Sum rowSum = 0;
        for (unsigned l = 0; l < bins; ++l) rowSum += cells[l];
        const Sum scale = rowSum > 0 ? tables.totals[x * genes + y] / rowSum : Sum(0);
        Sum share = 0;
        for (unsigned l = 0; l < bins; ++l) share += shareOf(cells[l], scale, columnSums[l]);
        cells[0] = share;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < genes * genes; i += threads) {
        const unsigned x = i / genes;
        const unsigned y = i % genes;
        const Sum total = tables.totals[i];
        Sum sum = 0;
        for (unsigned k = 0; k < bins; ++k) sum += tables.table[(x * bins + k) * tables.pitch + y * bins];
        take(x, y,
             total > 0 ? fmax(0.0, double(sum) / double(total)) : __longlong_as_double(0x7ff8000000000000LL));
    }
}

/// The same if no value is missing and the tables lack the last bin of each gene. An element of the last bin
/// is the marginal minus the rest of its row or column. `rowMarginals`, `columnMarginals`: marginals of the
/// rows of both panels.
template <class Take>
__device__ inline void findCompleteInformation(const SharedTables<double>& tables, double samples,
                                               const double* rowMarginals, const double* columnMarginals,
                                               unsigned threads, const Take& take) {
    const unsigned genes = tables.genes;
    const unsigned bins = tables.bins;
    const unsigned rows = genes * bins;
    double* const lastRows = tables.columnSums;
    for (unsigned i = threadIdx.x; i < genes * rows; i += threads) {
        const unsigned x = i / rows;
        const unsigned column = i % rows;
        double rest = columnMarginals[column];
        for (unsigned k = 0; k < bins; ++k) rest -= tables.table[(x * bins + k) * tables.pitch + column];
        lastRows[x * tables.side + column] = rest;
    }
    __syncthreads();
    // A thread per row of a pair's table. The last rows follow after all others.
    for (unsigned i = threadIdx.x; i < (rows + genes) * genes; i += threads) {
        const unsigned row = i / genes;
        const unsigned y = i % genes;
        const bool isLast = row >= rows;
        const unsigned x = isLast ? row - rows : row / bins;
        double* cells = (isLast ? lastRows + x * tables.side : tables.table + row * tables.pitch) + y * bins;
        double rowMarginal = isLast ? samples : rowMarginals[row];
        if (isLast)
            for (unsigned k = 0; k < bins; ++k) rowMarginal -= rowMarginals[x * bins + k];
        const double scale = rowMarginal > 0 ? samples / rowMarginal : 0.0;
        double rest = rowMarginal;
        double lastMarginal = samples;
        double share = 0;
        for (unsigned l = 0; l < bins; ++l) {
            const double marginal = columnMarginals[y * bins + l];
            rest -= cells[l];
            lastMarginal -= marginal;
            share += shareOf(cells[l], scale, marginal);
        }
        share += shareOf(rest, scale, lastMarginal);
        (isLast ? tables.totals[x * genes + y] : cells[0]) = share;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < genes * genes; i += threads) {
        const unsigned x = i / genes;
        const unsigned y = i % genes;
        double sum = tables.totals[i];
        for (unsigned k = 0; k < bins; ++k) sum += tables.table[(x * bins + k) * tables.pitch + y * bins];
        take(x, y, fmax(0.0, sum / samples));
    }
}

extern __shared__ __align__(16) uint4 sharedVectors[];

constexpr int kStepVectors = int(kStepBytes / sizeof(uint4));
/// Extent of one product of a warp.
constexpr int kProductRows = 16;
constexpr int kProductColumns = 8;

/// A block multiplies a panel of rows by a panel of columns; each warp computes a part of the sums.
template <class Numbers, int side>
struct JointTile {
    using Sum = typename Numbers::Sum;
    static constexpr int kWarpRows = side / 2;
    static constexpr int kWarpColumns = 32;
    static constexpr int kWarpsDown = side / kWarpRows;
    static constexpr int kThreads = kWarpsDown * (side / kWarpColumns) * 32;
    static constexpr int kRowProducts = kWarpRows / kProductRows;
    static constexpr int kColumnProducts = kWarpColumns / kProductColumns;
    /// Steps of 64 bytes per row that are in flight or in use. A step of a panel has the same layout as in
    /// device memory.
    static constexpr int kStages = side == 128 ? 4 : 3;
    static constexpr int kPanelVectors = side * kStepVectors;
    static constexpr int kStageVectors = 2 * kPanelVectors;
    static constexpr int kStagesBytes = kStages * kStageVectors * int(sizeof(uint4));
    /// Eight more than the side, so that the rows of a product are in different banks.
    static constexpr int kPitch = side + 8;
    static constexpr int kTableBytes = side * kPitch * int(sizeof(Sum));
    static constexpr int kMarginBytes = int(kMaxPanelGenes * (side + kMaxPanelGenes) * sizeof(Sum));
    static constexpr int kLargerBytes = kTableBytes > kStagesBytes ? kTableBytes : kStagesBytes;
    /// Steps after which sums are moved to the table; 0: never.
    static constexpr unsigned kRunSteps =
        Numbers::kRunSamples / unsigned(kStepBytes / sizeof(typename Numbers::Element));

    /// Start of the table. If sums are moved there during the products, it must not overlap the stages.
    GLYCINE_HOST_DEVICE static constexpr int tableBegin(unsigned steps) {
        return kRunSteps > 0 && steps > kRunSteps ? kStagesBytes : 0;
    }
    GLYCINE_HOST_DEVICE static constexpr int marginBegin(unsigned steps) {
        return tableBegin(steps) > 0 ? kStagesBytes + kTableBytes : kLargerBytes;
    }
    static constexpr int sharedBytes(unsigned steps) { return marginBegin(steps) + kMarginBytes; }
    /// Blocks that a multiprocessor should hold, so that entropies of one overlap products of another.
    static constexpr int kBlocks = sizeof(Sum) == sizeof(float) && kThreads < 512 ? 512 / kThreads : 1;
};

/// Sums of a warp, in the layout of its products.
template <class Tile>
using WarpSums = typename Tile::Sum[Tile::kRowProducts][Tile::kColumnProducts][4];

/// Stores the sums of all warps in the table, or adds them to it, and clears them.
template <class Tile>
__device__ inline void moveSums(WarpSums<Tile>& sums, typename Tile::Sum* table, int firstRow,
                                int firstColumn, bool adds) {
    const int group = threadIdx.x % 32 / 4;
    const int t = threadIdx.x % 4;
#pragma unroll
    for (int m = 0; m < Tile::kRowProducts; ++m)
#pragma unroll
        for (int n = 0; n < Tile::kColumnProducts; ++n)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int row = firstRow + m * kProductRows + i / 2 * 8 + group;
                const int column = firstColumn + n * kProductColumns + 2 * t + i % 2;
                typename Tile::Sum& cell = table[row * Tile::kPitch + column];
                cell = adds ? cell + sums[m][n][i] : sums[m][n][i];
                sums[m][n][i] = 0;
            }
}

template <class Numbers, int side>
__global__ void __launch_bounds__(JointTile<Numbers, side>::kThreads, JointTile<Numbers, side>::kBlocks)
    jointKernel(JointTask task) {
    using Tile = JointTile<Numbers, side>;
    using Sum = typename Tile::Sum;
    const unsigned rowPanel = (task.firstBand + blockIdx.y) * kBandPanels + blockIdx.x % kBandPanels;
    const unsigned columnPanel = blockIdx.x / kBandPanels;
    if (rowPanel >= task.rowPanels || (task.isDiagonal && columnPanel > rowPanel)) return;

    const uint4* const rows = static_cast<const uint4*>(task.rows) + rowPanel * Tile::kPanelVectors;
    const uint4* const columns = static_cast<const uint4*>(task.columns) + columnPanel * Tile::kPanelVectors;
    const auto load = [&](unsigned step) {
        uint4* stage = sharedVectors + step % Tile::kStages * Tile::kStageVectors;
        const std::size_t stepVectors = std::size_t(step) * Tile::kPanelVectors;
#pragma unroll
        for (unsigned v = threadIdx.x; v < unsigned(Tile::kPanelVectors); v += Tile::kThreads) {
            __pipeline_memcpy_async(stage + v, rows + stepVectors * task.rowPanels + v, sizeof(uint4));
            __pipeline_memcpy_async(stage + Tile::kPanelVectors + v,
                                    columns + stepVectors * task.columnPanels + v, sizeof(uint4));
        }
    };

    char* const shared = reinterpret_cast<char*>(sharedVectors);
    Sum* const table = reinterpret_cast<Sum*>(shared + Tile::tableBegin(task.steps));
    const int warp = int(threadIdx.x / 32);
    const int firstRow = warp % Tile::kWarpsDown * Tile::kWarpRows;
    const int firstColumn = warp / Tile::kWarpsDown * Tile::kWarpColumns;
    // Thread t of group g reads vector t of row g of each product.
    const unsigned group = threadIdx.x % 32 / kStepVectors;
    const unsigned own = group * kStepVectors + placeOfVector(group, threadIdx.x % kStepVectors);
    WarpSums<Tile> sums = {};
    bool adds = false;

    for (unsigned step = 0; step + 1 < unsigned(Tile::kStages); ++step) {
        if (step < task.steps) load(step);
        __pipeline_commit();
    }
#pragma unroll 1
    for (unsigned step = 0; step < task.steps; ++step) {
        __pipeline_wait_prior(Tile::kStages - 2);
        // After this barrier the step has arrived for all threads, and no thread reads the stage that is
        // replaced next.
        __syncthreads();
        if (step + Tile::kStages - 1 < task.steps) load(step + Tile::kStages - 1);
        __pipeline_commit();
        const uint4* stage = sharedVectors + step % Tile::kStages * Tile::kStageVectors;
        uint4 column[Tile::kColumnProducts];
#pragma unroll
        for (int n = 0; n < Tile::kColumnProducts; ++n)
            column[n] = stage[Tile::kPanelVectors + (firstColumn + n * kProductColumns) * kStepVectors + own];
#pragma unroll
        for (int m = 0; m < Tile::kRowProducts; ++m) {
            const uint4* row = stage + (firstRow + m * kProductRows) * kStepVectors + own;
            const uint4 upper = row[0];
            const uint4 lower = row[8 * kStepVectors];
#pragma unroll
            for (int n = 0; n < Tile::kColumnProducts; ++n)
                Numbers::multiply(sums[m][n], upper, lower, column[n]);
        }
        if constexpr (Tile::kRunSteps > 0) {
            if (task.steps > Tile::kRunSteps && (step + 1) % Tile::kRunSteps == 0) {
                moveSums<Tile>(sums, table, firstRow, firstColumn, adds);
                adds = true;
            }
        }
    }
    __pipeline_wait_prior(0);
    __syncthreads();  // the table may overlap the last stages
    moveSums<Tile>(sums, table, firstRow, firstColumn, adds);
    __syncthreads();

    Sum* const margins = reinterpret_cast<Sum*>(shared + Tile::marginBegin(task.steps));
    const WeightPanels& layout = task.layout;
    const SharedTables<Sum> tables{table, Tile::kPitch, margins,    margins + kMaxPanelGenes * side,
                                   side,  layout.genes, layout.bins};
    const auto take = [&](unsigned x, unsigned y, double information) {
        const unsigned row = rowPanel * layout.genes + x;
        const unsigned column = columnPanel * layout.genes + y;
        if (row < task.rowCount && column < task.columnCount) *task.results.at(row, column) = information;
    };
    if constexpr (sizeof(Sum) == sizeof(double)) {
        if (layout.lacksLastBin)
            return findCompleteInformation(
                tables, double(task.samples), task.rowMarginals + std::size_t(rowPanel) * side,
                task.columnMarginals + std::size_t(columnPanel) * side, Tile::kThreads, take);
    }
    findInformation(tables, Tile::kThreads, take);
}

template <class Numbers, int side>
void launchTile(const Launch& launch, const JointTask& task) {
    using Tile = JointTile<Numbers, side>;
    const auto kernel = jointKernel<Numbers, side>;
    const int sharedBytes = Tile::sharedBytes(task.steps);
    if (sharedBytes > 48 * 1024)
        GLYCINE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes));
    // On the diagonal, columns after the last band of rows are not needed.
    const unsigned lastRow = (task.firstBand + task.bands) * kBandPanels;
    const unsigned columns = task.isDiagonal && lastRow < task.columnPanels ? lastRow : task.columnPanels;
    kernel<<<dim3(kBandPanels * columns, task.bands), Tile::kThreads, sharedBytes, launch.stream>>>(task);
    checkLaunch("joint tables");
}

template <class Numbers>
void launchBlocks(const Launch& launch, BlockPanels block, const JointTask& task) {
    if (block == BlockPanels::Small)
        launchTile<Numbers, 64>(launch, task);
    else
        launchTile<Numbers, 128>(launch, task);
}

template <class Numbers>
std::size_t sharedBytesOf(BlockPanels block, unsigned steps) {
    return block == BlockPanels::Small ? JointTile<Numbers, 64>::sharedBytes(steps)
                                       : JointTile<Numbers, 128>::sharedBytes(steps);
}

}  // namespace

std::size_t jointSharedBytes(mutualinfo::WeightPrecision precision, BlockPanels block, std::size_t steps) {
    constexpr unsigned many = 1U << 30;
    const unsigned count = steps == 0 ? many : unsigned(steps);
    switch (precision) {
        case mutualinfo::WeightPrecision::Float16:
            return sharedBytesOf<Float16Numbers>(block, count);
        case mutualinfo::WeightPrecision::Tf32:
            return sharedBytesOf<Tf32Numbers>(block, count);
        case mutualinfo::WeightPrecision::Float32:
            return sharedBytesOf<Float32Numbers>(block, count);
        default:
            return sharedBytesOf<Float64Numbers>(block, count);
    }
}

void launchJointInformation(const Launch& launch, mutualinfo::WeightPrecision precision, BlockPanels block,
                            const JointTask& task) {
    switch (precision) {
        case mutualinfo::WeightPrecision::Float16:
            return launchBlocks<Float16Numbers>(launch, block, task);
        case mutualinfo::WeightPrecision::Tf32:
            return launchBlocks<Tf32Numbers>(launch, block, task);
        case mutualinfo::WeightPrecision::Float32:
            return launchBlocks<Float32Numbers>(launch, block, task);
        default:
            return launchBlocks<Float64Numbers>(launch, block, task);
    }
}

}  // namespace glycine::cuda
