#pragma once

#include <cstddef>

#include "engine/algorithms/distance/results/result_store.hpp"

/// Numbers as result files show them.
namespace glycine::distance {

/// No number takes more characters.
inline constexpr std::size_t kNumberChars = 32;

/// Writes `value` to `out` and returns the end of what was written: whole numbers as such, others in the
/// shortest decimal form that reads back to the same number of the value type; "nan", "inf".
char* writeShortest(char* out, double value, ValueType type);

/// Writes `value` as PLINK 1.9 does: like %g, with six significant digits, but a value that lies within
/// 5·10⁻⁹ units of the last digit from the middle between two is rounded to the even one; "nan", "inf".
/// Source: PLINK 1.9's output, which is matched byte for byte.
char* writePlinkNumber(char* out, double value);

}  // namespace glycine::distance
