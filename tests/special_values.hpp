#pragma once

#include <limits>

/// Numbers that tests hand over where there is no number, or none that is finite.
namespace glycine::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace glycine::test
