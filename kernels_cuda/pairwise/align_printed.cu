#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairwise/intertask_kernels.hpp"

/// The kernels of C. S. Khaladkar's thesis (University of Western Australia, 2009), figures 5.2 to 5.6, with
/// their names there. They are deliberately not optimised: their purpose is comparison.
namespace glycine::cuda::printed {

namespace {

constexpr unsigned kThreads = 16;  // NUMBER OF THREADS, in both directions

/// NUMBER OF BLOCKS in one direction; border cells count as cells.
unsigned blocksOf(unsigned letters) {
    return letters / kThreads + 1;
}

/// Figure 5.5. A row has columnCount + 1 cells.
__global__ void __launch_bounds__(kThreads* kThreads) initialiseMatrix(PrintedPair pair) {
    const unsigned x = blockIdx.x * kThreads + threadIdx.x, y = blockIdx.y * kThreads + threadIdx.y;
    if (x > pair.rowCount || y > pair.columnCount) return;
    const int gaps = y == 0 ? int(x) : x == 0 ? int(y) : 0;
    pair.matrix[x * (pair.columnCount + 1) + y] = gaps * pair.gap;
}

/// Figure 5.6: blocks whose indices add up to the LOOP NUMBER work; all others return. The thesis states no
/// order within a block. Here threads take turns by anti-diagonals, as figure 3.3 requires.
__global__ void __launch_bounds__(kThreads* kThreads) calculateMatrix(PrintedPair pair, unsigned loopNumber) {
    if (blockIdx.x + blockIdx.y != loopNumber) return;
    const unsigned x = blockIdx.x * kThreads + threadIdx.x, y = blockIdx.y * kThreads + threadIdx.y;
    const bool isCell = 0 < x && x <= pair.rowCount && 0 < y && y <= pair.columnCount;
    const unsigned width = pair.columnCount + 1, index = x * width + y;
    for (unsigned turn = 0; turn < 2 * kThreads - 1; ++turn) {
        if (isCell && threadIdx.x + threadIdx.y == turn) {
            const bool isSame = pair.rows[index / width - 1] == pair.columns[index % width - 1];
            const int topLeft = pair.matrix[index - width - 1] + (isSame ? pair.equal : pair.other);
            const int left = pair.matrix[index - 1] + pair.gap;
            const int top = pair.matrix[index - width] + pair.gap;
            pair.matrix[index] = max(topLeft, max(left, top));
        }
        __syncthreads();
    }
}

dim3 blocksOf(const PrintedPair& pair) {
    return dim3(blocksOf(pair.rowCount), blocksOf(pair.columnCount));
}

}  // namespace

}  // namespace glycine::cuda::printed

namespace glycine::cuda {

void launchInitialiseMatrix(const Launch& launch, const PrintedPair& pair) {
    using namespace printed;
    initialiseMatrix<<<blocksOf(pair), dim3(kThreads, kThreads), 0, launch.stream>>>(pair);
    checkLaunch("initialiseMatrix");
}

const void* calculateMatrixKernel() {
    return reinterpret_cast<const void*>(printed::calculateMatrix);
}

void launchCalculateMatrix(const Launch& launch, const PrintedPair& pair) {
    using namespace printed;
    const dim3 blocks = blocksOf(pair);
    for (unsigned loopNumber = 0; loopNumber < blocks.x + blocks.y - 1; ++loopNumber)
        calculateMatrix<<<blocks, dim3(kThreads, kThreads), 0, launch.stream>>>(pair, loopNumber);
    checkLaunch("calculateMatrix");
}

}  // namespace glycine::cuda
