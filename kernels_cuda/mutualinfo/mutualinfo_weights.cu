#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/mutualinfo/positions.cuh"
#include "kernels_cuda/mutualinfo/weight_numbers.cuh"

/// Stacked weighting matrices.
namespace glycine::cuda {

namespace {

constexpr unsigned kLanes = 32;
/// Genes of a block: neighbouring ones, whose positions lie beside each other.
constexpr unsigned kGenesABlock = 8;
/// Orders up to this keep the weights of a sample in registers or close to them.
constexpr unsigned kUsualOrder = 8;
constexpr unsigned kMostOrder = 128;

struct WeightTask {
    SplineShape splines;
    PositionBlock block;
    unsigned samples;  ///< that are written: beyond those of the block there is nothing
    PanelLayout layout;
    unsigned panels;
};

/// A warp a gene, a thread a sample: 32 neighbouring elements of each bin are written together.
template <class Numbers, unsigned mostOrder>
__global__ void __launch_bounds__(kLanes* kGenesABlock)
    weightsKernel(WeightTask task, typename Numbers::Element* panels) {
    constexpr unsigned kStepElements = kStepBytes / sizeof(typename Numbers::Element);
    const PanelLayout& layout = task.layout;
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
        }
    }
    const unsigned sample = task.block.firstSample + s;
    const std::size_t panel = std::size_t(sample / kStepElements) * task.panels + gene / layout.genes;
    const unsigned slot = gene % layout.genes;
    typename Numbers::Element* place =
        panels + (panel * layout.side + slot * layout.bins) * kStepElements + sample % kStepElements;
    for (unsigned bin = 0; bin < layout.bins; ++bin) {
        // Wraps around before the first.
        const unsigned i = bin - first;
        place[bin * kStepElements] = Numbers::round(i < count ? weights[i] : 0.0);
    }
    const bool isLastOfPanel = slot + 1 == layout.genes;
    if (isLastOfPanel)
        for (unsigned row = layout.bins; row < layout.side - slot * layout.bins; ++row)
            place[row * kStepElements] = Numbers::round(0.0);
}

template <class Numbers>
void launchWeightsOf(const Launch& launch, const WeightTask& task, void* panels) {
    const unsigned genes = task.panels * task.layout.genes;
    const dim3 blocks((task.samples + kLanes - 1) / kLanes, (genes + kGenesABlock - 1) / kGenesABlock);
    const auto kernel = task.splines.order <= kUsualOrder ? weightsKernel<Numbers, kUsualOrder>
                                                          : weightsKernel<Numbers, kMostOrder>;
    kernel<<<blocks, dim3(kLanes, kGenesABlock), 0, launch.stream>>>(
        task, static_cast<typename Numbers::Element*>(panels));
    checkLaunch("weights");
}

constexpr unsigned kVectorsARow = unsigned(kStepBytes / sizeof(double2));

/// One block a panel, four threads a row.
__global__ void marginalsKernel(const double2* panels, unsigned steps, unsigned side, double* marginals) {
    const unsigned vectors = side * kVectorsARow;
    double sum = 0;
    for (unsigned step = 0; step < steps; ++step) {
        const std::size_t panel = std::size_t(step) * gridDim.x + blockIdx.x;
        const double2 weights = panels[panel * vectors + threadIdx.x];
        sum += weights.x + weights.y;
    }
    const unsigned lane = threadIdx.x % kLanes;
    sum += __shfl_sync(kWholeWarp, sum, lane ^ 1);
    sum += __shfl_sync(kWholeWarp, sum, lane ^ 2);
    if (threadIdx.x % kVectorsARow == 0)
        marginals[std::size_t(blockIdx.x) * side + threadIdx.x / kVectorsARow] = sum;
}

}  // namespace

std::size_t elementBytes(InformationMethod format) {
    switch (format) {
        case InformationMethod::Float16:
            return sizeof(Float16Numbers::Element);
        case InformationMethod::Float32:
        case InformationMethod::Tf32:
            return sizeof(float);
        default:
            return sizeof(double);
    }
}

void launchWeights(const Launch& launch, InformationMethod format, const SplineShape& splines,
                   const PositionBlock& block, bool isLast, const PanelLayout& layout, void* panels) {
    const unsigned stepElements = unsigned(kStepBytes / elementBytes(format));
    const unsigned end = block.firstSample + block.samples;
    const unsigned written = isLast ? (end + stepElements - 1) / stepElements * stepElements : end;
    const WeightTask task{splines, block, written - block.firstSample, layout,
                          unsigned(layout.panels(block.genes))};
    switch (format) {
        case InformationMethod::Float16:
            return launchWeightsOf<Float16Numbers>(launch, task, panels);
        case InformationMethod::Tf32:
            return launchWeightsOf<Tf32Numbers>(launch, task, panels);
        case InformationMethod::Float32:
            return launchWeightsOf<Float32Numbers>(launch, task, panels);
        default:
            return launchWeightsOf<Float64Numbers>(launch, task, panels);
    }
}

void launchMarginals(const Launch& launch, const PanelLayout& layout, std::size_t panelCount,
                     std::size_t steps, const void* panels, double* marginals) {
    marginalsKernel<<<unsigned(panelCount), layout.side * kVectorsARow, 0, launch.stream>>>(
        static_cast<const double2*>(panels), unsigned(steps), layout.side, marginals);
    checkLaunch("marginals");
}

}  // namespace glycine::cuda
