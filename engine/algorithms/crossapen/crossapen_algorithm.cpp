#include "engine/algorithms/crossapen/crossapen_algorithm.hpp"

#include "engine/algorithms/crossapen/match_engine.hpp"
#include "engine/algorithms/crossapen/membership_engine.hpp"
#include "engine/core/configuration.hpp"

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
        std::vector<VariantInfo> variants = allVariants(matcherEntries());
        const std::vector<VariantInfo> memberships = allVariants(membershipEntries());
        variants.insert(variants.end(), memberships.begin(), memberships.end());
        return variants;
    }

    Support supports(Backend& backend, const Configuration& configuration,
                     const Dimensions& dimensions) const override {
        MatchRequest request;
        if (!configuration.variant.empty()) request.variant = parseVariant(configuration.variant);
        if (!configuration.numberFormat.empty())
            request.format = parseNumberFormat(configuration.numberFormat);
        request.channels = dimension(dimensions, "channels");
        request.samples = dimension(dimensions, "samples");
        if (request.variant != Variant::Membership)
            return supportsRequest("crossapen", matcherEntries(), backend, request);
        MembershipRequest memberships;
        memberships.variant = request.variant;
        memberships.format = request.format;
        memberships.channels = request.channels;
        memberships.samples = request.samples;
        return supportsRequest("crossapen", membershipEntries(), backend, memberships);
    }
};

}  // namespace

const Algorithm& algorithm() {
    static const CrossApEnAlgorithm algorithm;
    return algorithm;
}

}  // namespace glycine::crossapen
