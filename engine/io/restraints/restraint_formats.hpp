#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/restraints/restraint_file.hpp"

/// The parsers of parseRestraints, and their shared functions.
namespace glycine::io {

void parseXplor(std::string_view text, RestraintFile& file);
void parseStar(std::string_view text, RestraintFile& file);

[[noreturn]] inline void failAt(const RestraintFile& file, std::size_t line, const std::string& what) {
    throw InputError(fmt::format("{}: line {}: {}", file.name, line, what));
}

/// Parses all of `text` as a number, including "+5" and "inf".
template <class Number>
std::optional<Number> asNumber(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return number;
}

/// Upper limit in Å; no molecule is larger.
inline constexpr double kLargestRestraint = 1e5;
/// Upper limit of a restraint's weight; steps of the dynamics shrink with it.
inline constexpr double kLargestWeight = 1000;

inline double distanceAt(const RestraintFile& file, std::size_t line, std::string_view what,
                         std::string_view text) {
    const auto value = asNumber<double>(text);
    if (!value || !(*value >= 0 && *value <= kLargestRestraint))
        failAt(file, line,
               fmt::format("{} is '{}'; expected a distance in Å, from 0 to {:g}", what, excerpt(text),
                           kLargestRestraint));
    return *value;
}
inline double degreesAt(const RestraintFile& file, std::size_t line, std::string_view what,
                        std::string_view text) {
    const auto value = asNumber<double>(text);
    if (!value || !(std::abs(*value) <= 3600))
        failAt(file, line, fmt::format("{} is '{}'; expected an angle in degrees", what, excerpt(text)));
    return *value;
}
inline int residueAt(const RestraintFile& file, std::size_t line, std::string_view text) {
    const auto value = asNumber<int>(text);
    if (!value)
        failAt(file, line, fmt::format("the residue number is '{}'; expected a whole number", excerpt(text)));
    return *value;
}
inline double weightAt(const RestraintFile& file, std::size_t line, std::string_view text) {
    const auto value = asNumber<double>(text);
    if (!value || !(*value >= 0 && *value <= kLargestWeight))
        failAt(file, line,
               fmt::format("the weight is '{}'; expected a number from 0 to {:g}", excerpt(text),
                           kLargestWeight));
    return *value;
}
inline void requireOrder(const RestraintFile& file, std::size_t line, double lower, double upper) {
    if (lower > upper)
        failAt(file, line,
               fmt::format("the lower limit {:g} Å is above the upper limit {:g} Å", lower, upper));
}
/// Sets the window from `lower` upwards, through 360° if the upper limit is below. The limits alone cannot
/// distinguish a window of 350° from one of −10°.
inline void setWindow(StatedDihedral& dihedral, double lower, double upper) {
    dihedral.lower = lower;
    dihedral.upper = upper < lower ? upper + 360 * std::ceil((lower - upper) / 360) : upper;
}

}  // namespace glycine::io
