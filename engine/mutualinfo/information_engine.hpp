#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "engine/core/algorithm.hpp"
#include "engine/core/implementation.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_run.hpp"

/// Internal to the algorithm: the interface that each backend implements.
namespace glycine::mutualinfo {

/// The part of a request that determines whether a backend supports it.
struct InformationRequest {
    Variant variant = Variant::Default;
    WeightPrecision precision = WeightPrecision::Float64;
    std::size_t genes = 0;  ///< 0 here or in `samples`: any number
    std::size_t samples = 0;
    SplineOptions splines{};
    const DeviceMatrix* onDevice = nullptr;  ///< MutualInformationOptions::onDevice
};
InformationRequest requestFor(ExpressionView expression, const MutualInformationOptions& options);

/// Computes one number for each pair of genes: mutual information in bits, or a correlation. Mutual
/// information is not negative, 0 if a gene is constant, and NaN if the genes have no common sample. Work:
/// pairs × samples.
using InformationRun = pairs::TileRun<double>;

/// The algorithm on one backend.
class InformationEngine {
  public:
    virtual ~InformationEngine() = default;
    static constexpr std::string_view kAlgorithm = "mutualinfo";
    static ImplementationList<InformationEngine>& implementations();
    virtual Support supports(const InformationRequest& request) const = 0;
    /// Side of the tiles that suit this backend. The caller may use less.
    virtual std::size_t preferredTile(const InformationRequest& request) const = 0;
    /// For a request that `supports` accepted. `expression` must outlive the run. Computes nothing yet, but
    /// may allocate memory.
    virtual std::unique_ptr<InformationRun> start(ExpressionView expression,
                                                  const InformationRequest& request) = 0;
    /// Sums of the weights of each gene's samples in its bins, genes × bins; all zero for a constant gene.
    /// `values` are in the memory of this engine's device. Returns nothing if the engine does not support
    /// them, or if some are not finite.
    virtual std::optional<Matrix<double>> sumWeights(const DeviceMatrix& /*values*/,
                                                     const SplineOptions& /*splines*/) {
        return std::nullopt;
    }
};

/// Engines that estimate mutual information, or correlations.
const ImplementationList<InformationEngine>& informationEngines(Estimator estimator = Estimator::Splines);
/// The list of engines that estimate correlations, to which modules add theirs.
ImplementationList<InformationEngine>& correlationEngines();
/// Whether `backend` supports the request. Also "no" if it has no implementation at all.
Support supportsRequest(Backend& backend, const InformationRequest& request);
/// Side of the tiles of a run for such a request, as the other tileSide (mutualinfo.hpp). Needs no data.
std::size_t tileSide(Backend& backend, const InformationRequest& request);
/// Throws UnavailableError if the backend has no implementation.
std::unique_ptr<InformationEngine> createInformationEngine(Backend& backend,
                                                           Estimator estimator = Estimator::Splines);

/// Static description of `mutualinfo`.
const Algorithm& algorithm();

/// The default estimator of a variant: Pearson's r for variants that compute only correlations.
Estimator defaultEstimator(Variant variant);

// One set per backend, each defined next to its implementation.
namespace reference {
Implementation<InformationEngine> engine();
Implementation<InformationEngine> correlationEngine();
}  // namespace reference
namespace cpu {
Implementation<InformationEngine> engine();
Implementation<InformationEngine> correlationEngine();
}  // namespace cpu
namespace gl {
Implementation<InformationEngine> engine();
Implementation<InformationEngine> correlationEngine();
}  // namespace gl
namespace cuda {
Implementation<InformationEngine> engine();
Implementation<InformationEngine> correlationEngine();
}  // namespace cuda

}  // namespace glycine::mutualinfo
