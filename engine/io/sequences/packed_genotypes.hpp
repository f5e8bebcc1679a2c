#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace glycine::io {

/// Two bits per genotype, as in a .bed file.
enum class GenotypeCode : std::uint8_t {
    HomozygousA1 = 0,  ///< two copies of allele 1
    Missing = 1,
    Heterozygous = 2,
    HomozygousA2 = 3,  ///< no copy of allele 1
};

/// Genotypes variant by variant, as in a .bed file: four samples per byte from the low end, and every variant
/// begins a byte. Bits after the last sample are undefined. Copies share the memory.
struct PackedGenotypes {
    std::size_t samples = 0;
    std::size_t variants = 0;
    const std::uint8_t* data = nullptr;
    std::shared_ptr<const void> storage;  ///< keeps `data` alive: a mapped file or memory
    /// Throws InputError if `data` are no longer the file's original contents; empty if they cannot change.
    /// Call it after reading genotypes and before using them.
    std::function<void()> requireUnchanged{};

    static constexpr std::size_t bytesFor(std::size_t sampleCount) { return (sampleCount + 3) / 4; }
    std::size_t bytesPerVariant() const { return bytesFor(samples); }
    /// Returns bytesPerVariant() bytes.
    const std::uint8_t* variant(std::size_t index) const { return data + index * bytesPerVariant(); }
    GenotypeCode at(std::size_t variantIndex, std::size_t sample) const {
        return static_cast<GenotypeCode>(variant(variantIndex)[sample / 4] >> (2 * (sample % 4)) & 3);
    }
};

/// Marks a missing genotype among counts of allele 1.
inline constexpr std::uint8_t kMissingCopies = 255;

/// Packs one variant. copies[i] of sample i is 0, 1 or 2 copies of allele 1, or kMissingCopies. Writes
/// bytesFor(copies.size()) bytes to `packed`; bits after the last sample are 0.
inline void packGenotypes(std::span<const std::uint8_t> copies, std::uint8_t* packed) {
    // Indexed by the number of copies modulo 4, so that 255 maps to 3.
    constexpr GenotypeCode kCodes[4] = {GenotypeCode::HomozygousA2, GenotypeCode::Heterozygous,
                                        GenotypeCode::HomozygousA1, GenotypeCode::Missing};
    for (std::size_t begin = 0; begin < copies.size(); begin += 4) {
        unsigned byte = 0;
        for (std::size_t k = 0; k < 4 && begin + k < copies.size(); ++k)
            byte |= static_cast<unsigned>(kCodes[copies[begin + k] % 4]) << (2 * k);
        packed[begin / 4] = static_cast<std::uint8_t>(byte);
    }
}

}  // namespace glycine::io
