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
/// where it holds a comma, a quote or a line break, a semicolon or tab, which a reader might take for what
/// separates fields, or has blanks around it that a reader might drop. Source: RFC 4180, section 2.
void appendCsvField(std::string& line, std::string_view field);

/// Appends `field` to a line of values that tabs separate: its tabs and line breaks become '_', and it stands
/// between double quotes, with its own quotes doubled, where it begins with a quote or has blanks around it.
void appendTsvField(std::string& line, std::string_view field);

}  // namespace glycine::io
