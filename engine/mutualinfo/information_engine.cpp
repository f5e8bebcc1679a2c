#include "engine/mutualinfo/information_engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/core/configuration.hpp"

namespace glycine::mutualinfo {

namespace {

std::string_view nameOf(Estimator estimator) {
    return isCorrelation(estimator) ? "correlation" : InformationEngine::kAlgorithm;
}

}  // namespace

ImplementationList<InformationEngine>& correlationEngines() {
    static ImplementationList<InformationEngine> all{reference::correlationEngine(),
                                                     cpu::correlationEngine()};
    return all;
}

const ImplementationList<InformationEngine>& informationEngines(Estimator estimator) {
    return isCorrelation(estimator) ? correlationEngines() : InformationEngine::implementations();
}

InformationRequest requestFor(ExpressionView expression, const MutualInformationOptions& options) {
    return {.variant = options.variant,
            .precision = options.precision,
            .genes = expression.rows(),
            .samples = expression.columns(),
            .splines = withImplied(options.splines),
            .onDevice = options.onDevice};
}

Estimator defaultEstimator(Variant variant) {
    return variant == Variant::Pairwise || variant == Variant::Products ? Estimator::Pearson
                                                                        : Estimator::Splines;
}

Support supportsRequest(Backend& backend, const InformationRequest& request) {
    const Estimator estimator = request.splines.estimator;
    return glycine::supportsRequest(backend, request, informationEngines(estimator), nameOf(estimator));
}

std::unique_ptr<InformationEngine> createInformationEngine(Backend& backend, Estimator estimator) {
    return createImplementation(backend, informationEngines(estimator), nameOf(estimator));
}

const Algorithm& algorithm() {
    static const Algorithm algorithm(
        "mutualinfo", "Compute the mutual information between all pairs of genes, with B-splines",
        "H. Shi et al., Parallel mutual information estimation for inferring gene regulatory networks on "
        "GPUs, BMC Research Notes 4:189 (2011)",
        [] {
            std::vector<VariantInfo> all = allVariants<InformationEngine>();
            for (VariantInfo& info : allVariants(correlationEngines())) all.push_back(std::move(info));
            return all;
        },
        [](Backend& backend, const Configuration& configuration, const Dimensions& dimensions) {
            InformationRequest request{.precision = defaultPrecision(backend),
                                       .genes = dimension(dimensions, "genes"),
                                       .samples = dimension(dimensions, "samples")};
            if (!configuration.variant.empty()) request.variant = fromString<Variant>(configuration.variant);
            request.splines.estimator = defaultEstimator(request.variant);
            if (!configuration.numberFormat.empty())
                request.precision = fromString<WeightPrecision>(configuration.numberFormat);
            const Support support = supportsRequest(backend, request);
            // The reason of a backend without correlations does not name the requested variant.
            if (!support && isCorrelation(request.splines.estimator) &&
                support.reason().find(configuration.variant) == std::string::npos)
                return Support::no(fmt::format("{}: {}", configuration.variant, support.reason()));
            return support;
        });
    return algorithm;
}

ImplementationList<InformationEngine>& InformationEngine::implementations() {
    static ImplementationList<InformationEngine> all{reference::engine(), cpu::engine()};
    return all;
}

}  // namespace glycine::mutualinfo
