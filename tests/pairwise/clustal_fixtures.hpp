#pragma once

#include "engine/sequences/sequences.hpp"
#include "tests/test.hpp"

/// Sequences for which ClustalW's rules for pairs have much to decide.
namespace glycine::test {

using Letters = std::vector<std::uint8_t>;

inline Letters codesOf(Alphabet alphabet, std::string_view letters) {
    Letters codes;
    for (const char letter : letters) codes.push_back(codeOf(alphabet, letter));
    return codes;
}

/// Pairs whose best alignments have many gaps and many equally good alternatives: few letters with high
/// scores, and stretches that are removed and inserted.
inline std::vector<Letters> family(Alphabet alphabet, std::string_view letters, std::size_t length,
                                   std::size_t sequences, RandomSequence& random) {
    const auto letter = [&] { return codeOf(alphabet, letters[random.below(letters.size())]); };
    Letters ancestor(length);
    std::ranges::generate(ancestor, letter);
    const double replaced = 0.6 * random.uniform();
    const std::size_t changes = random.below(5);
    std::vector<Letters> all;
    for (std::size_t k = 0; k < sequences; ++k) {
        Letters sequence = ancestor;
        for (std::uint8_t& code : sequence)
            if (random.uniform() < replaced) code = letter();
        for (std::size_t change = 0; change < changes && sequence.size() > 2; ++change) {
            const auto at = sequence.begin() + static_cast<std::ptrdiff_t>(random.below(sequence.size()));
            const std::size_t many = 1 + random.below(length / 4 + 1);
            if (random.below(2) == 0) {
                const auto left = static_cast<std::size_t>(sequence.end() - at);
                sequence.erase(at, at + static_cast<std::ptrdiff_t>(std::min(many, left)));
            } else {
                Letters more(many);
                std::ranges::generate(more, letter);
                sequence.insert(at, more.begin(), more.end());
            }
        }
        if (sequence.empty()) sequence = ancestor;
        all.push_back(sequence);
    }
    return all;
}

struct ClustalFamily {
    Alphabet alphabet;
    std::vector<Letters> sequences;
};
/// A family of any alphabet and letters; every twentieth one is longer.
inline ClustalFamily anyFamily(int round, std::size_t sequences, RandomSequence& random) {
    constexpr std::string_view kAminoAcids[] = {"WC", "WCF", "WCFYH", "WHP", "ACDEFGHIKLMNPQRSTVWY"};
    constexpr std::string_view kNucleotides[] = {"ACGT", "AC", "ACGTN"};
    const auto alphabet = round % 3 == 2 ? Alphabet::Dna : Alphabet::Protein;
    const std::string_view letters =
        alphabet == Alphabet::Dna ? kNucleotides[random.below(3)] : kAminoAcids[random.below(5)];
    const std::size_t length = 5 + random.below(round % 20 == 0 ? 300 : 80);
    return {alphabet, family(alphabet, letters, length, sequences, random)};
}

inline Sequences sequencesOfCodes(Alphabet alphabet, const std::vector<Letters>& codes) {
    Sequences sequences;
    sequences.alphabet = alphabet;
    for (const Letters& one : codes) {
        std::string letters;
        for (const std::uint8_t code : one) letters += lettersOf(alphabet)[code];
        sequences.add("s" + std::to_string(sequences.size()), letters);
    }
    return sequences;
}

}  // namespace glycine::test
