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

/// Scores of pairs of letters, symmetric; those of code a are in scores[a].
struct SubstitutionMatrix {
    std::string name;
    Alphabet alphabet = Alphabet::Protein;  ///< Dna: for DNA and RNA
    /// Number of codes; scores of further codes are 0.
    std::size_t size = 0;
    std::array<std::array<int, kMaxCodes>, kMaxCodes> scores{};

    int score(std::uint8_t a, std::uint8_t b) const { return scores[a][b]; }
    bool isFor(Alphabet letters) const { return isNucleotide(letters) == isNucleotide(alphabet); }
    int highest() const;
    int lowest() const;
};
/// The largest absolute value of a score.
inline constexpr int kLargestScore = 32000;

/// The matrices known by name: BLOSUM30 … BLOSUM90, PAM10 … PAM500, GONNET40 … GONNET350 (as in ClustalW 2.1,
/// in tenths), IUB and EDNAFULL for nucleotides, and IDENTITY (10 for equal letters, else 0) for both kinds.
std::vector<std::string> matrixNames(Alphabet alphabet);
/// The matrix of this name, in either case. Throws UsageError for an unknown name, or for a matrix of another
/// alphabet.
const SubstitutionMatrix& namedMatrix(std::string_view name, Alphabet alphabet);
/// Whether there is such a matrix for any alphabet.
bool isMatrixName(std::string_view name);

/// `match` for equal codes, else `mismatch`: ambiguous letters match only themselves.
SubstitutionMatrix matchMatrix(Alphabet alphabet, int match, int mismatch);

/// A matrix of the given scores, in either order of the letters. Letters without scores, as 'U' of proteins
/// in any matrix, score as X (nucleotides: as N). If X has no score either, they get the lowest score.
///
/// Throws InputError, with a message that begins with `place`, if a score of two of the 20 amino acids (four
/// nucleotides) is missing, and for scores beyond kLargestScore.
using LetterScores = std::map<std::pair<char, char>, int>;
SubstitutionMatrix matrixOf(std::string name, Alphabet alphabet, const LetterScores& scores,
                            std::string_view place);

/// Returns the next line of a text with its end; empty after the last line.
using NextLine = std::function<std::string_view()>;
/// Parses a substitution matrix in NCBI's format. Lines that begin with '#' are comments. A line of letters
/// follows, then one line per letter, with the letter in front or, in the order of the first line, without
/// it. Letters may be in either case. Letters of the alphabet that the text lacks score as in matrixOf. The
/// matrix gets the file name of `name`, without its folder.
///
/// Throws InputError with the line for letters that are unknown or repeated, numbers that are not integers or
/// beyond kLargestScore, lines of another length, scores that are not symmetric, and a missing amino acid or
/// nucleotide.
SubstitutionMatrix parseMatrix(const std::string& name, Alphabet alphabet, const NextLine& nextLine);

/// Gap penalties in the unit of the substitution matrix. A gap of k letters costs open + k · extend, as in
/// NCBI BLAST; EMBOSS and ClustalW call open + extend the opening. Linear gaps have open = 0.
struct GapPenalties {
    int open = 0;    ///< 0 … kLargestPenalty
    int extend = 1;  ///< 0 … kLargestPenalty
    bool operator==(const GapPenalties&) const = default;
};
inline constexpr int kLargestPenalty = 32000;

/// The customary penalties of a named matrix, if they are integers (resources/matrices/names.txt); empty for
/// others.
std::optional<GapPenalties> defaultPenalties(std::string_view matrix);

}  // namespace glycine
