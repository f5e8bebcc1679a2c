#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace glycine::io {

/// Bytes that are read once, from the front: a file, a member of an archive, or memory.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// For messages: "bounds.npz: member upper.npy".
    virtual const std::string& name() const = 0;
    /// Number of bytes in all.
    virtual std::uint64_t size() const = 0;
    /// Fills `target` as far as there are bytes; returns how many came. Throws InputError when reading fails.
    virtual std::size_t read(std::span<std::byte> target) = 0;
};

/// Throws InputError: the source's name and what is wrong with it.
[[noreturn]] void failReading(const ByteSource& source, std::string_view what);

/// A regular file. Throws InputError when it cannot be opened or is a folder or a device.
std::unique_ptr<ByteSource> openFile(const std::filesystem::path& path);

/// A window on memory that outlives the source.
std::unique_ptr<ByteSource> openMemory(std::span<const std::byte> bytes, std::string name);

/// Of the text of a file that is read as a whole.
inline constexpr std::uint64_t kMostTextBytes = std::uint64_t{2} << 30;
/// The whole text of a source; gzip is recognised by its first two bytes and undone.
/// Throws InputError for damaged or truncated gzip data, or more than `maxBytes` of text.
std::string readText(std::unique_ptr<ByteSource> source, std::uint64_t maxBytes = kMostTextBytes);
/// The same of a regular file. Throws InputError also for one that cannot be read.
inline std::string readText(const std::filesystem::path& path, std::uint64_t maxBytes = kMostTextBytes) {
    return readText(openFile(path), maxBytes);
}

}  // namespace glycine::io
