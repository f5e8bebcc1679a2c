#pragma once

#include "engine/io/text/text_output.hpp"

namespace glycine::distance {

/// Writes `value` as PLINK 1.9 does: like %g, with six significant digits, but a value that lies within
/// 5·10⁻⁹ units of the last digit from the middle between two is rounded to the even one; "nan", "inf". At
/// most io::kNumberChars bytes; returns their end.
/// Source: PLINK 1.9's output, which is matched byte for byte.
char* writePlinkNumber(char* out, double value);

}  // namespace glycine::distance
