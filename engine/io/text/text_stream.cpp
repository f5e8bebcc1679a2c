#include "engine/io/text/text_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/gzip_stream.hpp"

namespace glycine::io {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

}  // namespace

TextStream::TextStream(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), buffer_(kBufferBytes) {
    pending_ = {buffer_.data(), source_->read(std::as_writable_bytes(std::span(buffer_)))};
    if (!startsAsGzip(pending_)) return;
    buffer_.resize(pending_.size());
    gzip_ = std::make_unique<GzipStream>(*source_, std::move(buffer_));
}

TextStream::~TextStream() = default;

void TextStream::begin() {
    hasBegun_ = true;
    start_.resize(kByteOrderMark.size());
    start_.resize(readRaw(start_));
    using namespace std::string_view_literals;
    const bool isUtf32 = start_ == "\0\0\xfe"sv;  // in big-endian order; in the other one it begins as UTF-16
    if (isUtf32 || start_.starts_with("\xff\xfe") || start_.starts_with("\xfe\xff"))
        throw InputError(fmt::format("{}: begins with the byte order mark of UTF-{}; expected text as UTF-8",
                                     name(), isUtf32 ? 32 : 16));
    if (start_ == kByteOrderMark) start_.clear();
}

std::size_t TextStream::read(std::span<char> target) {
    if (!hasBegun_) begin();
    const std::size_t count = std::min(start_.size(), target.size());
    std::copy_n(start_.begin(), count, target.begin());
    start_.erase(0, count);
    return count + (start_.empty() ? readRaw(target.subspan(count)) : 0);
}

std::size_t TextStream::readRaw(std::span<char> target) {
    if (gzip_ != nullptr) return gzip_->read(target);
    std::size_t filled = 0;
    while (filled < target.size()) {
        const std::span<char> rest = target.subspan(filled);
        if (pending_.empty()) {
            // Large pieces need no buffer.
            const bool isLarge = rest.size() >= buffer_.size();
            const std::span<char> next = isLarge ? rest : std::span(buffer_);
            const std::size_t came = source_->read(std::as_writable_bytes(next));
            if (came == 0) break;
            if (isLarge)
                filled += came;
            else
                pending_ = next.first(came);
            continue;
        }
        const std::size_t count = std::min(rest.size(), pending_.size());
        std::copy_n(pending_.begin(), count, rest.begin());
        pending_ = pending_.subspan(count);
        filled += count;
    }
    return filled;
}

std::unique_ptr<TextStream> openText(const std::filesystem::path& path) {
    return std::make_unique<TextStream>(openFile(path));
}

void TextWindow::grow(std::size_t bytes) {
    const std::size_t held = end_ - begin_;
    if (held >= bytes || isAtEnd_) return;
    if (bytes > capacity_) {
        constexpr std::size_t kLong = std::size_t{64} << 20;
        const std::size_t room = std::max(bytes + bytes / 4, 2 * held);
        if (held >= kLong)
            requireHostMemory(fmt::format("{}: {} of more than {}", stream_.name(), what_, formatBytes(held)),
                              2.0 * static_cast<double>(room));
        auto larger = std::make_unique_for_overwrite<char[]>(room);
        std::copy_n(data_.get() + begin_, held, larger.get());
        data_ = std::move(larger);
        capacity_ = room;
        begin_ = 0;
    } else if (begin_ + bytes > capacity_) {
        std::copy_n(data_.get() + begin_, held, data_.get());
        begin_ = 0;
    }
    end_ = begin_ + held;
    const std::size_t came = stream_.read({data_.get() + end_, bytes - held});
    isAtEnd_ = came < bytes - held;
    end_ += came;
}

void LineReader::findLineEnd(std::size_t& searched) {
    const std::string_view text = window_.text();
    const std::size_t first = text.find_first_of("\r\n", searched);
    if (first == std::string_view::npos || text[first] == '\n') return;
    const std::size_t next = text.find_first_not_of('\r', first);
    if (next == std::string_view::npos ? !window_.isAtEnd() : text[next] == '\n') return;
    lineEnd_ = '\r';
}

std::string_view LineReader::next() {
    std::size_t searched = 0;
    for (;;) {
        if (number_ == 0) findLineEnd(searched);
        const std::string_view text = window_.text();
        const std::size_t end = text.find(lineEnd_, searched);
        if (end != std::string_view::npos || window_.isAtEnd()) {
            const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
            window_.drop(line.size());
            number_ += line.empty() ? 0 : 1;
            return line;
        }
        searched = text.find_last_not_of('\r') + 1;  // '\r' may be the first half of an end
        window_.grow(text.size() + kBufferBytes);
    }
}

std::string_view LineReader::peek(std::size_t bytes) {
    for (;; bytes = 2 * window_.text().size()) {
        window_.grow(bytes);
        const std::string_view text = window_.text();
        if (window_.isAtEnd()) return text;
        const std::size_t end = text.rfind(lineEnd_);
        if (end != std::string_view::npos) return text.substr(0, end + 1);
    }
}

}  // namespace glycine::io
