#include "engine/pairwise/clustal_scoring.hpp"

#include <algorithm>
#include <cmath>

namespace glycine::pairwise {

namespace {

SubstitutionMatrix scaled(const SubstitutionMatrix& matrix, int factor) {
    SubstitutionMatrix result = matrix;
    for (auto& row : result.scores)
        for (int& score : row) score *= factor;
    return result;
}

}  // namespace

const SubstitutionMatrix& clustalMatrix(Alphabet alphabet) {
    static const SubstitutionMatrix proteins = scaled(namedMatrix("GONNET250", Alphabet::Protein), 10);
    static const SubstitutionMatrix nucleotides = [] {
        SubstitutionMatrix matrix = scaled(namedMatrix("IUB", Alphabet::Dna), 100);
        const std::uint8_t c = codeOf(Alphabet::Dna, 'C');
        for (const char letter : {'M', 'N'}) {
            const std::uint8_t code = codeOf(Alphabet::Dna, letter);
            matrix.scores[c][code] = matrix.scores[code][c] = 500;
        }
        return matrix;
    }();
    return isNucleotide(alphabet) ? nucleotides : proteins;
}

GapPenalties clustalPenalties(Alphabet alphabet, std::size_t letters, std::size_t others) {
    if (isNucleotide(alphabet)) return {.open = 3000, .extend = 666};
    constexpr double kMean = 82;
    const double shorter = std::log(static_cast<double>(std::min(letters, others)));
    return {.open = static_cast<int>(2 * kMean * (10 + shorter)), .extend = 1};
}

}  // namespace glycine::pairwise
