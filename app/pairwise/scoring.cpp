#include "app/pairwise/scoring.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/sequences/files/read_sequences.hpp"

namespace glycine::pairwise {

PairScoring scoringOf(const ScoringRequest& asked, Alphabet alphabet) {
    if (asked.method == ScoringMethod::Thesis) return thesisScoring(alphabet);
    if (asked.method == ScoringMethod::ClustalW) return {.method = PairMethod::ClustalW};
    const std::string name = !asked.matrix.empty()    ? asked.matrix
                             : isNucleotide(alphabet) ? "EDNAFULL"
                                                      : "BLOSUM62";
    PairScoring scoring{
        .method = asked.method == ScoringMethod::Local ? PairMethod::Local : PairMethod::Global,
        .matrix = matrixNamed(name, alphabet)};
    const std::optional<GapPenalties> usual = defaultPenalties(scoring.matrix.name);
    if (!usual && !(asked.open && asked.extend))
        throw UsageError(fmt::format("no gap penalties are usual for {}; give --gap-open and --gap-extend",
                                     scoring.matrix.name));
    scoring.gaps = {asked.open ? *asked.open : usual->open, asked.extend ? *asked.extend : usual->extend};
    return scoring;
}

std::vector<double> diagonalOf(const Sequences& sequences, const PairwiseOptions& options) {
    if (options.measure != PairMeasure::Score)
        return std::vector<double>(sequences.size(), options.measure == PairMeasure::Identity ? 1 : 0);
    const SubstitutionMatrix& matrix = options.scoring.method == PairMethod::ClustalW
                                           ? clustalMatrix(sequences.alphabet)
                                           : options.scoring.matrix;
    std::vector<double> diagonal;
    for (const std::vector<std::uint8_t>& codes : sequences.codes) {
        double score = 0;
        for (const std::uint8_t code : codes) score += matrix.score(code, code);
        diagonal.push_back(score);
    }
    return diagonal;
}

}  // namespace glycine::pairwise
