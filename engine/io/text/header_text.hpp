#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What readers of header texts share, with the notes that they take.
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

/// One note about something that a file may have a thousand times: the first is told, the others are counted.
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
