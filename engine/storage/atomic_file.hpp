#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancellation.hpp"
#include "engine/core/progress.hpp"
#include "engine/storage/folder.hpp"

namespace glycine::storage {

/// Whether an output is standard output: "-".
bool isStandardOutput(const std::filesystem::path& target);

/// The final location of `target`'s bytes: follows a symbolic link, even to a file that does not exist yet,
/// so that it stays a link.
std::filesystem::path resolveLink(const std::filesystem::path& target);

/// Throws Error if `target` exists and is not a regular file: renaming over a device or a pipe would destroy
/// it.
void requireReplaceable(const std::filesystem::path& target);

/// Files that this process has named so far, in order. They remain if the run is stopped.
std::vector<std::filesystem::path> filesInPlace();
/// Adds a file to this list.
void recordNamedFile(const std::filesystem::path& target);

/// Forgets a folder that the process has written into and removed again, and its files: long processes would
/// remember ever more of them.
void forgetFolder(const std::filesystem::path& folder);

/// A file that appears under its name only when it is complete. Bytes go to a nameless file in the same
/// folder, which `commit` flushes to the disk and names. Until then, and after any failure, an existing file
/// is untouched; however the process ends, nothing else remains. On a file system without nameless files, the
/// file has a temporary name and the destructor removes it. Leftovers of killed processes are removed when a
/// process first writes into the folder.
///
/// Bytes are buffered, and a second thread writes them while the caller produces more. For standard output
/// ("-"), each call writes its own bytes.
///
/// Writing throws CancelledError after a stop request (core/cancellation.hpp). Every failure throws Error
/// with the path and the system's message ("No space left on device"). A failed write may be reported by a
/// later call, at the latest by `seek` or `commit`.
class AtomicFile {
  public:
    /// Opens the temporary file. Throws if the folder is missing or not writable, or if `target` is a folder.
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

    /// Flushes to the disk and names the file. Call once, after the last write. Also throws Error if a
    /// working file of this process has lost bytes, since this file may be based on them.
    void commit();
    /// The same for several files: none is named before all are complete. In one folder, this takes less time
    /// than one after another, because the disk is waited for less often.
    static void commitTogether(std::initializer_list<AtomicFile*> files);

  private:
    void openTemporary();
    /// Waits until all bytes are on the disk.
    void complete();
    void nameFile();
    /// Starts writing the buffered bytes while the caller continues; throws what the previous write threw.
    void handOver();
    /// Waits until everything is written.
    void drain();

    std::filesystem::path target_;
    std::optional<Folder> folder_;
    std::string temporary_;  ///< name in the folder; empty if the file is nameless
    std::optional<DiscardOnAbort> discard_;
    Descriptor descriptor_;
    BackgroundWork work_;
    std::uint64_t position_ = 0;
    std::string gathered_;
    std::string handedOver_;
    std::future<void> writing_;  ///< writes handedOver_
};

}  // namespace glycine::storage
