#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/storage/descriptor.hpp"

namespace glycine::storage {

/// Where the bytes of `target` shall go in the end: a symbolic link is followed, so that it stays a link.
std::filesystem::path resolveLink(const std::filesystem::path& target);

/// Throws Error when `target` exists and is no regular file: renaming over a device or a pipe would destroy
/// it.
void requireReplaceable(const std::filesystem::path& target);

/// Gives a complete file, whose bytes are on the disk, its name, and sees that the name reaches the disk as
/// well. Both are in the same folder. Throws Error with the path and the system's own words; `temporary` is
/// then still there.
void moveIntoPlace(const std::filesystem::path& temporary, const std::filesystem::path& target);

/// A file that appears under its name only when it is complete: bytes go to a temporary file in the same
/// folder, which `commit` flushes to the disk and renames. Until then, and after any failure, whatever was
/// there before is untouched; the destructor removes a temporary file that was not committed.
///
/// Every failure throws Error with the path and the system's own words ("No space left on device").
class AtomicFile {
  public:
    /// Opens the temporary file. Fails at once when the folder is missing or may not be written, or when
    /// `target` is a folder.
    explicit AtomicFile(std::filesystem::path target);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// Writes at the current position.
    void write(std::string_view bytes);
    void write(const void* data, std::size_t bytes) { write({static_cast<const char*>(data), bytes}); }
    /// Moves the position to `offset` bytes from the start.
    void seek(std::uint64_t offset);
    /// The current position in bytes from the start.
    std::uint64_t position() const { return position_; }
    const std::filesystem::path& target() const { return target_; }

    /// Flushes to the disk and gives the file its name. Call once, after the last write.
    void commit();

  private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    Descriptor descriptor_;
    std::uint64_t position_ = 0;
};

}  // namespace glycine::storage
