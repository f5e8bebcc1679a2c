#include "app/pairwise/scoring.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/sequences/files/read_sequences.hpp"

namespace glycine::pairwise {

void declareScoringOptions(Options& options, ScoringRequest& request) {
    const auto isForMatrix = [](Option& option) { option.readBy("scheme", {"matrix"}, "matrices"); };
    isForMatrix(options
                    .value("--matrix NAME", request.matrix,
                           "Substitution matrix: BLOSUM30 … BLOSUM90, PAM10 … PAM500, GONNET40 … GONNET350, "
                           "for nucleotides IUB or EDNAFULL, IDENTITY, or a file in NCBI's format")
                    .byDefault("BLOSUM62; EDNAFULL for nucleotides")
                    .basic());
    isForMatrix(options.value("--gap-open G", request.open, "Cost of opening a gap; k letters cost G + k E")
                    .within(0, kLargestPenalty)
                    .byDefault("the usual one for the matrix, if any: 11 for BLOSUM62")
                    .basic());
    isForMatrix(options.value("--gap-extend E", request.extend, "Cost of each letter of a gap; 0: none")
                    .within(0, kLargestPenalty)
                    .byDefault("the usual one for the matrix: 1 for BLOSUM62")
                    .basic());
    options
        .choice("--method M", request.method,
                "global: from end to end; local: the best alignment of parts of both (Smith-Waterman); "
                "clustalw: as in ClustalW 2.1, whose percentages --measure identity gives\n; thesis: "
                "Khaladkar's scheme: equal letters 1, others -1, each letter of a gap -2")
        .formerly("--local", "--method local")
        .formerly("--clustalw", "--method clustalw")
        .formerly("--thesis", "--method thesis")
        .basic();
}

void checkScoringOptions(const Options& declared, const ScoringRequest& request, PairMeasure measure) {
    declared.requireReaders({"scheme",
                             {request.takesMatrix() ? "matrix" : ""},
                             fmt::format("--method {} has scores of its own", toString(request.method))});
    if (measure == PairMeasure::Mismatch && request.method != ScoringMethod::Thesis)
        throw UsageError(
            "--measure mismatch needs --method thesis: other scores do not separate mismatches from gaps");
}

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
