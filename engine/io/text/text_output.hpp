#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/storage/atomic_file.hpp"

/// Text result files: their lines, and the numbers and names in them.
namespace glycine::io {

/// A text file that is written line by line and appears with `commit`.
class BufferedText {
  public:
    explicit BufferedText(const std::filesystem::path& path) : file_(path) {}

    /// Append the next text to this; `endLine` adds the line break.
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

/// The longest text of a number.
inline constexpr std::size_t kNumberChars = 32;

/// Writes `value` to `out` and returns the end. Integers are written as such (−0 as 0), other numbers in the
/// shortest decimal form that reads back to the same number of its type. Special values are "nan", "inf",
/// "-inf", which R and pandas recognise by default.
char* writeShortest(char* out, double value);
char* writeShortest(char* out, float value);

/// Appends the same to `text`.
inline void appendShortest(std::string& text, double value) {
    char buffer[kNumberChars];
    text.append(buffer, writeShortest(buffer, value));
}

/// Appends `field` to a line of comma-separated values. It is enclosed in double quotes, with its own quotes
/// doubled, if it contains a comma, quote or line break, a semicolon or tab, which readers may take for
/// separators, or surrounding blanks, which readers may drop. Source: RFC 4180, section 2.
void appendCsvField(std::string& line, std::string_view field);

/// Appends `field` to a line of tab-separated values. Its tabs and line breaks become '_'. It is enclosed in
/// double quotes, with its own quotes doubled, if it begins with a quote or has surrounding blanks.
void appendTsvField(std::string& line, std::string_view field);

}  // namespace glycine::io
