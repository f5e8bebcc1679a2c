#pragma once

#include <cstddef>
#include <string>

/// Numbers as result files show them.
namespace glycine::io {

/// No number takes more characters.
inline constexpr std::size_t kNumberChars = 32;

/// Writes `value` to `out` and returns the end of what was written: whole numbers as such (−0 as 0), others
/// in the shortest decimal form that reads back to the same number of its type; "nan", "inf", "-inf", which R
/// and pandas take for missing and for infinite without being told.
char* writeShortest(char* out, double value);
char* writeShortest(char* out, float value);

/// The same behind `text`.
inline void appendShortest(std::string& text, double value) {
    char buffer[kNumberChars];
    text.append(buffer, writeShortest(buffer, value));
}

}  // namespace glycine::io
