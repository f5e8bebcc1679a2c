#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/byte_source.hpp"

namespace glycine::io {

class GzipStream;

/// Text that is read once, from the front, in pieces. gzip is recognised by its first two bytes and unpacked
/// (GzipStream); a leading UTF-8 byte order mark is skipped.
class TextStream {
  public:
    explicit TextStream(std::unique_ptr<ByteSource> source);
    TextStream(const TextStream&) = delete;
    TextStream& operator=(const TextStream&) = delete;
    ~TextStream();

    /// For messages: the name of the source.
    const std::string& name() const { return source_->name(); }
    /// Fills `target` as far as possible and returns the number of bytes. Throws InputError for damaged or
    /// truncated gzip data, and for text that begins like UTF-16 or UTF-32.
    std::size_t read(std::span<char> target);

  private:
    std::size_t readRaw(std::span<char> target);
    void begin();

    std::unique_ptr<ByteSource> source_;
    std::unique_ptr<GzipStream> gzip_;  ///< null for plain text
    std::vector<char> buffer_;
    std::span<char> pending_;  ///< unused part of the buffer
    bool hasBegun_ = false;
    std::string start_;  ///< start of the text after the byte order mark, until it is returned
};

/// UTF-8's byte order mark, which some editors and spreadsheets put before text.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

inline std::string_view withoutByteOrderMark(std::string_view text) {
    return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

/// Opens a file. Throws InputError if it cannot be read.
std::unique_ptr<TextStream> openText(const std::filesystem::path& path);

/// A part of a stream's text in memory. Views of it are valid until the next call of `grow`.
class TextWindow {
  public:
    /// `what`: what is held as a whole, however long it becomes, for messages: "a line".
    TextWindow(TextStream& stream, std::string_view what) : stream_(stream), what_(what) {}

    /// The text that was read and not dropped.
    std::string_view text() const { return {data_.get() + begin_, end_ - begin_}; }
    void drop(std::size_t bytes) { begin_ += bytes; }
    /// Reads until the text has `bytes` bytes or the stream ends. Throws what the stream throws, and
    /// MemoryError.
    void grow(std::size_t bytes);
    /// Whether the text ends with the stream's.
    bool isAtEnd() const { return isAtEnd_; }

  private:
    TextStream& stream_;
    std::string_view what_;
    std::unique_ptr<char[]> data_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool isAtEnd_ = false;
};

/// Splits text into lines.
class LineReader {
  public:
    explicit LineReader(TextStream& stream) : window_(stream, "a line") {}
    /// The next line including its '\n' (the last line may have none); empty after the last. Valid until the
    /// next call. If the first line ends with '\r' alone, all lines do.
    std::string_view next();
    /// Number of the line that `next` returned last, from 1.
    std::size_t number() const { return number_; }

    // The lines after the first one, many at once.

    /// The next `bytes` bytes or more as whole lines; the last line of the text may have no end. Empty after
    /// the last. Valid until the next call. These lines remain the next ones.
    std::string_view peek(std::size_t bytes);
    /// Passes over `lines` lines of `bytes` bytes.
    void skip(std::size_t lines, std::size_t bytes) {
        number_ += lines;
        window_.drop(bytes);
    }
    /// The last character of every line but the last one.
    char lineEnd() const { return lineEnd_; }

  private:
    void findLineEnd(std::size_t& searched);

    TextWindow window_;
    char lineEnd_ = '\n';
    std::size_t number_ = 0;
};

}  // namespace glycine::io
