#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/names.hpp"

/// Proteins and nucleotide sequences: alphabets, codes, and the sequences themselves.
namespace glycine {

enum class Alphabet { Protein, Dna, Rna };
constexpr auto namesOf(Alphabet) {
    using enum Alphabet;
    return namesAre<Alphabet>("alphabet", {{Protein, "protein"}, {Dna, "dna"}, {Rna, "rna"}});
}
constexpr bool isNucleotide(Alphabet alphabet) {
    return alphabet != Alphabet::Protein;
}

/// All codes are below this, in every alphabet.
inline constexpr std::size_t kMaxCodes = 32;
/// A gap in an aligned sequence.
inline constexpr std::uint8_t kGapCode = 30;
/// Not a letter of the alphabet.
inline constexpr std::uint8_t kNoCode = 31;

/// The letters of an alphabet in the order of their codes. Proteins: those of substitution matrices first,
/// then J (I or L), U (selenocysteine) and O (pyrrolysine), which matrices score as X. Nucleotides: the IUPAC
/// codes; T and U share a code.
std::string_view lettersOf(Alphabet alphabet);
/// The number of letters that stand for one residue (20 or 4); they have the first codes.
std::size_t definiteCodes(Alphabet alphabet);
/// The code of a letter in either case. '?' is X, or N for nucleotides, where 'X' is N, too; '-' and '.' are
/// kGapCode. kNoCode for other characters.
std::uint8_t codeOf(Alphabet alphabet, char letter);

/// Sequences that are aligned or to be aligned.
struct Sequences {
    Alphabet alphabet = Alphabet::Protein;
    std::vector<std::string> names;                ///< unique, not empty
    std::vector<std::string> letters;              ///< upper case, as read; gaps only if aligned
    std::vector<std::vector<std::uint8_t>> codes;  ///< one per letter

    std::size_t size() const { return letters.size(); }
    std::size_t longest() const;
    /// The number of letters of all sequences.
    std::size_t total() const;
    /// Adds letters of the alphabet; their codes are derived.
    void add(std::string name, std::string upperCaseLetters);
};

/// Guesses the alphabet from the frequency of each character. Nucleotides, if all characters are IUPAC codes
/// of nucleotides and at least 85 % are A, C, G, T, U or N; among them RNA, if there is U and no T.
class AlphabetGuess {
  public:
    void count(std::string_view letters);
    Alphabet alphabet() const;

  private:
    std::size_t counts_[256] = {};
};

/// Sequences from letters alone, for computations and tests. Throws InputError for a letter outside the
/// alphabet.
Sequences sequencesOf(const std::vector<std::string>& letters, std::optional<Alphabet> alphabet = {});

}  // namespace glycine
