#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace glycine::io {

/// Bytes that are read once, from the front: a file, an archive member, or memory.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// For messages: "bounds.npz: member upper.npy".
    virtual const std::string& name() const = 0;
    /// Total number of bytes.
    virtual std::uint64_t size() const = 0;
    /// Fills `target` as far as possible and returns the number of bytes. Throws InputError if reading fails.
    virtual std::size_t read(std::span<std::byte> target) = 0;
};

/// Throws InputError with the source's name and `what`.
[[noreturn]] void failReading(const ByteSource& source, std::string_view what);

/// Opens a regular file. Throws InputError if it cannot be opened, or is a folder or device.
std::unique_ptr<ByteSource> openFile(const std::filesystem::path& path);

/// A view of memory, which must outlive the source.
std::unique_ptr<ByteSource> openMemory(std::span<const std::byte> bytes, std::string name);

/// Default limit on the text of a file that is read as a whole.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{2} << 30;
/// Reads the whole text of a source. gzip is recognised by its first two bytes and unpacked. Throws
/// InputError for damaged or truncated gzip data, or more than `maxBytes` of text.
std::string readText(std::unique_ptr<ByteSource> source, std::uint64_t maxBytes = kMaxTextBytes);
/// The same for a regular file. Also throws InputError if it cannot be read.
inline std::string readText(const std::filesystem::path& path, std::uint64_t maxBytes = kMaxTextBytes) {
    return readText(openFile(path), maxBytes);
}

}  // namespace glycine::io
