#include "kernels_cuda/align/profile_cells.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kScoreColumns = 32, kScoreRows = 32, kRowsAtOnce = 8;
constexpr unsigned kLanesOfWarp = 32;
constexpr unsigned kMostPassThreads = 512;
/// Pairs of a launch: what a grid has at most along z.
constexpr std::uint32_t kMostPairs = 65535;

/// 32 × 32 scores a block.
__global__ void __launch_bounds__(kScoreColumns* kRowsAtOnce)
    profileScoresKernel(const ProfilePairTable* __restrict__ pairs) {
    // One number more a row: threads beside each other read one code of columns beside each other.
    __shared__ int ofRows[kScoreRows][kProfileCodes], ofColumns[kScoreColumns][kProfileCodes + 1];
    const ProfilePairTable pair = pairs[blockIdx.z];
    const auto rows = static_cast<unsigned>(pair.first.size),
               columns = static_cast<unsigned>(pair.second.size);
    const unsigned firstRow = blockIdx.y * kScoreRows, firstColumn = blockIdx.x * kScoreColumns;
    if (firstRow >= rows || firstColumn >= columns) return;
    static_assert(kScoreColumns == kProfileCodes && kScoreRows == kScoreColumns);
    for (unsigned k = threadIdx.y; k < kScoreRows; k += kRowsAtOnce) {
        ofRows[k][threadIdx.x] =
            firstRow + k < rows ? pair.first.values[std::size_t(firstRow + k) * kProfileCodes + threadIdx.x]
                                : 0;
        ofColumns[k][threadIdx.x] =
            firstColumn + k < columns
                ? pair.second.values[std::size_t(firstColumn + k) * kProfileCodes + threadIdx.x]
                : 0;
    }
    __syncthreads();
    const unsigned column = firstColumn + threadIdx.x;
    if (column >= columns) return;
    for (unsigned k = threadIdx.y; k < kScoreRows && firstRow + k < rows; k += kRowsAtOnce)
        pair.scores[std::size_t(firstRow + k) * columns + column] =
            profileScore(ofRows[k], ofColumns[threadIdx.x], pair.unit);
}

__global__ void __launch_bounds__(kMostPassThreads)
    profilePassesKernel(const ProfilePairTable* __restrict__ pairs, const ProfilePass* __restrict__ passes) {
    const ProfilePass pass = passes[blockIdx.x];
    const ProfilePairTable pair = pairs[pass.pair];
    for (int diagonal = 0; diagonal <= pass.rows + pass.columns; ++diagonal) {
        computeDiagonal(pass, pair, diagonal, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
        __syncthreads();
    }
}

__global__ void __launch_bounds__(kMostPassThreads)
    linearPassesKernel(const ProfilePairTable* __restrict__ pairs, const LinearPass* __restrict__ passes) {
    const LinearPass pass = passes[blockIdx.x];
    const ProfilePairTable pair = pairs[pass.pair];
    for (int diagonal = 0; diagonal <= pair.first.size + pair.second.size; ++diagonal) {
        computeLinearDiagonal(pass, pair, diagonal, static_cast<int>(threadIdx.x),
                              static_cast<int>(blockDim.x));
        __syncthreads();
    }
}

unsigned threadsFor(std::uint32_t longestDiagonal) {
    const unsigned warps = (longestDiagonal + kLanesOfWarp - 1) / kLanesOfWarp;
    return warps * kLanesOfWarp < kMostPassThreads ? warps * kLanesOfWarp : kMostPassThreads;
}

}  // namespace

void launchProfileScores(const Launch& launch, const ProfilePairTable* pairs, std::uint32_t pairCount,
                         std::uint32_t mostFirst, std::uint32_t mostSecond) {
    const auto blocks = [](std::uint32_t columns, unsigned side) { return (columns + side - 1) / side; };
    for (std::uint32_t done = 0; done < pairCount; done += kMostPairs) {
        const std::uint32_t some = pairCount - done < kMostPairs ? pairCount - done : kMostPairs;
        profileScoresKernel<<<dim3(blocks(mostSecond, kScoreColumns), blocks(mostFirst, kScoreRows), some),
                              dim3(kScoreColumns, kRowsAtOnce), 0, launch.stream>>>(pairs + done);
        checkLaunch("scores of profiles");
    }
}

void launchProfilePasses(const Launch& launch, const ProfilePairTable* pairs, const ProfilePass* passes,
                         std::uint32_t passCount, std::uint32_t longestDiagonal) {
    if (passCount == 0) return;
    profilePassesKernel<<<passCount, threadsFor(longestDiagonal), 0, launch.stream>>>(pairs, passes);
    checkLaunch("passes over profiles");
}

void launchLinearPasses(const Launch& launch, const ProfilePairTable* pairs, const LinearPass* passes,
                        std::uint32_t passCount, std::uint32_t longestDiagonal) {
    if (passCount == 0) return;
    linearPassesKernel<<<passCount, threadsFor(longestDiagonal), 0, launch.stream>>>(pairs, passes);
    checkLaunch("linear passes over profiles");
}

}  // namespace glycine::cuda
