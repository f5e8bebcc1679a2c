#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace glycine::picture {

/// 8-bit sRGB.
struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    bool operator==(const Color&) const = default;
};

/// A perceptually uniform colour map of 256 steps, dark violet over teal to light yellow. Its lightness L*
/// (CIE 1976 L*a*b*, D65) grows linearly from 12 to 92, so that it also reads right in grey and for most
/// colour-blind people.
const std::array<Color, 256>& colorMap();

/// The colour of the k-th series of a chart, from the palette of Okabe and Ito (2008), which colour-blind
/// people tell apart; it begins anew after seven.
Color seriesColor(std::size_t k);

}  // namespace glycine::picture
