#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "engine/core/algorithm.hpp"
#include "engine/core/implementation.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_run.hpp"

/// Inside the algorithm: what each backend implements.
namespace glycine::mutualinfo {

/// One request, as far as it decides whether a backend can take it.
struct InformationRequest {
    Variant variant = Variant::Default;
    WeightPrecision precision = WeightPrecision::Float64;
    std::size_t genes = 0;  ///< 0, of these two: any number
    std::size_t samples = 0;
    SplineOptions splines{};
    const DeviceMatrix* onDevice = nullptr;  ///< MutualInformationOptions::onDevice
};
InformationRequest requestFor(ExpressionView expression, const MutualInformationOptions& options);

/// Finds one number for each pair of genes, in bits: their mutual information; not negative, 0 where one of
/// them is constant, NaN where no sample has both. Or their correlation. Work: pairs × samples.
using InformationRun = pairs::TileRun<double>;

/// The algorithm on one backend.
class InformationEngine {
  public:
    virtual ~InformationEngine() = default;
    static constexpr std::string_view kAlgorithm = "mutualinfo";
    static ImplementationList<InformationEngine>& implementations();
    virtual Support supports(const InformationRequest& request) const = 0;
    /// Side of the tiles that suit this backend; the caller may choose less.
    virtual std::size_t preferredTile(const InformationRequest& request) const = 0;
    /// For a request that `supports` accepted. `expression` outlives the run. Nothing is computed yet, but
    /// memory may be taken.
    virtual std::unique_ptr<InformationRun> start(ExpressionView expression,
                                                  const InformationRequest& request) = 0;
    /// Sums of the weights of each gene's samples in its bins, genes × bins, all zero of a gene that is
    /// constant. The values are in the memory of this engine's device. Nothing where it does not take them,
    /// or where some are not finite.
    virtual std::optional<Matrix<double>> sumWeights(const DeviceMatrix& /*values*/,
                                                     const SplineOptions& /*splines*/) {
        return std::nullopt;
    }
};

using InformationEngineEntry = Implementation<InformationEngine>;
/// Those that estimate mutual information, or correlations.
const ImplementationList<InformationEngine>& informationEngines(Estimator estimator = Estimator::Splines);
/// The list of those that estimate correlations, to which modules add.
ImplementationList<InformationEngine>& correlationEngines();
/// Whether `backend` can take the request; also "no" when it has no implementation at all.
Support supportsRequest(Backend& backend, const InformationRequest& request);
/// Throws UnavailableError when the backend has no implementation.
std::unique_ptr<InformationEngine> createInformationEngine(Backend& backend,
                                                           Estimator estimator = Estimator::Splines);

/// `mutualinfo` as the registry knows it.
const Algorithm& algorithm();

/// What a variant is asked for where nothing is said: Pearson's r of those that compute correlations alone.
Estimator usualEstimator(Variant variant);

// One a backend; each is defined beside its implementation.
namespace reference {
InformationEngineEntry engine();
InformationEngineEntry correlationEngine();
}  // namespace reference
namespace cpu {
InformationEngineEntry engine();
InformationEngineEntry correlationEngine();
}  // namespace cpu
namespace gl {
InformationEngineEntry engine();
InformationEngineEntry correlationEngine();
}  // namespace gl
namespace cuda {
InformationEngineEntry engine();
InformationEngineEntry correlationEngine();
}  // namespace cuda

}  // namespace glycine::mutualinfo
