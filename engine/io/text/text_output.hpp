#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/storage/atomic_file.hpp"

/// Result files of text: their lines, and numbers and names in them.
namespace glycine::io {

/// A text file that is written line by line and appears with `commit`.
class BufferedText {
  public:
    explicit BufferedText(const std::filesystem::path& path) : file_(path) {}

    /// What is to be written next is appended to this; `endLine` adds the line break.
    std::string& text() { return buffer_; }
    void endLine() {
        buffer_ += '\n';
        if (buffer_.size() >= kBufferBytes) flush();
    }
    void commit() {
        flush();
        file_.commit();
    }

  private:
    static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

    void flush() {
        file_.write(buffer_);
        buffer_.clear();
    }

    storage::AtomicFile file_;
    std::string buffer_;
};

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

/// Appends `field` to a line of comma-separated values: between double quotes, with its own quotes doubled,
/// where it holds a comma, a quote or a line break, or has blanks around it that a reader might drop.
/// Source: RFC 4180, section 2.
inline void appendCsvField(std::string& line, std::string_view field) {
    constexpr std::string_view kBlanks = " \t";
    const bool isPlain = field.find_first_of(",\"\r\n") == std::string_view::npos &&
                         (field.empty() || (kBlanks.find(field.front()) == std::string_view::npos &&
                                            kBlanks.find(field.back()) == std::string_view::npos));
    if (isPlain) {
        line += field;
        return;
    }
    line += '"';
    for (const char c : field) line.append(c == '"' ? 2 : 1, c);
    line += '"';
}

}  // namespace glycine::io
