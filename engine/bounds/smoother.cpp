#include "engine/bounds/smoother.hpp"

#include "engine/core/configuration.hpp"

namespace glycine::bounds {

namespace {

class BoundsAlgorithm : public Algorithm {
  public:
    std::string_view name() const override { return "bounds"; }
    std::string_view summary() const override {
        return "Tightens the bounds on the distances between a molecule's atoms by the triangle inequality";
    }
    std::string_view source() const override {
        return "P. Micikevicius, GPU Computing for Protein Structure Prediction, GPU Gems 2 (2005), chapter "
               "43";
    }

    std::vector<VariantInfo> variants() const override { return allVariants<Smoother>(); }

    Support supports(Backend& backend, const Configuration& configuration,
                     const Dimensions& dimensions) const override {
        SmoothingRequest request;
        if (!configuration.variant.empty()) request.variant = fromString<Variant>(configuration.variant);
        if (!configuration.numberFormat.empty())
            request.format = fromString<NumberFormat>(configuration.numberFormat);
        request.atoms = dimension(dimensions, "atoms");
        return supportsRequest(backend, request);
    }
};

}  // namespace

const Algorithm& algorithm() {
    static const BoundsAlgorithm algorithm;
    return algorithm;
}

Support supportsRequest(Backend& backend, const SmoothingRequest& request) {
    return glycine::supportsRequest<Smoother>(backend, request);
}

ImplementationList<Smoother>& Smoother::implementations() {
    static ImplementationList<Smoother> all{reference::smoother(), cpu::smoother()};
    return all;
}

}  // namespace glycine::bounds
