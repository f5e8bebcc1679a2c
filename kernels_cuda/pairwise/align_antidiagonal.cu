#include <algorithm>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairwise/align_cells.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kSide = kAntidiagonalSide;

__host__ __device__ unsigned blocksOf(unsigned letters) {
    return (letters + kSide - 1) / kSide;
}

/// Blocks (firstBlockRow + k, diagonal − firstBlockRow − k) of the matrix; blockIdx.x is k.
template <Recurrence kRecurrence>
__global__ void __launch_bounds__(kSide* kSide)
    antidiagonalKernel(AntidiagonalPair pair, unsigned diagonal, unsigned firstBlockRow) {
    using Number = long long;
    constexpr bool kIsLocal = kRecurrence == Recurrence::Local;
    // The block's cells; row 0 and column 0 hold the cells above and to the left.
    __shared__ Number best[kSide + 1][kSide + 1];
    __shared__ Number across[kSide];  // gaps along a row, passed from column to column
    __shared__ Number down[kSide];    // gaps along a column

    const unsigned blockRow = firstBlockRow + blockIdx.x, blockColumn = diagonal - blockRow;
    const unsigned r = threadIdx.y, c = threadIdx.x;
    const unsigned row = blockRow * kSide + r, column = blockColumn * kSide + c;
    const bool isInside = row < pair.rowCount && column < pair.columnCount;
    // At the borders of the matrix the best score is −opening, and 0 in the corner; for local alignments it
    // is 0 everywhere. All are stored minus an opening.
    const Number border = kIsLocal ? -pair.open : -2 * pair.open;
    // Blocks on one diagonal run one after another and share a corner.
    Number* const corner = pair.corners + (blockColumn + blocksOf(pair.rowCount) - 1 - blockRow);

    if (r == 0 && column < pair.columnCount) {
        const AntidiagonalBorder above =
            blockRow > 0 ? pair.lastRow[column] : AntidiagonalBorder{border, border};
        best[0][c + 1] = above.best;
        down[c] = above.gap;
    }
    // Loaded by another warp, so that both loads overlap.
    if (r == kSide / 2 && blockRow * kSide + c < pair.rowCount) {
        const AntidiagonalBorder left =
            blockColumn > 0 ? pair.lastColumn[blockRow * kSide + c] : AntidiagonalBorder{border, border};
        best[c + 1][0] = left.best;
        across[c] = left.gap;
    }
    if (r == kSide - 1 && c == 0)
        best[0][0] = blockRow > 0 && blockColumn > 0 ? *corner
                     : blockRow + blockColumn > 0    ? border
                                                     : Number(-pair.open);
    const Number earned =
        isInside ? Number(pair.table[pair.rows[row] * kAlignCodes + pair.columns[column]]) : 0;
    __syncthreads();

    Number highest = 0;
    for (unsigned step = 0; step < 2 * kSide - 1; ++step) {
        if (isInside && r + c == step) {
            const Number above = best[r][c + 1], left = best[r + 1][c];
            Number cell = best[r][c] + earned;
            if constexpr (kRecurrence == Recurrence::Linear) {
                best[r + 1][c + 1] = max(cell, max(above, left));
            } else {
                const Number extend = kIsLocal ? pair.extend : 0;
                down[c] = max(down[c], above) - extend;
                across[r] = max(across[r], left) - extend;
                cell = max(cell, max(down[c], across[r]));
                if constexpr (kIsLocal) highest = cell = max(cell, Number(0));
                best[r + 1][c + 1] = cell - pair.open;
            }
        }
        __syncthreads();
    }

    // Results are stored only by cells inside the matrix; a block below or to the right exists only if this
    // block is complete in that direction.
    if (r == kSide - 1 && isInside) pair.lastRow[column] = {best[kSide][c + 1], down[c]};
    if (c == kSide - 1 && isInside) pair.lastColumn[row] = {best[r + 1][kSide], across[r]};
    if (r == kSide - 1 && c == kSide - 1) *corner = best[kSide][kSide];
    if constexpr (kIsLocal) {
        // A warp holds two rows. The first block is alone in its launch and initialises the result.
        __shared__ Number highestOf[kSide / 2];
        for (unsigned apart = kSide; apart > 0; apart /= 2)
            highest = max(highest, __shfl_down_sync(0xffffffffU, highest, apart));
        if (r % 2 == 0 && c == 0) highestOf[r / 2] = highest;
        __syncthreads();
        if (r != 0 || c != 0) return;
        for (unsigned k = 1; k < kSide / 2; ++k) highest = max(highest, highestOf[k]);
        if (diagonal == 0)
            *pair.result = highest;
        else
            atomicMax(pair.result, highest);
    } else if (row == pair.rowCount - 1 && column == pair.columnCount - 1) {
        *pair.result = best[r + 1][c + 1];
    }
}

using Kernel = void (*)(AntidiagonalPair, unsigned, unsigned);
Kernel kernelOf(Recurrence recurrence) {
    return ofRecurrence(recurrence,
                        [](auto known) -> Kernel { return antidiagonalKernel<decltype(known)::value>; });
}

}  // namespace

std::size_t antidiagonalCorners(std::size_t rowCount, std::size_t columnCount) {
    return antidiagonalLaunches(rowCount, columnCount);
}

std::size_t antidiagonalLaunches(std::size_t rowCount, std::size_t columnCount) {
    return (rowCount + kSide - 1) / kSide + (columnCount + kSide - 1) / kSide - 1;
}

void launchAntidiagonals(const Launch& launch, Recurrence recurrence, const AntidiagonalPair& pair) {
    const unsigned rows = blocksOf(pair.rowCount), columns = blocksOf(pair.columnCount);
    const auto kernel = kernelOf(recurrence);
    for (unsigned diagonal = 0; diagonal < rows + columns - 1; ++diagonal) {
        const unsigned first = diagonal < columns ? 0 : diagonal - (columns - 1);
        const unsigned last = std::min(diagonal, rows - 1);
        kernel<<<last - first + 1, dim3(kSide, kSide), 0, launch.stream>>>(pair, diagonal, first);
        checkLaunch("an anti-diagonal of blocks");
    }
}

void sendToDevice(StreamHandle stream, const void* host, void* device, std::size_t bytes) {
    GLYCINE_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
}

void fetchFromDevice(StreamHandle stream, const void* device, void* host, std::size_t bytes) {
    GLYCINE_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    GLYCINE_CUDA(cudaStreamSynchronize(stream));
}

}  // namespace glycine::cuda
