#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "engine/storage/descriptor.hpp"
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

}  // namespace glycine::storage
