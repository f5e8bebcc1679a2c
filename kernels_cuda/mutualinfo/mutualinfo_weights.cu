#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/mutualinfo/positions.cuh"
#include "kernels_cuda/mutualinfo/weight_numbers.cuh"

/// Computes stacked weighting matrices.
namespace glycine::cuda {

namespace {

constexpr unsigned kLanes = 32;
/// Genes per block: neighbours, whose positions are adjacent.
constexpr unsigned kGenesABlock = 8;
/// Up to this order, the weights of a sample stay in registers or close to them.
constexpr unsigned kUsualOrder = 8;
constexpr unsigned kMaxOrder = 128;

struct WeightTask {
    mutualinfo::SplineShape splines;
    PositionBlock block;
    unsigned samples;  ///< samples to write; those after the end of the block are zero
    WeightPanels layout;
    unsigned panels;
};

/// Rounds weights to multiples of a unit. The largest weight is adjusted so that the sum stays 1, which
/// leaves no rest for bins without weight.
__device__ inline void roundToUnits(double* weights, unsigned count, double unitsOfOne) {
    unsigned largest = 0;
    double rest = 1;
    for (unsigned i = 0; i < count; ++i) {
        weights[i] = rint(weights[i] * unitsOfOne) / unitsOfOne;
        rest -= weights[i];
        if (weights[i] > weights[largest]) largest = i;
    }
    weights[largest] += rest;
}

/// A warp per gene and a thread per sample, so that 32 neighbouring elements of each bin are written
/// together.
template <class Numbers, unsigned mostOrder>
__global__ void __launch_bounds__(kLanes* kGenesABlock)
    weightsKernel(WeightTask task, typename Numbers::Element* panels) {
    constexpr unsigned kStepElements = kStepBytes / sizeof(typename Numbers::Element);
    const WeightPanels& layout = task.layout;
    const unsigned gene = blockIdx.y * kGenesABlock + threadIdx.y;
    const unsigned s = blockIdx.x * kLanes + threadIdx.x;
    if (gene >= task.panels * layout.genes || s >= task.samples) return;
    double weights[mostOrder];
    unsigned first = 0;
    unsigned count = 0;
    if (gene < task.block.genes && s < task.block.samples) {
        const double z = positionAt(task.block, s, gene);
        if (isPlaced(z, task.splines)) {
            first = evaluateSplines(task.splines, z, weights);
            count = task.splines.order;
            if (layout.lacksLastBin && Numbers::kUnitsOfOne > 0)
                roundToUnits(weights, count, Numbers::kUnitsOfOne);
        }
    }
    const unsigned sample = task.block.firstSample + s;
    const std::size_t panel = std::size_t(sample / kStepElements) * task.panels + gene / layout.genes;
    const unsigned slot = gene % layout.genes;
    typename Numbers::Element* rows = panels + panel * layout.side * kStepElements;
    const unsigned vector = sample % kStepElements / Numbers::kElements;
    const auto put = [&](unsigned row, double weight) {
        rows[row * kStepElements + placeOfVector(row, vector) * Numbers::kElements +
             sample % Numbers::kElements] = Numbers::round(weight);
    };
    for (unsigned bin = 0; bin < layout.bins; ++bin) {
        // Wraps around for bins before the first.
        const unsigned i = bin - first;
        put(slot * layout.bins + bin, i < count ? weights[i] : 0.0);
    }
    const bool isLastOfPanel = slot + 1 == layout.genes;
    if (isLastOfPanel)
        for (unsigned row = layout.genes * layout.bins; row < layout.side; ++row) put(row, 0.0);
}

template <class Numbers>
void launchWeightsOf(const Launch& launch, const WeightTask& task, void* panels) {
    const unsigned genes = task.panels * task.layout.genes;
    const dim3 blocks((task.samples + kLanes - 1) / kLanes, (genes + kGenesABlock - 1) / kGenesABlock);
    const auto kernel = task.splines.order <= kUsualOrder ? weightsKernel<Numbers, kUsualOrder>
                                                          : weightsKernel<Numbers, kMaxOrder>;
    kernel<<<blocks, dim3(kLanes, kGenesABlock), 0, launch.stream>>>(
        task, static_cast<typename Numbers::Element*>(panels));
    checkLaunch("weights");
}

constexpr unsigned kVectorsARow = unsigned(kStepBytes / sizeof(uint4));

/// One block per panel, four threads per row.
template <class Numbers>
__global__ void marginalsKernel(const uint4* panels, unsigned steps, unsigned side, double* marginals) {
    const unsigned vectors = side * kVectorsARow;
    double sum = 0;
    for (unsigned step = 0; step < steps; ++step) {
        const std::size_t panel = std::size_t(step) * gridDim.x + blockIdx.x;
        typename Numbers::Element weights[Numbers::kElements];
        unpack<Numbers>(panels[panel * vectors + threadIdx.x], weights);
        for (const typename Numbers::Element weight : weights) sum += double(weight);
    }
    sum += __shfl_xor_sync(kFullWarp, sum, 1);
    sum += __shfl_xor_sync(kFullWarp, sum, 2);
    if (threadIdx.x % kVectorsARow == 0)
        marginals[std::size_t(blockIdx.x) * side + threadIdx.x / kVectorsARow] = sum;
}

/// Subtracts from each row its mean over all samples, rounded to a unit, so that the weights need no
/// rounding.
template <class Numbers>
__global__ void centreKernel(uint4* panels, unsigned steps, unsigned side, unsigned samples,
                             const double* marginals) {
    constexpr unsigned stepElements = kVectorsARow * Numbers::kElements;
    const unsigned row = threadIdx.x / kVectorsARow;
    const unsigned first = placeOfVector(row, threadIdx.x % kVectorsARow) * Numbers::kElements;
    constexpr double units = Numbers::kUnitsOfOne;
    const double mean = rint(marginals[std::size_t(blockIdx.x) * side + row] / samples * units) / units;
    for (unsigned step = 0; step < steps; ++step) {
        uint4& vector =
            panels[(std::size_t(step) * gridDim.x + blockIdx.x) * side * kVectorsARow + threadIdx.x];
        typename Numbers::Element weights[Numbers::kElements];
        unpack<Numbers>(vector, weights);
        for (unsigned e = 0; e < Numbers::kElements; ++e) {
            if (step * stepElements + first + e >= samples) continue;
            weights[e] = Numbers::round(double(weights[e]) - mean);
        }
        memcpy(&vector, weights, sizeof vector);
    }
}

/// p log₂ p.
__device__ inline double sizeTimesLog(double p) {
    return p > 0 ? p * log2(p) : 0;
}

/// A thread per gene.
__global__ void negativeEntropiesKernel(WeightPanels layout, unsigned genes, double samples,
                                        const double* marginals, double* entropies) {
    const unsigned gene = blockIdx.x * blockDim.x + threadIdx.x;
    if (gene >= genes) return;
    const double* ofGene =
        marginals + std::size_t(gene / layout.genes) * layout.side + gene % layout.genes * layout.bins;
    double last = 1;
    double sum = 0;
    for (unsigned bin = 0; bin < layout.bins; ++bin) {
        const double p = ofGene[bin] / samples;
        sum += sizeTimesLog(p);
        last -= p;
    }
    entropies[gene] = sum + sizeTimesLog(last);
}

}  // namespace

std::size_t elementBytes(mutualinfo::WeightPrecision precision) {
    switch (precision) {
        case mutualinfo::WeightPrecision::Float16:
            return sizeof(Float16Numbers::Element);
        case mutualinfo::WeightPrecision::Float32:
        case mutualinfo::WeightPrecision::Tf32:
            return sizeof(float);
        default:
            return sizeof(double);
    }
}

void launchWeights(const Launch& launch, mutualinfo::WeightPrecision precision,
                   const mutualinfo::SplineShape& splines, const PositionBlock& block, bool isLast,
                   const WeightPanels& layout, void* panels) {
    const unsigned stepElements = unsigned(kStepBytes / elementBytes(precision));
    const unsigned end = block.firstSample + block.samples;
    const unsigned written = isLast ? (end + stepElements - 1) / stepElements * stepElements : end;
    const WeightTask task{splines, block, written - block.firstSample, layout,
                          unsigned(layout.panels(block.genes))};
    switch (precision) {
        case mutualinfo::WeightPrecision::Float16:
            return launchWeightsOf<Float16Numbers>(launch, task, panels);
        case mutualinfo::WeightPrecision::Tf32:
            return launchWeightsOf<Tf32Numbers>(launch, task, panels);
        case mutualinfo::WeightPrecision::Float32:
            return launchWeightsOf<Float32Numbers>(launch, task, panels);
        default:
            return launchWeightsOf<Float64Numbers>(launch, task, panels);
    }
}

void launchMarginals(const Launch& launch, mutualinfo::WeightPrecision precision, const WeightPanels& layout,
                     std::size_t panelCount, std::size_t steps, const void* panels, double* marginals) {
    const auto kernel = precision == mutualinfo::WeightPrecision::Float16 ? marginalsKernel<Float16Numbers>
                        : precision == mutualinfo::WeightPrecision::Tf32  ? marginalsKernel<Tf32Numbers>
                                                                          : marginalsKernel<Float64Numbers>;
    kernel<<<unsigned(panelCount), layout.side * kVectorsARow, 0, launch.stream>>>(
        static_cast<const uint4*>(panels), unsigned(steps), layout.side, marginals);
    checkLaunch("marginals");
}

void launchCentring(const Launch& launch, mutualinfo::WeightPrecision precision, const WeightPanels& layout,
                    std::size_t panelCount, std::size_t steps, std::size_t samples, void* panels,
                    const double* marginals) {
    const auto kernel = precision == mutualinfo::WeightPrecision::Float16 ? centreKernel<Float16Numbers>
                                                                          : centreKernel<Tf32Numbers>;
    kernel<<<unsigned(panelCount), layout.side * kVectorsARow, 0, launch.stream>>>(
        static_cast<uint4*>(panels), unsigned(steps), layout.side, unsigned(samples), marginals);
    checkLaunch("centred weights");
}

void launchNegativeEntropies(const Launch& launch, const WeightPanels& layout, std::size_t panelCount,
                             std::size_t samples, const double* marginals, double* entropies) {
    constexpr unsigned threads = 128;
    const unsigned genes = unsigned(panelCount) * layout.genes;
    negativeEntropiesKernel<<<(genes + threads - 1) / threads, threads, 0, launch.stream>>>(
        layout, genes, double(samples), marginals, entropies);
    checkLaunch("entropies of genes");
}

}  // namespace glycine::cuda
