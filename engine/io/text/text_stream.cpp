#include "engine/io/text/text_stream.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::io {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
constexpr std::string_view kGzipMagic = "\x1f\x8b";

bool startsAsGzip(std::span<const char> bytes) {
    return bytes.size() >= kGzipMagic.size() &&
           std::equal(kGzipMagic.begin(), kGzipMagic.end(), bytes.begin());
}

}  // namespace

struct TextStream::Inflater {
    z_stream stream{};
    std::uint64_t packed = 0;    ///< bytes consumed so far
    std::uint64_t unpacked = 0;  ///< bytes produced so far

    explicit Inflater(const std::string& name) {
        constexpr int kGzipOnly = 16 + MAX_WBITS;
        if (inflateInit2(&stream, kGzipOnly) != Z_OK)
            throw Error(fmt::format("{}: zlib does not start", name));
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { inflateEnd(&stream); }
};

TextStream::TextStream(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), buffer_(kBufferBytes) {
    refill();
    if (startsAsGzip(pending_)) inflater_ = std::make_unique<Inflater>(name());
}

TextStream::~TextStream() = default;

/// Keeps the pending bytes and appends bytes of the source; returns whether any were added.
bool TextStream::refill() {
    const std::size_t kept = pending_.size();
    std::copy(pending_.begin(), pending_.end(), buffer_.begin());
    const std::size_t came = source_->read(std::as_writable_bytes(std::span(buffer_).subspan(kept)));
    pending_ = {buffer_.data(), kept + came};
    return came > 0;
}

std::size_t TextStream::copy(std::span<char> target) {
    if (pending_.empty() && !refill()) return 0;
    const std::size_t count = std::min(target.size(), pending_.size());
    std::copy_n(pending_.begin(), count, target.begin());
    pending_ = pending_.subspan(count);
    return count;
}

/// Returns the output of one zlib call, which may be empty before the end.
std::size_t TextStream::inflatePiece(std::span<char> target) {
    z_stream& stream = inflater_->stream;
    if (pending_.empty() && !refill())
        throw InputError(fmt::format("{}: truncated gzip data: it ends after {} bytes ({} unpacked)", name(),
                                     inflater_->packed, inflater_->unpacked));
    // Check for cancellation between pieces; the file source checks only every few MiB of packed text.
    throwIfCancellationRequested();
    constexpr std::size_t kLargestPiece = std::size_t{16} << 20;
    const std::size_t room = std::min(target.size(), kLargestPiece);
    stream.next_in = reinterpret_cast<Bytef*>(pending_.data());
    stream.avail_in = static_cast<uInt>(pending_.size());
    stream.next_out = reinterpret_cast<Bytef*>(target.data());
    stream.avail_out = static_cast<uInt>(room);
    const int state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t used = pending_.size() - stream.avail_in;
    const std::size_t given = room - stream.avail_out;
    pending_ = pending_.subspan(used);
    inflater_->packed += used;
    inflater_->unpacked += given;
    if (state == Z_STREAM_END)
        finishMember();
    else if (state != Z_OK && state != Z_BUF_ERROR)
        throw InputError(fmt::format("{}: damaged gzip data near byte {}: {}", name(), inflater_->packed,
                                     stream.msg != nullptr ? stream.msg : "preset dictionary"));
    return given;
}

void TextStream::finishMember() {
    if (pending_.size() < kGzipMagic.size()) refill();
    if (startsAsGzip(pending_))
        inflateReset(&inflater_->stream);
    else
        isFinished_ = true;
}

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
    std::size_t filled = 0;
    while (filled < target.size() && !isFinished_) {
        const std::span<char> rest = target.subspan(filled);
        if (inflater_ != nullptr) {
            filled += inflatePiece(rest);
        } else {
            const std::size_t count = copy(rest);
            isFinished_ = count == 0;
            filled += count;
        }
    }
    return filled;
}

std::unique_ptr<TextStream> openText(const std::filesystem::path& path) {
    return std::make_unique<TextStream>(openFile(path));
}

void LineReader::findLineEnd(std::size_t& searched) {
    const std::size_t first = buffer_.find_first_of("\r\n", searched);
    if (first == std::string::npos || buffer_[first] == '\n') return;
    const std::size_t next = buffer_.find_first_not_of('\r', first);
    if (next == std::string::npos ? !isAtEnd_ : buffer_[next] == '\n') return;
    lineEnd_ = '\r';
}

std::string_view LineReader::next() {
    std::size_t searched = begin_;
    for (;;) {
        if (number_ == 0) findLineEnd(searched);
        const std::size_t end = buffer_.find(lineEnd_, searched);
        if (end != std::string::npos || isAtEnd_) {
            const std::string_view line =
                std::string_view(buffer_).substr(begin_, end == std::string::npos ? end : end + 1 - begin_);
            begin_ += line.size();
            number_ += line.empty() ? 0 : 1;
            return line;
        }
        buffer_.erase(0, begin_);
        begin_ = 0;
        const std::size_t filled = buffer_.size();
        searched = buffer_.find_last_not_of('\r') + 1;  // '\r' may be the first half of an end
        // A line is held as a whole, however long it becomes.
        constexpr std::size_t kLong = std::size_t{64} << 20;
        if (filled >= kLong && filled + kBufferBytes > buffer_.capacity())
            requireHostMemory(fmt::format("{}: a line of more than {}", stream_.name(), formatBytes(filled)),
                              3.0 * static_cast<double>(filled));
        buffer_.resize(filled + kBufferBytes);
        const std::size_t came = stream_.read(std::span(buffer_).subspan(filled));
        buffer_.resize(filled + came);
        isAtEnd_ = came < kBufferBytes;
    }
}

}  // namespace glycine::io
