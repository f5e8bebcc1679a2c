#include "engine/crossapen/crossapen_algorithm.hpp"

#include "engine/core/configuration.hpp"
#include "engine/crossapen/match_engine.hpp"
#include "engine/crossapen/membership_engine.hpp"

namespace glycine::crossapen {

namespace {

class CrossApEnAlgorithm : public Algorithm {
  public:
    std::string_view name() const override { return "crossapen"; }
    std::string_view summary() const override {
        return "Computes cross-approximate entropies of all channel pairs of EEG and MEG recordings";
    }
    std::string_view source() const override {
        return "M. Martínez-Zarzuela et al., Cross-Approximate Entropy parallel computation on GPUs for "
               "biomedical signal analysis, Computer Methods and Programs in Biomedicine 112 (2013)";
    }

    std::vector<VariantInfo> variants() const override {
        std::vector<VariantInfo> variants = allVariants(implementations<Matcher>());
        const std::vector<VariantInfo> memberships = allVariants(implementations<MembershipSummer>());
        variants.insert(variants.end(), memberships.begin(), memberships.end());
        return variants;
    }

    Support supports(Backend& backend, const Configuration& configuration,
                     const Dimensions& dimensions) const override {
        EntropyOptions options;
        if (!configuration.variant.empty()) options.variant = fromString<Variant>(configuration.variant);
        if (!configuration.numberFormat.empty())
            options.format = fromString<NumberFormat>(configuration.numberFormat);
        if (options.variant == Variant::Membership) options.measure = Measure::CrossFuzzyEn;
        return supportsEntropies(backend, options, dimension(dimensions, "channels"),
                                 dimension(dimensions, "samples"));
    }
};

}  // namespace

const Algorithm& algorithm() {
    static const CrossApEnAlgorithm algorithm;
    return algorithm;
}

}  // namespace glycine::crossapen
