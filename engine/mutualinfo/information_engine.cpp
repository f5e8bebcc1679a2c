#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo {

const std::vector<InformationEngineEntry>& informationEngineEntries(Estimator estimator) {
    static const std::vector<InformationEngineEntry> correlations = [] {
        std::vector<InformationEngineEntry> all;
        all.push_back(reference::correlationEngine());
        all.push_back(cpu::correlationEngine());
        return all;
    }();
    if (isCorrelation(estimator)) return correlations;
    static const std::vector<InformationEngineEntry> entries = [] {
        std::vector<InformationEngineEntry> all;
        all.push_back(reference::engine());
        all.push_back(cpu::engine());
        all.push_back(gl::engine());
#ifdef GLYCINE_HAVE_CUDA
        all.push_back(cuda::engine());
#endif
        return all;
    }();
    return entries;
}

InformationRequest requestFor(ExpressionView expression, const MutualInformationOptions& options) {
    return {.variant = options.variant,
            .precision = options.precision,
            .genes = expression.rows(),
            .samples = expression.columns(),
            .splines = withImplied(options.splines)};
}

Estimator usualEstimator(Variant variant) {
    return variant == Variant::Pairwise || variant == Variant::Products ? Estimator::Pearson
                                                                        : Estimator::Splines;
}

Support supportsRequest(Backend& backend, const InformationRequest& request) {
    return glycine::supportsRequest(isCorrelation(request.splines.estimator) ? "correlation" : "mutualinfo",
                                    informationEngineEntries(request.splines.estimator), backend, request);
}

std::unique_ptr<InformationEngine> createInformationEngine(Backend& backend, Estimator estimator) {
    return createImplementation(isCorrelation(estimator) ? "correlation" : "mutualinfo",
                                informationEngineEntries(estimator), backend);
}

}  // namespace glycine::mutualinfo
