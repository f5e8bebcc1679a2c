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
    /// Throws InputError with the system's own words when the file cannot be opened, or is a folder or a
    /// device.
    explicit InputDescriptor(const std::filesystem::path& path);

    int number() const { return descriptor_.number(); }
    /// In bytes, when it was opened.
    std::uint64_t size() const { return size_; }
    /// Reads from `place` on, whoever else reads; returns how many bytes: fewer where the file ends before,
    /// or cannot be read.
    std::size_t readAt(std::uint64_t place, std::span<std::byte> target) const;
    /// Whether it has become shorter since, or was written to without becoming longer.
    bool hasChanged() const;

  private:
    Descriptor descriptor_;
    std::uint64_t size_ = 0;
    std::int64_t modified_ = 0;  ///< nanoseconds
};

/// A file mapped into memory for reading: pages come from the disk when they are touched, and the system may
/// drop them again, so that a file larger than memory can be used.
///
/// Another process may change the file meanwhile. Bytes that are gone then read as 0: what was made of the
/// file is good once requireUnchanged() has returned.
class MappedFile {
  public:
    /// Throws InputError when the file cannot be opened, is a folder or a device, or cannot be mapped.
    explicit MappedFile(const std::filesystem::path& path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    /// The whole file; empty for an empty one.
    std::span<const std::byte> bytes() const { return bytes_; }
    /// Throws InputError where the file is not any more what it was when it was opened, or could not be read.
    /// Cheap: one system call.
    void requireUnchanged() const;

  private:
    std::filesystem::path path_;
    InputDescriptor file_;
    std::span<const std::byte> bytes_;
    std::optional<MappingGuard> guard_;
};

// Files without a name on the disk: the system frees them when the process ends, however it ends.

/// The folder for temporary files: TMPDIR, else /tmp. Throws UsageError where that is no folder.
std::filesystem::path temporaryFolder();

/// A new, empty file in `folder` for reading and writing by this user alone. Where the file system makes none
/// without a name, the name is removed at once. Throws Error with the folder and the system's own words.
Descriptor createNamelessFile(const std::filesystem::path& folder);

/// Lets readers open a file without a name as if it lay at `path`: from now until the object's end.
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

/// What the system's own calls and libraries open to read `path`: another path for a NamelessInput, else
/// `path` itself. InputDescriptor and MappedFile do this by themselves.
std::string openablePath(const std::filesystem::path& path);

}  // namespace glycine::storage
