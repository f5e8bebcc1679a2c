#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancellation.hpp"
#include "engine/core/progress.hpp"
#include "engine/storage/folder.hpp"

namespace glycine::storage {

/// Whether an output goes to standard output: "-".
bool isStandardOutput(const std::filesystem::path& target);

/// Where the bytes of `target` shall go in the end: a symbolic link is followed, so that it stays a link,
/// also to a file that is not there yet.
std::filesystem::path resolveLink(const std::filesystem::path& target);

/// Throws Error when something is at `target` and is no regular file: renaming over a device or a pipe would
/// destroy it.
void requireReplaceable(const std::filesystem::path& target);

/// What this process has given its name so far, in this order: what a run that is stopped leaves.
std::vector<std::filesystem::path> filesInPlace();
/// Adds a file to them.
void noteInPlace(const std::filesystem::path& target);

/// A file that appears under its name only when it is complete: bytes go to a file without a name in the same
/// folder, which `commit` flushes to the disk and names. Until then, and after any failure, whatever was
/// there before is untouched; however the process ends, nothing else stays. Where a file system has no files
/// without a name, it is a temporary one, which the destructor removes; those of killed processes go when a
/// process first writes into the folder.
///
/// The bytes are gathered, and a second thread writes them while the caller makes the next. "-" is standard
/// output: there, each call writes its own.
///
/// Writing throws CancelledError once the user asked to stop (core/cancellation.hpp).
/// Every failure throws Error with the path and the system's own words ("No space left on device"). A write
/// that fails may be reported by a later call, `seek` and `commit` at the latest.
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

    /// Flushes to the disk and gives the file its name. Call once, after the last write. Throws Error also
    /// when a working file of this process has lost bytes from which this one may have been made.
    void commit();

  private:
    void openTemporary();
    void nameFile();
    /// Has what was gathered written while the caller goes on; throws what the writing before it threw.
    void handOver();
    /// Waits until all is written.
    void drain();

    std::filesystem::path target_;
    std::optional<Folder> folder_;
    std::string temporary_;  ///< name in the folder; empty: the file has none
    std::optional<DiscardOnAbort> discard_;
    Descriptor descriptor_;
    BackgroundWork work_;
    std::uint64_t position_ = 0;
    std::string gathered_;
    std::string handedOver_;
    std::future<void> writing_;  ///< of handedOver_
};

}  // namespace glycine::storage
