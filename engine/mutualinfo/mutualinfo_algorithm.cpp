#include "engine/mutualinfo/mutualinfo_algorithm.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/core/configuration.hpp"
#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo {

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
            request.precision = fromString<Precision>(configuration.numberFormat);
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
