#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/names.hpp"

/// Alignments of proteins and of nucleotide sequences: of all pairs, and of all sequences at once.
namespace glycine {

enum class Alphabet { Protein, Dna, Rna };
constexpr auto namesOf(Alphabet) {
    using enum Alphabet;
    return namesAre<Alphabet>("alphabet", {{Protein, "protein"}, {Dna, "dna"}, {Rna, "rna"}});
}
constexpr bool isNucleotide(Alphabet alphabet) {
    return alphabet != Alphabet::Protein;
}

/// Codes are below it, in every alphabet.
inline constexpr std::size_t kMostCodes = 32;
/// A gap, where sequences are aligned.
inline constexpr std::uint8_t kGapCode = 30;
/// No letter of the alphabet.
inline constexpr std::uint8_t kNoCode = 31;

/// The letters of an alphabet in the order of their codes. Proteins: those of substitution matrices first,
/// then J (I or L), U (selenocysteine) and O (pyrrolysine), which matrices score as X. Nucleotides: the codes
/// of IUPAC; T and U have one code.
std::string_view lettersOf(Alphabet alphabet);
/// Number of the letters that stand for one residue (20, 4): the first codes.
std::size_t definiteCodes(Alphabet alphabet);
/// Of a letter in either case; '?' is X or N, of nucleotides 'X' is N, too; '-' and '.' are kGapCode. kNoCode
/// for others.
std::uint8_t codeOf(Alphabet alphabet, char letter);

/// Sequences that are, or are to be, aligned.
struct Sequences {
    Alphabet alphabet = Alphabet::Protein;
    std::vector<std::string> names;    ///< unique, none empty
    std::vector<std::string> letters;  ///< in upper case, as they were read; gaps only where they are aligned
    std::vector<std::vector<std::uint8_t>> codes;  ///< of the letters, one each

    std::size_t size() const { return letters.size(); }
    std::size_t longest() const;
    /// All letters of all sequences.
    std::size_t total() const;
    /// Takes letters of its alphabet; their codes follow from them.
    void add(std::string name, std::string upperCaseLetters);
};

/// What letters are, going by how often each character occurs: nucleotides where IUPAC defines all of them
/// for nucleotides and at least 85 % are A, C, G, T, U or N; of these RNA where there is U and no T.
class AlphabetGuess {
  public:
    void count(std::string_view letters);
    Alphabet alphabet() const;

  private:
    std::size_t counts_[256] = {};
};

/// Sequences made of letters alone, for computations and tests. Throws InputError for a letter that the
/// alphabet lacks.
Sequences sequencesOf(const std::vector<std::string>& letters, std::optional<Alphabet> alphabet = {});

}  // namespace glycine
