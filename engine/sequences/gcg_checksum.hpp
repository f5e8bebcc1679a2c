#pragma once

#include <cstddef>
#include <string_view>

namespace glycine {

/// The checksum of a sequence in GCG's files, 0 … 9999: each character's code in upper case, times its place
/// counted from 1 to 57 over and over, modulo 10,000. Gaps count, as they are written.
///
/// Source: the program manual of the Wisconsin Package (Genetics Computer Group), "Checksums"; EMBOSS,
/// "Sequence formats", msf.
constexpr std::size_t gcgChecksum(std::string_view sequence) {
    constexpr std::size_t kCycle = 57;
    constexpr std::size_t kModulus = 10000;
    std::size_t sum = 0;
    for (std::size_t k = 0; k < sequence.size(); ++k) {
        const char c = sequence[k];
        const auto upper = static_cast<unsigned char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        sum = (sum + (k % kCycle + 1) * upper) % kModulus;
    }
    return sum;
}

}  // namespace glycine
