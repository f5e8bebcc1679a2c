#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Shared functions of readers of header texts, and of the notes that they record.
namespace glycine::io {

/// Removes surrounding spaces, tabs and line ends.
std::string_view trimBlanks(std::string_view text);

/// Whether a character is a control character, which no name may contain.
bool isControlCharacter(char character);

/// File bytes as messages can show them: UTF-8, with question marks for control characters.
std::string printable(std::string_view bytes);

/// A number as spelled in headers of recordings.
struct HeaderNumber {
    double value = 0;
    bool hasComma = false;  ///< the decimal mark is a comma: forbidden by the formats, but found in practice
};

/// Parses "12", "+1.5", "-3e-6", "-121,97". Returns nothing for other texts, including those with two decimal
/// marks, infinities and NaN.
std::optional<HeaderNumber> parseHeaderNumber(std::string_view text);

/// One note about something that may occur a thousand times in a file: shows the first and counts the others.
class RepeatedNote {
  public:
    void add(const std::string& note) {
        if (count_++ == 0) first_ = note;
    }
    bool empty() const { return count_ == 0; }
    /// Appends "FIRST" or "FIRST (and N more)" unless there was none.
    void appendTo(std::vector<std::string>& notes) const {
        if (count_ == 1) notes.push_back(first_);
        if (count_ > 1) notes.push_back(fmt::format("{} (and {} more like it)", first_, count_ - 1));
    }

  private:
    std::size_t count_ = 0;
    std::string first_;
};

}  // namespace glycine::io
