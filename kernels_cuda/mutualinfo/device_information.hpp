#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/kernel_clock.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/mutualinfo/spline_shape.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

/// Mutual information of all pairs of two groups of genes, on the device.
namespace glycine::cuda {

/// How it is found.
enum class InformationMethod {
    Published,  ///< the four kernels of CUDAMI
    Float64,    ///< products of stacked weighting matrices, of numbers of this format
    Float32,
    Tf32,
    Float16,
};

/// What it is found of.
struct InformationShape {
    SplineShape splines;
    std::size_t instances = 0;  ///< genes; 0: any number
    std::size_t samples = 0;
    bool isComplete = false;  ///< every sample has all genes
};

/// Finds numbers in bits: not negative, NaN where no sample has both genes. A gene whose values are all equal
/// may be left with a trace of rounding.
class PairInformation {
  public:
    virtual ~PairInformation() = default;
    /// Takes samples of a window: two rows of words each, the positions of all genes on [0, intervals] as
    /// doubles, the low words first; NaN: missing. When all samples have come since Accumulate::No, queues
    /// what finds `results`, rows × columns of the window. `work` is told to the report by then, at the
    /// latest.
    virtual void add(const PairWindow& window, Accumulate accumulate, MatrixOnDevice<double> results,
                     double work, const Stream& stream, PacedReport& report) = 0;
    /// Seconds that the published kernels have taken so far, in their order: "weights", "scan", "self",
    /// "joint". Waits for what is queued. Empty of other methods.
    virtual std::vector<KernelClock::Time> kernelTimes() { return {}; }
};

/// Why the device does not find it so; empty where it does.
std::string whyNoInformation(const CudaBackend& backend, InformationMethod method,
                             const SplineShape& splines);
/// Device memory that it takes for windows of up to side × side genes, complete or not, their results not
/// counted.
std::size_t bytesForInformation(const CudaBackend& backend, InformationMethod method,
                                const InformationShape& shape, std::size_t side);
/// `backend` outlives the result.
std::unique_ptr<PairInformation> makeInformation(const CudaBackend& backend, InformationMethod method,
                                                 const InformationShape& shape, std::size_t side);

}  // namespace glycine::cuda
