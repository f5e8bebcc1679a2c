#include "engine/sequences/sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"

namespace glycine {

namespace {

constexpr std::string_view kProteinLetters = "ARNDCQEGHILKMFPSTWYVBZX*JUO";
constexpr std::string_view kDnaLetters = "ACGTRYSWKMBDHVN";
constexpr std::string_view kRnaLetters = "ACGURYSWKMBDHVN";

using CodeTable = std::array<std::uint8_t, 256>;

constexpr void assign(CodeTable& codes, char upper, std::uint8_t code) {
    codes[static_cast<unsigned char>(upper)] = code;
    if (upper >= 'A' && upper <= 'Z') codes[static_cast<unsigned char>(upper - 'A' + 'a')] = code;
}

constexpr CodeTable codesOf(std::string_view letters, bool areNucleotides) {
    CodeTable codes{};
    codes.fill(kNoCode);
    for (std::size_t k = 0; k < letters.size(); ++k) assign(codes, letters[k], static_cast<std::uint8_t>(k));
    const auto unknown = static_cast<std::uint8_t>(letters.find(areNucleotides ? 'N' : 'X'));
    assign(codes, '?', unknown);
    if (areNucleotides) {
        assign(codes, 'X', unknown);
        assign(codes, 'T', 3);
        assign(codes, 'U', 3);
    }
    assign(codes, '-', kGapCode);
    assign(codes, '.', kGapCode);
    return codes;
}

constexpr CodeTable kProteinCodes = codesOf(kProteinLetters, false);
constexpr CodeTable kNucleotideCodes = codesOf(kDnaLetters, true);

}  // namespace

std::string_view lettersOf(Alphabet alphabet) {
    switch (alphabet) {
        case Alphabet::Dna:
            return kDnaLetters;
        case Alphabet::Rna:
            return kRnaLetters;
        case Alphabet::Protein:
            break;
    }
    return kProteinLetters;
}

std::size_t definiteCodes(Alphabet alphabet) {
    return isNucleotide(alphabet) ? 4 : 20;
}

std::uint8_t codeOf(Alphabet alphabet, char letter) {
    return (isNucleotide(alphabet) ? kNucleotideCodes : kProteinCodes)[static_cast<unsigned char>(letter)];
}

std::size_t Sequences::longest() const {
    std::size_t longest = 0;
    for (const std::string& sequence : letters) longest = std::max(longest, sequence.size());
    return longest;
}

std::size_t Sequences::total() const {
    std::size_t total = 0;
    for (const std::string& sequence : letters) total += sequence.size();
    return total;
}

void Sequences::add(std::string name, std::string upperCaseLetters) {
    std::vector<std::uint8_t>& code = codes.emplace_back(upperCaseLetters.size());
    std::transform(upperCaseLetters.begin(), upperCaseLetters.end(), code.begin(),
                   [this](char letter) { return codeOf(alphabet, letter); });
    names.push_back(std::move(name));
    letters.push_back(std::move(upperCaseLetters));
}

void AlphabetGuess::count(std::string_view letters) {
    for (const char letter : letters) ++counts_[static_cast<unsigned char>(letter)];
}

Alphabet AlphabetGuess::alphabet() const {
    const auto of = [this](char letter) {
        const char lower = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        const std::size_t upper = counts_[static_cast<unsigned char>(letter)];
        return lower == letter ? upper : upper + counts_[static_cast<unsigned char>(lower)];
    };
    std::size_t all = of('*'), usual = 0;
    bool areAllDefined = of('*') == 0;
    for (char letter = 'A'; letter <= 'Z'; ++letter) {
        all += of(letter);
        areAllDefined &= of(letter) == 0 || codeOf(Alphabet::Dna, letter) != kNoCode;
    }
    for (const char letter : std::string_view("ACGTUN")) usual += of(letter);
    if (all == 0 || !areAllDefined || usual * 100 < all * 85) return Alphabet::Protein;
    return of('U') > 0 && of('T') == 0 ? Alphabet::Rna : Alphabet::Dna;
}

Sequences sequencesOf(const std::vector<std::string>& letters, std::optional<Alphabet> alphabet) {
    if (alphabet) checkKnown(*alphabet);
    AlphabetGuess guess;
    for (const std::string& sequence : letters) guess.count(sequence);
    Sequences sequences;
    sequences.alphabet = alphabet.value_or(guess.alphabet());
    for (const std::string& sequence : letters) {
        for (const char letter : sequence)
            if (codeOf(sequences.alphabet, letter) == kNoCode)
                throw InputError(fmt::format("sequence {}: '{}' is no letter of the alphabet {}",
                                             sequences.size() + 1, letter, toString(sequences.alphabet)));
        sequences.add(fmt::format("s{}", sequences.size() + 1), sequence);
    }
    return sequences;
}

}  // namespace glycine
