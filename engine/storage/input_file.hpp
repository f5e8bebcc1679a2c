#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "engine/storage/folder.hpp"
#include "engine/storage/mapping_guard.hpp"

namespace glycine::storage {

/// A regular file opened for reading.
class InputDescriptor {
  public:
    /// Throws InputError with the system's message if the file cannot be opened, or is a folder or a device.
    explicit InputDescriptor(const std::filesystem::path& path);

    int number() const { return descriptor_.number(); }
    /// Size in bytes when it was opened.
    std::uint64_t size() const { return size_; }
    /// Reads from offset `place`, independently of other readers. Returns the number of bytes, which is
    /// smaller if the file ends or cannot be read.
    std::size_t readAt(std::uint64_t place, std::span<std::byte> target) const;
    /// Whether the file has become shorter since it was opened, or was modified without becoming longer.
    bool hasChanged() const;

  private:
    Descriptor descriptor_;
    std::uint64_t size_ = 0;
    std::int64_t modified_ = 0;  ///< nanoseconds
};

/// A file mapped into memory for reading. Pages are read when they are touched and may be dropped again, so
/// files larger than memory work.
///
/// Another process may change the file meanwhile. Bytes that are lost then read as 0, so results are only
/// valid after requireUnchanged() has returned.
class MappedFile {
  public:
    /// Throws InputError if the file cannot be opened or mapped, or is a folder or a device.
    explicit MappedFile(const std::filesystem::path& path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    /// The whole file; empty for an empty one.
    std::span<const std::byte> bytes() const { return bytes_; }
    /// Throws InputError if the file has changed since it was opened, or could not be read. Cheap: one system
    /// call.
    void requireUnchanged() const;

  private:
    std::filesystem::path path_;
    InputDescriptor file_;
    std::span<const std::byte> bytes_;
    std::optional<MappingGuard> guard_;
};

// Nameless files on the disk: the system frees them when the process ends, however it ends.

/// The folder for temporary files: TMPDIR, else /tmp. Throws UsageError if that is not a folder.
std::filesystem::path temporaryFolder();

/// A new, empty file in `folder` that only this user can read and write. If the file system has no nameless
/// files, the name is removed at once. Throws Error with the folder and the system's message.
Descriptor createNamelessFile(const std::filesystem::path& folder);

/// During its lifetime, readers can open a nameless file as if it were at `path`.
class NamelessInput {
  public:
    NamelessInput(std::filesystem::path path, Descriptor file);
    NamelessInput(const NamelessInput&) = delete;
    NamelessInput& operator=(const NamelessInput&) = delete;
    ~NamelessInput();

  private:
    std::string path_;
    Descriptor file_;
};

/// The path that system calls and libraries must open to read `path`: another path for a NamelessInput, else
/// `path` itself. InputDescriptor and MappedFile apply it themselves.
std::string openablePath(const std::filesystem::path& path);

}  // namespace glycine::storage
