#include "engine/io/text/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/text/text_stream.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

class FileSource : public ByteSource {
  public:
    explicit FileSource(const std::filesystem::path& path)
        : name_(path.string()),
          file_(path),
          work_(fmt::format("reading {}", path.filename().string()), static_cast<double>(file_.size())) {
        (void)::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
    }

    const std::string& name() const override { return name_; }
    std::uint64_t size() const override { return file_.size(); }
    std::size_t read(std::span<std::byte> target) override {
        // Bytes read between two checks for cancellation, and those that one thread reads at once.
        constexpr std::size_t kLargestRead = std::size_t{16} << 20, kPiece = std::size_t{1} << 20;
        std::size_t filled = 0;
        while (filled < target.size()) {
            const std::span<std::byte> next =
                target.subspan(filled, std::min(target.size() - filled, kLargestRead));
            const std::vector<Range> pieces = splitRange(next.size(), kPiece);
            std::vector<std::size_t> came(pieces.size());
            const auto readPiece = [&](std::size_t i, std::size_t) {
                came[i] =
                    readAt(position_ + pieces[i].begin, next.subspan(pieces[i].begin, pieces[i].size()));
            };
            if (pieces.size() == 1)
                readPiece(0, 0);
            else
                parallelFor(omp_get_max_threads(), pieces.size(), readPiece);
            std::size_t count = 0;
            for (std::size_t i = 0; i < pieces.size() && count == pieces[i].begin; ++i) count += came[i];
            filled += count;
            position_ += count;
            work_.advance(static_cast<double>(count));
            if (count < next.size()) break;
        }
        return filled;
    }

  private:
    std::size_t readAt(std::uint64_t place, std::span<std::byte> target) const {
        std::size_t filled = 0;
        while (filled < target.size()) {
            const ssize_t count = ::pread(file_.number(), target.data() + filled, target.size() - filled,
                                          static_cast<off_t>(place + filled));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0)
                throw InputError(
                    fmt::format("{}: cannot read: {}", name_, std::generic_category().message(errno)));
            if (count == 0) break;
            filled += static_cast<std::size_t>(count);
        }
        return filled;
    }

    std::string name_;
    storage::InputDescriptor file_;
    std::uint64_t position_ = 0;  ///< of the next byte
    BackgroundWork work_;
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

}  // namespace

void failReading(const ByteSource& source, std::string_view what) {
    throw InputError(fmt::format("{}: {}", source.name(), what));
}

std::unique_ptr<ByteSource> openFile(const std::filesystem::path& path) {
    return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> openMemory(std::span<const std::byte> bytes, std::string name) {
    return std::make_unique<MemorySource>(bytes, std::move(name));
}

std::string readText(std::unique_ptr<ByteSource> source, std::uint64_t maxBytes) {
    const std::uint64_t size = source->size();
    if (size > maxBytes)
        throw InputError(
            fmt::format("{}: has {} bytes; at most {} are allowed", source->name(), size, maxBytes));
    TextStream stream(std::move(source));
    // Plain text takes one piece; packed text is a few times as long as its file.
    std::string text(size + 1, '\0');
    std::size_t length = 0;
    for (;;) {
        const std::size_t came = stream.read(std::span(text).subspan(length));
        length += came;
        if (length > maxBytes)
            throw InputError(
                fmt::format("{}: unpacks to more than the {} bytes allowed", stream.name(), maxBytes));
        if (length < text.size()) break;
        // Resizing holds the text and its larger copy at the same time.
        requireHostMemory(fmt::format("{}: unpacking", stream.name()),
                          3.0 * static_cast<double>(text.size()));
        text.resize(2 * text.size());
    }
    text.resize(length);
    return text;
}

}  // namespace glycine::io
