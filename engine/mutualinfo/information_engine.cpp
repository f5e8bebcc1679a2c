#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo {

const ImplementationList<InformationEngine>& informationEngines(Estimator estimator) {
    static const ImplementationList<InformationEngine> correlations{reference::correlationEngine(),
                                                                    cpu::correlationEngine()};
    return isCorrelation(estimator) ? correlations : implementations<InformationEngine>();
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
                                    informationEngines(request.splines.estimator), backend, request);
}

std::unique_ptr<InformationEngine> createInformationEngine(Backend& backend, Estimator estimator) {
    return createImplementation(isCorrelation(estimator) ? "correlation" : "mutualinfo",
                                informationEngines(estimator), backend);
}

}  // namespace glycine::mutualinfo

namespace glycine {

template <>
ImplementationList<mutualinfo::InformationEngine>& implementations<mutualinfo::InformationEngine>() {
    static ImplementationList<mutualinfo::InformationEngine> all{mutualinfo::reference::engine(),
                                                                 mutualinfo::cpu::engine()};
    return all;
}

}  // namespace glycine
