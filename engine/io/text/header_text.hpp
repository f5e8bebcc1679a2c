#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What readers of header texts share.
namespace glycine::io {

/// Without the spaces, tabs and line ends around it.
std::string_view trimBlanks(std::string_view text);

/// Whether a character moves the cursor or rings the bell, and so has no place in a name.
bool isControlCharacter(char character);

/// Bytes of a file as a message can show them: UTF-8, with question marks for control characters.
std::string printable(std::string_view bytes);

/// A number as headers of recordings spell it.
struct HeaderNumber {
    double value = 0;
    bool hasComma = false;  ///< the decimal sign is a comma: not allowed by the formats, but met in practice
};

/// Reads "12", "+1.5", "-3e-6", "-121,97". Nothing for other texts, among them those with two decimal signs,
/// infinities and NaN.
std::optional<HeaderNumber> parseHeaderNumber(std::string_view text);

}  // namespace glycine::io
