#include "engine/alignment/align_algorithm.hpp"

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/configuration.hpp"

namespace glycine::align {

namespace {

class AlignAlgorithm final : public Algorithm {
  public:
    std::string_view name() const override { return "align"; }
    std::string_view summary() const override {
        return "Aligns many proteins or nucleotide sequences by the posteriors of their residue pairs";
    }
    std::string_view source() const override {
        return "Y. Liu, B. Schmidt, D. L. Maskell, \"MSAProbs\", Bioinformatics 26 (2010); A. Gudyś, S. "
               "Deorowicz, \"QuickProbs 2\", Scientific Reports 7 (2017)";
    }
    std::vector<VariantInfo> variants() const override {
        return allVariants(implementations<PosteriorEngine>());
    }

    Support supports(Backend& backend, const Configuration& configuration,
                     const Dimensions& dimensions) const override {
        if (const Support format = supportsNumberFormat(variants(), configuration); !format) return format;
        PosteriorRequest request{.sequences = dimension(dimensions, "sequences"),
                                 .longest = dimension(dimensions, "letters")};
        if (!configuration.variant.empty())
            request.variant = fromString<pairwise::Variant>(configuration.variant);
        return supportsRequest(backend, request);
    }
};

}  // namespace

const Algorithm& alignAlgorithm() {
    static const AlignAlgorithm algorithm;
    return algorithm;
}

}  // namespace glycine::align
