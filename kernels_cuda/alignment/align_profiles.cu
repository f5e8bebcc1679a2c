#include "kernels_cuda/alignment/profile_cells.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kScoreColumns = 32, kScoreRows = 32, kRowsAtOnce = 8;
constexpr unsigned kLanesOfWarp = 32;
constexpr unsigned kMaxPassThreads = 512;
/// Pairs per launch: the limit of a grid along z.
constexpr std::uint32_t kMaxPairs = 65535;

/// 32 × 32 scores per block.
__global__ void __launch_bounds__(kScoreColumns* kRowsAtOnce)
    profileScoresKernel(const ProfilePairTable* __restrict__ pairs) {
    // One extra number per row avoids bank conflicts: adjacent threads read the same code of adjacent
    // columns.
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

/// Calls `compute(scores, diagonal, lane, lanes)` for all anti-diagonals of a pass; their scores may be
/// copied ahead.
template <class Compute>
__device__ void throughDiagonals(const ProfilePairTable& pair, const ProfilePass& pass, int* copies,
                                 bool copiesAhead, const Compute& compute) {
    const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
    const PassScores scores(pair, pass, copies, copiesAhead);
    for (int diagonal = 0; diagonal < kDiagonalsAhead; ++diagonal) scores.copy(diagonal, lane, lanes);
    for (int diagonal = 0; diagonal <= pass.rows + pass.columns; ++diagonal) {
        scores.copy(diagonal + kDiagonalsAhead, lane, lanes);
        waitForAhead<kDiagonalsAhead>();
        compute(scores, diagonal, lane, lanes);
        __syncthreads();
    }
}

/// `isShared`: lines and scores fit in shared memory.
__global__ void __launch_bounds__(kMaxPassThreads)
    profilePassesKernel(const ProfilePairTable* __restrict__ pairs, const ProfilePass* __restrict__ passes,
                        bool isShared) {
    extern __shared__ int shared[];
    ProfilePass pass = passes[blockIdx.x];
    const ProfilePairTable pair = pairs[pass.pair];
    if (isShared) pass.lines = shared;
    throughDiagonals(pair, pass, shared + kProfileLines * (pass.columns + 1), isShared,
                     [&](const PassScores& scores, int diagonal, int lane, int lanes) {
                         computeDiagonal(pass, pair, scores, diagonal, lane, lanes);
                     });
}

__global__ void __launch_bounds__(kMaxPassThreads)
    linearPassesKernel(const ProfilePairTable* __restrict__ pairs, const LinearPass* __restrict__ passes,
                       bool isShared) {
    extern __shared__ int shared[];
    LinearPass pass = passes[blockIdx.x];
    const ProfilePairTable pair = pairs[pass.pair];
    if (isShared) pass.lines = shared;
    throughDiagonals(pair, wholePass(pass, pair), shared + kLinearLines * (pair.second.size + 1), isShared,
                     [&](const PassScores& scores, int diagonal, int lane, int lanes) {
                         computeLinearDiagonal(pass, pair, scores, diagonal, lane, lanes);
                     });
}

template <class Pass>
void launchPasses(const Launch& launch, void (*kernel)(const ProfilePairTable*, const Pass*, bool),
                  const ProfilePairTable* pairs, const Pass* passes, std::uint32_t passCount,
                  const PassSizes& most, int lines) {
    if (passCount == 0) return;
    int device = 0, mostShared = 0;
    GLYCINE_CUDA(cudaGetDevice(&device));
    GLYCINE_CUDA(cudaDeviceGetAttribute(&mostShared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    std::size_t bytes = sizeof(int) * static_cast<std::size_t>(lines + kScoreLines) * (most.columns + 1);
    const bool isShared = bytes <= static_cast<std::size_t>(mostShared);
    if (!isShared) bytes = 0;
    GLYCINE_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    const unsigned wanted = (most.diagonal + kLanesOfWarp - 1) / kLanesOfWarp * kLanesOfWarp;
    const unsigned threads = wanted < kMaxPassThreads ? wanted : kMaxPassThreads;
    kernel<<<passCount, threads, bytes, launch.stream>>>(pairs, passes, isShared);
    checkLaunch("passes over profiles");
}

}  // namespace

void launchProfileScores(const Launch& launch, const ProfilePairTable* pairs, std::uint32_t pairCount,
                         std::uint32_t mostFirst, std::uint32_t mostSecond) {
    const auto blocks = [](std::uint32_t columns, unsigned side) { return (columns + side - 1) / side; };
    for (std::uint32_t done = 0; done < pairCount; done += kMaxPairs) {
        const std::uint32_t some = pairCount - done < kMaxPairs ? pairCount - done : kMaxPairs;
        profileScoresKernel<<<dim3(blocks(mostSecond, kScoreColumns), blocks(mostFirst, kScoreRows), some),
                              dim3(kScoreColumns, kRowsAtOnce), 0, launch.stream>>>(pairs + done);
        checkLaunch("scores of profiles");
    }
}

void launchProfilePasses(const Launch& launch, const ProfilePairTable* pairs, const ProfilePass* passes,
                         std::uint32_t passCount, const PassSizes& most) {
    launchPasses(launch, profilePassesKernel, pairs, passes, passCount, most, kProfileLines);
}

void launchLinearPasses(const Launch& launch, const ProfilePairTable* pairs, const LinearPass* passes,
                        std::uint32_t passCount, const PassSizes& most) {
    launchPasses(launch, linearPassesKernel, pairs, passes, passCount, most, kLinearLines);
}

}  // namespace glycine::cuda
