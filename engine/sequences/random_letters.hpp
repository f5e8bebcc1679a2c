#pragma once

#include <array>
#include <cstdint>

#include "engine/core/random.hpp"
#include "engine/sequences/sequences.hpp"

/// Inside the generators of sequences: letters drawn at random.
namespace glycine {

/// How often each amino acid occurs in proteins, in tenths of a percent, in the order of the codes: A. B.
/// Robinson & L. R. Robinson, PNAS 88 (1991), rounded.
inline constexpr std::array<int, 20> kAminoAcids{78, 51, 45, 54, 19, 43, 63, 74, 22, 51,
                                                 90, 57, 22, 39, 52, 71, 58, 13, 32, 66};

/// In any unit: of nucleotides all alike.
inline int letterShare(Alphabet alphabet, std::uint8_t code) {
    return isNucleotide(alphabet) ? 1 : kAminoAcids[code];
}

inline std::uint8_t randomCode(Alphabet alphabet, RandomSequence& random) {
    if (isNucleotide(alphabet)) return static_cast<std::uint8_t>(random.below(4));
    std::size_t place = random.below(1000);
    std::uint8_t code = 0;
    for (; place >= static_cast<std::size_t>(kAminoAcids[code]); ++code)
        place -= static_cast<std::size_t>(kAminoAcids[code]);
    return code;
}

}  // namespace glycine
