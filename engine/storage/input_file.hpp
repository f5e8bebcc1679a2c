#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/storage/descriptor.hpp"

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

  private:
    Descriptor descriptor_;
    std::uint64_t size_ = 0;
};

/// A file mapped into memory for reading: pages come from the disk when they are touched, and the system may
/// drop them again, so that a file larger than memory can be used.
///
/// The file must not shrink meanwhile: touching a page that is gone ends the process (SIGBUS).
class MappedFile {
  public:
    /// Throws InputError when the file cannot be opened, is a folder or a device, or cannot be mapped.
    explicit MappedFile(const std::filesystem::path& path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    /// The whole file; empty for an empty one.
    std::span<const std::byte> bytes() const { return bytes_; }

  private:
    std::span<const std::byte> bytes_;
};

}  // namespace glycine::storage
