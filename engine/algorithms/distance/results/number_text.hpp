#pragma once

#include "engine/algorithms/distance/results/result_store.hpp"
#include "engine/io/text/text_output.hpp"

/// Numbers as result files show them.
namespace glycine::distance {

using io::kNumberChars;

/// Writes `value` as io::writeShortest does, as a number of the value type.
char* writeShortest(char* out, double value, ValueType type);

/// Writes `value` as PLINK 1.9 does: like %g, with six significant digits, but a value that lies within
/// 5·10⁻⁹ units of the last digit from the middle between two is rounded to the even one; "nan", "inf".
/// Source: PLINK 1.9's output, which is matched byte for byte.
char* writePlinkNumber(char* out, double value);

}  // namespace glycine::distance
