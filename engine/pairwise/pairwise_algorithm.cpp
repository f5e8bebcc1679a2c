#include "engine/pairwise/pairwise_algorithm.hpp"

#include "engine/core/configuration.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::pairwise {

namespace {

class PairwiseAlgorithm final : public Algorithm {
  public:
    std::string_view name() const override { return "pairwise"; }
    std::string_view summary() const override {
        return "Aligns all pairs of proteins or nucleotide sequences: scores, identities, distances";
    }
    std::string_view source() const override {
        return "S. B. Needleman & C. D. Wunsch, J. Mol. Biol. 48 (1970), with affine gaps O. Gotoh, J. Mol. "
               "Biol. 162 (1982); as ClustalW's first stage: C. S. Khaladkar, University of Western "
               "Australia "
               "(2009)";
    }
    std::vector<VariantInfo> variants() const override {
        return allVariants(implementations<PairwiseEngine>());
    }

    Support supports(Backend& backend, const Configuration& configuration,
                     const Dimensions& dimensions) const override {
        PairwiseRequest request{.scoring = thesisScoring(Alphabet::Protein),
                                .sequences = dimension(dimensions, "sequences"),
                                .longest = dimension(dimensions, "letters")};
        if (!configuration.variant.empty()) request.variant = fromString<Variant>(configuration.variant);
        return supportsRequest(backend, request);
    }
};

}  // namespace

const Algorithm& pairwiseAlgorithm() {
    static const PairwiseAlgorithm algorithm;
    return algorithm;
}

}  // namespace glycine::pairwise
