#include "engine/io/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "engine/core/error.hpp"

namespace glycine::io {

namespace {

[[noreturn]] void fail(const std::string& path, int code) {
    throw InputError(fmt::format("{}: cannot read: {}", path, std::generic_category().message(code)));
}

class FileSource : public ByteSource {
  public:
    explicit FileSource(const std::filesystem::path& path) : name_(path.string()) {
        descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail(name_, errno);
        struct stat status {};
        const bool known = ::fstat(descriptor_, &status) == 0;
        if (!known || !S_ISREG(status.st_mode)) {
            ::close(descriptor_);
            throw InputError(
                fmt::format("{}: cannot read: it is {}; expected a regular file", name_,
                            known && S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe"));
        }
        size_ = static_cast<std::uint64_t>(status.st_size);
        (void)::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;
    ~FileSource() override { ::close(descriptor_); }

    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return size_; }
    std::size_t read(std::span<std::byte> target) override {
        constexpr std::size_t kLargestRead = std::size_t{1} << 30;
        std::size_t filled = 0;
        while (filled < target.size()) {
            const ssize_t count =
                ::read(descriptor_, target.data() + filled, std::min(target.size() - filled, kLargestRead));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail(name_, errno);
            if (count == 0) break;
            filled += static_cast<std::size_t>(count);
        }
        return filled;
    }

  private:
    std::string name_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

class MemorySource : public ByteSource {
  public:
    MemorySource(std::span<const std::byte> bytes, std::string name)
        : bytes_(bytes), name_(std::move(name)) {}
    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return bytes_.size(); }
    std::size_t read(std::span<std::byte> target) override {
        const std::size_t count = std::min(target.size(), bytes_.size() - position_);
        if (count > 0) std::memcpy(target.data(), bytes_.data() + position_, count);
        position_ += count;
        return count;
    }

  private:
    std::span<const std::byte> bytes_;
    std::string name_;
    std::size_t position_ = 0;
};

std::string inflateGzip(const std::string& packed, const std::string& name, std::uint64_t maxBytes) {
    z_stream stream{};
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw Error(fmt::format("{}: zlib does not start", name));
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);

    std::string text;
    std::string piece(std::size_t{1} << 18, '\0');
    std::size_t consumed = 0;
    int state = Z_OK;
    while (consumed < packed.size()) {
        const std::size_t offered = std::min<std::size_t>(packed.size() - consumed, std::size_t{1} << 30);
        // zlib's interface lacks a const that zlib itself keeps.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + consumed));
        stream.avail_in = static_cast<uInt>(offered);
        do {
            stream.next_out = reinterpret_cast<Bytef*>(piece.data());
            stream.avail_out = static_cast<uInt>(piece.size());
            state = inflate(&stream, Z_NO_FLUSH);
            if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
                throw InputError(fmt::format("{}: damaged gzip data near byte {}: {}", name,
                                             consumed + offered - stream.avail_in,
                                             stream.msg != nullptr ? stream.msg : "preset dictionary"));
            text.append(piece.data(), piece.size() - stream.avail_out);
            if (text.size() > maxBytes)
                throw InputError(
                    fmt::format("{}: unpacks to more than the {} bytes allowed", name, maxBytes));
        } while (stream.avail_out == 0 && state != Z_STREAM_END);
        consumed += offered - stream.avail_in;
        if (state != Z_STREAM_END) continue;
        // Several gzip streams may follow one another; anything else behind the end is padding.
        if (consumed + 1 >= packed.size() || packed[consumed] != '\x1f' || packed[consumed + 1] != '\x8b')
            break;
        inflateReset(&stream);
    }
    if (state != Z_STREAM_END)
        throw InputError(fmt::format("{}: truncated gzip data: it ends after {} bytes ({} unpacked)", name,
                                     packed.size(), text.size()));
    return text;
}

}  // namespace

std::unique_ptr<ByteSource> openFile(const std::filesystem::path& path) {
    return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> openMemory(std::span<const std::byte> bytes, std::string name) {
    return std::make_unique<MemorySource>(bytes, std::move(name));
}

std::string readText(const std::filesystem::path& path, std::uint64_t maxBytes) {
    FileSource file(path);
    if (file.size() > maxBytes)
        throw InputError(
            fmt::format("{}: has {} bytes; at most {} are allowed", file.name(), file.size(), maxBytes));
    std::string text(file.size(), '\0');
    text.resize(file.read(std::as_writable_bytes(std::span(text))));
    if (text.size() >= 2 && text[0] == '\x1f' && text[1] == '\x8b')
        return inflateGzip(text, file.name(), maxBytes);
    return text;
}

}  // namespace glycine::io
