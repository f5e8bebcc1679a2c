#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/tiling.hpp"

/// Layout `Bits128`: rows of bits. A texel of RGBA32UI holds 128 bits of one plane of one instance.
///
/// Instances are grouped by eight, because a fragment compares eight with eight. They lie side by side in a
/// texel row, so that a fragment's next texel is next in memory. Bit k of plane p of instance i lies in
///
///     y          i div 8
///     x          ((k div 128)·planes + p)·8 + i mod 8
///     component  (k mod 128) div 32
///     bit        k mod 32
///
/// Instances are padded to a multiple of 8 and bits to a multiple of 128, with zeros.
namespace glycine::layout {

inline constexpr std::size_t kBitsPerTexel = 128;
inline constexpr std::size_t kInstancesPerTexelRow = 8;

/// Size of bit planes in this layout.
struct Bits128Shape {
    std::size_t instances = 0;  ///< without padding
    std::size_t bits = 0;       ///< per plane and instance, without padding
    std::size_t planes = 1;
    std::size_t groups() const { return roundUp(bits, kBitsPerTexel) / kBitsPerTexel; }
    std::size_t width() const { return groups() * planes * kInstancesPerTexelRow; }  ///< texels
    std::size_t height() const {
        return roundUp(instances, kInstancesPerTexelRow) / kInstancesPerTexelRow;  ///< texels
    }
    std::size_t words() const { return width() * height() * 4; }
    bool operator==(const Bits128Shape&) const = default;
};

/// Fills `texels` (shape.words() numbers). `plane(i, p)` points to at least 2·groups() words of 64 bits. Bit
/// b of word w is bit 64·w + b of the plane; bits past the last one must be 0.
template <class Plane>
void packBits128(const Bits128Shape& shape, const Plane& plane, std::uint32_t* texels) {
    const std::size_t groups = shape.groups();
    constexpr std::size_t kWordsWorthThreads = std::size_t{1} << 16;
#pragma omp parallel for schedule(static) if (shape.words() >= kWordsWorthThreads)
    for (std::size_t y = 0; y < shape.height(); ++y) {
        for (std::size_t lane = 0; lane < kInstancesPerTexelRow; ++lane) {
            const std::size_t instance = y * kInstancesPerTexelRow + lane;
            for (std::size_t p = 0; p < shape.planes; ++p) {
                const std::uint64_t* source = instance < shape.instances ? plane(instance, p) : nullptr;
                std::uint32_t* texel = texels + (y * shape.width() + p * kInstancesPerTexelRow + lane) * 4;
                for (std::size_t g = 0; g < groups; ++g) {
                    const std::uint64_t low = source != nullptr ? source[2 * g] : 0;
                    const std::uint64_t high = source != nullptr ? source[2 * g + 1] : 0;
                    texel[0] = static_cast<std::uint32_t>(low);
                    texel[1] = static_cast<std::uint32_t>(low >> 32);
                    texel[2] = static_cast<std::uint32_t>(high);
                    texel[3] = static_cast<std::uint32_t>(high >> 32);
                    texel += shape.planes * kInstancesPerTexelRow * 4;
                }
            }
        }
    }
}

}  // namespace glycine::layout
