#include "app/pairwise/scoring.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/sequences/files/read_sequences.hpp"

namespace glycine::pairwise {

PairScoring scoringOf(const ScoringRequest& request, Alphabet alphabet) {
    if (request.method == ScoringMethod::Thesis) return thesisScoring(alphabet);
    if (request.method == ScoringMethod::ClustalW) return {.method = PairMethod::ClustalW};
    const std::string name = !request.matrix.empty()  ? request.matrix
                             : isNucleotide(alphabet) ? "EDNAFULL"
                                                      : "BLOSUM62";
    PairScoring scoring{
        .method = request.method == ScoringMethod::Local ? PairMethod::Local : PairMethod::Global,
        .matrix = matrixNamed(name, alphabet)};
    const std::optional<GapPenalties> usual = defaultPenalties(scoring.matrix.name);
    if (!usual && !(request.open && request.extend))
        throw UsageError(fmt::format("no gap penalties are usual for {}; give --gap-open and --gap-extend",
                                     scoring.matrix.name));
    scoring.gaps = {request.open ? *request.open : usual->open,
                    request.extend ? *request.extend : usual->extend};
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
