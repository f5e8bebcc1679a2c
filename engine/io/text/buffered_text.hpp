#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "engine/storage/atomic_file.hpp"

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

    AtomicFile file_;
    std::string buffer_;
};

}  // namespace glycine::io
