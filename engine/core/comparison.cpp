#include "engine/core/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace glycine {

namespace {

/// The difference beyond `explained`, relative to the larger of the two numbers, or absolute if requested.
/// Infinite if exactly one of them is NaN.
double differenceOf(double expected, double found, double explained, bool absolute) {
    if (expected == found || (std::isnan(expected) && std::isnan(found))) return 0;
    if (std::abs(found - expected) <= explained) return 0;
    const double scale = absolute ? 1 : std::max(std::abs(found), std::abs(expected));
    const double difference = (std::abs(found - expected) - explained) / scale;
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

}  // namespace

bool Comparison::takeDifference(double expected, double found, double explained) {
    const double difference = differenceOf(expected, found, explained, isAbsolute);
    if (expected != found && !(std::isnan(expected) && std::isnan(found))) isEqual = false;
    if (difference == 0) return false;
    if (difference <= largestDifference) return false;
    largestDifference = difference;
    return true;
}

std::string Comparison::valuesText(double expected, double found) {
    return fmt::format(": {} instead of {}", found, expected);
}

void Comparison::fail(std::string reason) {
    isEqual = false;
    largestDifference = std::numeric_limits<double>::infinity();
    place = std::move(reason);
}

Comparison equalSoFar(double allowedDifference) {
    Comparison comparison;
    comparison.isEqual = true;
    comparison.allowedDifference = allowedDifference;
    return comparison;
}

std::string describeDifference(const Comparison& comparison, const std::string& unit) {
    if (comparison.allowedDifference <= 0)
        return fmt::format("differs by up to {:.2g} {}; equal bits expected", comparison.largestDifference,
                           unit);
    return fmt::format("differs by up to {:.2g} {}, {:.2g} allowed", comparison.largestDifference, unit,
                       comparison.allowedDifference);
}

}  // namespace glycine
