#include "engine/distance/distance_algorithm.hpp"

#include "engine/core/configuration.hpp"
#include "engine/distance/pair_engine.hpp"

namespace glycine::distance {

namespace {

class DistanceAlgorithm : public Algorithm {
  public:
    std::string_view name() const override { return "distance"; }
    std::string_view summary() const override {
        return "Computes the distances between all pairs of genotypes, aligned sequences or coordinates";
    }
    std::string_view source() const override {
        return "N. A. Sinnott-Armstrong et al., Exploiting Graphics Processing Units for Computational "
               "Biology "
               "and Bioinformatics, Interdisciplinary Sciences 2 (2010)";
    }

    std::vector<VariantInfo> variants() const override { return allVariants(implementations<PairEngine>()); }

    Support supports(Backend& backend, const Configuration& configuration,
                     const Dimensions& dimensions) const override {
        PairRequest request;
        if (!configuration.variant.empty()) request.variant = fromString<Variant>(configuration.variant);
        request.shape = {.instances = dimension(dimensions, "instances"),
                         .attributes = dimension(dimensions, "attributes"),
                         .isGenotypes = true};
        const Support counts = supportsRequest(backend, request);
        if (configuration.numberFormat.empty() ? bool(counts) : configuration.numberFormat == "counts")
            return counts;
        // A variant may be for coordinates alone.
        request.isCoordinates = true;
        if (configuration.numberFormat == toString(Precision::Float64))
            request.precision = Precision::Float64;
        const Support sums = supportsRequest(backend, request);
        return sums || !configuration.numberFormat.empty() ? sums : counts;
    }
};

}  // namespace

const Algorithm& algorithm() {
    static const DistanceAlgorithm algorithm;
    return algorithm;
}

}  // namespace glycine::distance
