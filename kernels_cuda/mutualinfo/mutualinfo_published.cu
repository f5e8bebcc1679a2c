#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/mutualinfo/information_kernels.hpp"
#include "kernels_cuda/mutualinfo/positions.cuh"

/// The four kernels of CUDAMI (H. Shi et al., BMC Research Notes 4:189, 2011, algorithms 4 and 5), in double
/// precision.
namespace glycine::cuda {

namespace {

extern __shared__ double sharedValues[];

/// Rows of a tile of kernel 4.
constexpr unsigned kTileWidth = 32;
/// Approximate number of threads of a block of kernel 1; the paper leaves Q open.
constexpr unsigned kWeightThreads = 256;
constexpr unsigned kScanThreads = 128;

/// Q × (R + k − 1) threads: one row of threads per sample. The recursion of splines is unrolled into k steps,
/// between which all values of a row are in shared memory (figure 4).
__global__ void weightingMatrixKernel(mutualinfo::SplineShape splines, PositionBlock block, unsigned samples,
                                      PublishedGenes genes) {
    const unsigned i = threadIdx.x;
    const unsigned width = blockDim.x;
    const unsigned gene = blockIdx.y;
    const unsigned s = blockIdx.x * blockDim.y + threadIdx.y;
    const bool isPresent = s < block.samples;
    const double z = isPresent ? positionAt(block, s, gene) : 0;
    const double end = splines.intervals();
    double* row = sharedValues + threadIdx.y * width;
    const double left = splines.knot(i);
    const double right = splines.knot(i + 1);
    double value = (z == end ? left < end && right == end : left <= z && z < right) ? 1 : 0;
    row[i] = value;
    __syncthreads();
    for (unsigned order = 2; order <= splines.order; ++order) {
        const bool isSpline = i + order <= width;
        if (isSpline) {
            const double lower = splines.knot(i + order - 1) - splines.knot(i);
            const double upper = splines.knot(i + order) - splines.knot(i + 1);
            value = 0;
            if (lower > 0) value += (z - splines.knot(i)) / lower * row[i];
            if (upper > 0) value += (splines.knot(i + order) - z) / upper * row[i + 1];
        }
        __syncthreads();
        if (isSpline) row[i] = value;
        __syncthreads();
    }
    if (!isPresent) return;
    const std::size_t sample = std::size_t(gene) * samples + block.firstSample + s;
    // For the integrity check, gene by gene.
    if (i == 0) genes.positions[sample] = z;
    if (i < splines.bins) genes.weights[sample * splines.bins + i] = isPlaced(z, splines) ? value : 0;
}

/// The pair of a block. Returns false if it is not needed.
__device__ inline bool pairOfBlock(const PublishedPairs& pairs, unsigned& row, unsigned& column) {
    row = pairs.firstRow + blockIdx.y;
    column = blockIdx.x;
    return !pairs.isDiagonal || column < row;
}

__global__ void scanDataKernel(PublishedPairs pairs) {
    unsigned row, column;
    if (!pairOfBlock(pairs, row, column)) return;
    const double* x = pairs.rows.positions + std::size_t(row) * pairs.samples;
    const double* y = pairs.columns.positions + std::size_t(column) * pairs.samples;
    __shared__ unsigned common;
    if (threadIdx.x == 0) common = 0;
    __syncthreads();
    unsigned found = 0;
    for (unsigned s = threadIdx.x; s < pairs.samples; s += blockDim.x) found += x[s] == x[s] && y[s] == y[s];
    atomicAdd(&common, found);
    __syncthreads();
    if (threadIdx.x == 0) *pairs.common.at(row, column) = common;
}

/// −Σ p log₂ p for p = values / total.
__device__ inline double entropyOf(const double* values, unsigned count, double total) {
    double entropy = 0;
    for (unsigned i = 0; i < count; ++i) {
        const double p = values[i] / total;
        if (p > 0) entropy -= p * log2(p);
    }
    return entropy;
}

/// R threads, one per bin.
__global__ void selfEntropyKernel(unsigned samples, PublishedGenes data) {
    const unsigned bins = blockDim.x;
    const unsigned gene = blockIdx.x;
    const double* weights = data.weights + std::size_t(gene) * samples * bins + threadIdx.x;
    double sum = 0;
    for (unsigned s = 0; s < samples; ++s) sum += weights[std::size_t(s) * bins];
    sharedValues[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    double total = 0;
    for (unsigned i = 0; i < bins; ++i) total += sharedValues[i];
    data.entropies[gene] = total > 0 ? entropyOf(sharedValues, bins, total) : 0;
}

/// One block of R × R threads per pair. Tiles of kTileWidth rows of both weighting matrices pass through
/// shared memory. Each thread sums an element of the joint table, and one of them computes the entropies.
__global__ void jointEntropyKernel(PublishedPairs pairs) {
    unsigned row, column;
    if (!pairOfBlock(pairs, row, column)) return;
    const unsigned bins = pairs.bins;
    const unsigned threads = bins * bins;
    const std::size_t matrix = std::size_t(pairs.samples) * bins;
    const double* x = pairs.rows.weights + row * matrix;
    const double* y = pairs.columns.weights + column * matrix;
    double* xTile = sharedValues;
    double* yTile = xTile + kTileWidth * bins;
    double* joint = yTile + kTileWidth * bins;
    const unsigned k = threadIdx.x / bins;
    const unsigned l = threadIdx.x % bins;
    double sum = 0;
    for (unsigned first = 0; first < pairs.samples; first += kTileWidth) {
        const unsigned rows = min(kTileWidth, pairs.samples - first);
        for (unsigned e = threadIdx.x; e < rows * bins; e += threads) {
            xTile[e] = x[std::size_t(first) * bins + e];
            yTile[e] = y[std::size_t(first) * bins + e];
        }
        __syncthreads();
        for (unsigned s = 0; s < rows; ++s) sum += xTile[s * bins + k] * yTile[s * bins + l];
        __syncthreads();
    }
    joint[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    const unsigned common = pairs.common.data == nullptr ? pairs.samples : *pairs.common.at(row, column);
    double* result = pairs.results.at(row, column);
    if (common == 0) {
        *result = __longlong_as_double(0x7ff8000000000000LL);
        return;
    }
    // Uses the entropies of single genes if both have all samples, else those of the pair's marginals.
    double xEntropy = pairs.rows.entropies[row];
    double yEntropy = pairs.columns.entropies[column];
    if (common < pairs.samples) {
        double* xSums = xTile;  // the last tile is no longer needed
        double* ySums = yTile;
        for (unsigned b = 0; b < bins; ++b) {
            xSums[b] = 0;
            ySums[b] = 0;
            for (unsigned other = 0; other < bins; ++other) {
                xSums[b] += joint[b * bins + other];
                ySums[b] += joint[other * bins + b];
            }
        }
        xEntropy = entropyOf(xSums, bins, common);
        yEntropy = entropyOf(ySums, bins, common);
    }
    *result = fmax(0.0, xEntropy + yEntropy - entropyOf(joint, threads, common));
}

dim3 pairGrid(const PublishedPairs& pairs) {
    return dim3(pairs.columnCount, pairs.rowCount);
}

}  // namespace

void launchWeightingMatrices(const Launch& launch, const mutualinfo::SplineShape& splines,
                             const PositionBlock& block, unsigned samples, const PublishedGenes& genes) {
    const unsigned width = splines.bins + splines.order - 1;
    const unsigned rows = kWeightThreads / width > 1 ? kWeightThreads / width : 1;
    weightingMatrixKernel<<<dim3((block.samples + rows - 1) / rows, block.genes), dim3(width, rows),
                            rows * width * sizeof(double), launch.stream>>>(splines, block, samples, genes);
    checkLaunch("weighting matrices");
}

void launchScanData(const Launch& launch, const PublishedPairs& pairs) {
    scanDataKernel<<<pairGrid(pairs), kScanThreads, 0, launch.stream>>>(pairs);
    checkLaunch("integrity check");
}

void launchSelfEntropies(const Launch& launch, unsigned genes, unsigned samples, unsigned bins,
                         const PublishedGenes& data) {
    selfEntropyKernel<<<genes, bins, bins * sizeof(double), launch.stream>>>(samples, data);
    checkLaunch("self entropies");
}

void launchJointEntropies(const Launch& launch, const PublishedPairs& pairs) {
    const std::size_t sharedBytes = (2 * kTileWidth + pairs.bins) * pairs.bins * sizeof(double);
    jointEntropyKernel<<<pairGrid(pairs), pairs.bins * pairs.bins, sharedBytes, launch.stream>>>(pairs);
    checkLaunch("joint entropies");
}

}  // namespace glycine::cuda
