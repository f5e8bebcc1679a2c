#include "engine/mutualinfo/information_engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/core/configuration.hpp"

namespace glycine::mutualinfo {

ImplementationList<InformationEngine>& correlationEngines() {
    static ImplementationList<InformationEngine> all{reference::correlationEngine(),
                                                     cpu::correlationEngine()};
    return all;
}

const ImplementationList<InformationEngine>& informationEngines(Estimator estimator) {
    return isCorrelation(estimator) ? correlationEngines() : implementations<InformationEngine>();
}

InformationRequest requestFor(ExpressionView expression, const MutualInformationOptions& options) {
    return {.variant = options.variant,
            .precision = options.precision,
            .genes = expression.rows(),
            .samples = expression.columns(),
            .splines = withImplied(options.splines),
            .onDevice = options.onDevice};
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

namespace {

class MutualInformationAlgorithm : public Algorithm {
  public:
    std::string_view name() const override { return "mutualinfo"; }
    std::string_view summary() const override {
        return "Computes the mutual information between all pairs of genes, with B-splines";
    }
    std::string_view source() const override {
        return "H. Shi et al., Parallel mutual information estimation for inferring gene regulatory networks "
               "on GPUs, BMC Research Notes 4:189 (2011)";
    }

    std::vector<VariantInfo> variants() const override {
        std::vector<VariantInfo> all = allVariants(informationEngines());
        for (VariantInfo& info : allVariants(informationEngines(Estimator::Pearson)))
            all.push_back(std::move(info));
        return all;
    }

    Support supports(Backend& backend, const Configuration& configuration,
                     const Dimensions& dimensions) const override {
        InformationRequest request{.precision = usualPrecision(backend),
                                   .genes = dimension(dimensions, "genes"),
                                   .samples = dimension(dimensions, "samples")};
        if (!configuration.variant.empty()) request.variant = fromString<Variant>(configuration.variant);
        request.splines.estimator = usualEstimator(request.variant);
        if (!configuration.numberFormat.empty())
            request.precision = fromString<WeightPrecision>(configuration.numberFormat);
        const Support support = supportsRequest(backend, request);
        // That a backend has no correlations does not tell which variant was asked for.
        if (!support && isCorrelation(request.splines.estimator) &&
            support.reason().find(configuration.variant) == std::string::npos)
            return Support::no(fmt::format("{}: {}", configuration.variant, support.reason()));
        return support;
    }
};

}  // namespace

const Algorithm& algorithm() {
    static const MutualInformationAlgorithm algorithm;
    return algorithm;
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
