#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/sequences/sequences.hpp"

namespace glycine {

/// Scores of pairs of letters, symmetric: those of code a stand in scores[a].
struct SubstitutionMatrix {
    std::string name;
    Alphabet alphabet = Alphabet::Protein;  ///< Dna: of DNA and RNA
    /// Number of codes; what is beyond is 0.
    std::size_t size = 0;
    std::array<std::array<int, kMostCodes>, kMostCodes> scores{};

    int score(std::uint8_t a, std::uint8_t b) const { return scores[a][b]; }
    bool isFor(Alphabet letters) const { return isNucleotide(letters) == isNucleotide(alphabet); }
    int highest() const;
    int lowest() const;
};
/// Of the absolute value of a score.
inline constexpr int kLargestScore = 32000;

/// The matrices that are known by name: BLOSUM30 … BLOSUM90, PAM10 … PAM500, GONNET40 … GONNET350 (as
/// ClustalW 2.1 holds them, in tenths), IUB and EDNAFULL for nucleotides, and IDENTITY (10 for equal letters,
/// else 0) for each kind.
std::vector<std::string> matrixNames(Alphabet alphabet);
/// Of these, in either case. Throws UsageError for an unknown one, or one that is not for the alphabet.
const SubstitutionMatrix& namedMatrix(std::string_view name, Alphabet alphabet);
/// Whether there is such a matrix, whatever its alphabet.
bool isMatrixName(std::string_view name);

/// `match` for equal codes, else `mismatch`: ambiguous letters match themselves alone.
SubstitutionMatrix matchMatrix(Alphabet alphabet, int match, int mismatch);

/// A matrix of the scores that are given, in either order of the letters. Letters that none is given of score
/// as X (of nucleotides N), as 'U' of proteins in any matrix; where that has none, as the lowest score.
///
/// Throws InputError, which begins with `place`, where a score of two of the 20 amino acids (four
/// nucleotides) is missing, and UsageError for scores beyond kLargestScore.
using LetterScores = std::map<std::pair<char, char>, int>;
SubstitutionMatrix matrixOf(std::string name, Alphabet alphabet, const LetterScores& scores,
                            std::string_view place);

/// The next line of a text with its end; empty after the last.
using NextLine = std::function<std::string_view()>;
/// Parses a substitution matrix in NCBI's format: lines that begin with '#' are comments; a line of letters;
/// then a line for each letter, with the letter in front or, in the order of the first line, without it.
/// Letters may stand in either case; letters that the text lacks, and the alphabet has, score as matrixOf
/// says. The matrix is called as the file `name`, without its folder.
///
/// Throws InputError with the line: letters that the alphabet lacks or that are there twice, numbers that are
/// not whole or beyond kLargestScore, lines of another length, scores that are not symmetric, a missing
/// amino acid or nucleotide.
SubstitutionMatrix parseMatrix(const std::string& name, Alphabet alphabet, const NextLine& nextLine);

/// What gaps cost, in the unit of the substitution matrix: one of k letters open + k · extend (as NCBI BLAST
/// counts; EMBOSS and ClustalW call open + extend the opening). Linear gaps have open = 0.
struct GapPenalties {
    int open = 0;    ///< 0 … kLargestPenalty
    int extend = 1;  ///< 0 … kLargestPenalty
    bool operator==(const GapPenalties&) const = default;
};
inline constexpr int kLargestPenalty = 32000;

/// What is customary for a named matrix, as far as it is in whole numbers (resources/matrices/names.txt);
/// nothing for others.
std::optional<GapPenalties> usualPenalties(std::string_view matrix);

}  // namespace glycine
