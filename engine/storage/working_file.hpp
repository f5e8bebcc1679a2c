#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <future>
#include <optional>
#include <span>

#include "engine/core/tiling.hpp"
#include "engine/storage/folder.hpp"
#include "engine/storage/mapping_guard.hpp"

namespace glycine::storage {

/// A file of fixed size, mapped for reading and writing while a long run fills it. Its disk space is reserved
/// before anything is written. Until it becomes an output, a mark follows its bytes. A file that was cut
/// short has lost the mark, even if it has its length again.
///
/// Failures throw Error with the path and the system's message. If another program cuts the file short, or
/// the disk fails under a page, the lost bytes become zeros in memory (MappingGuard). `requireIntact` then
/// throws, and every AtomicFile calls it before it names its file.
class WorkingFile {
  public:
    /// Maps a file, which must outlive the object. Keeps its contents if `keep` is set and it has exactly
    /// this size (plus the mark's); else fills it with zeros. Requires bytes ≥ 1. Throws Error if the disk
    /// has no room for all of it.
    WorkingFile(OwnFile& file, std::size_t bytes, bool keep);
    WorkingFile(const WorkingFile&) = delete;
    WorkingFile& operator=(const WorkingFile&) = delete;
    ~WorkingFile();

    /// Size of the file for this many bytes.
    static std::size_t bytesOnDisk(std::size_t bytes);
    /// Whether the file holds the contents of an earlier run.
    bool isKept() const { return isKept_; }
    std::span<std::byte> bytes() { return {data_, size_}; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }

    /// Begins to fill the system's page cache with the zeros of a file that is not kept, on a thread of its
    /// own, if stores through the mapping are then as fast as stores to memory: if the file is small next to
    /// free memory, and its file system caches in large pages (of up to 2 MiB; ext4 does so since Linux 6.16,
    /// XFS since 5.18). Until isCached() has returned, only the first kFilledAtOnce bytes may be written.
    void fillCache();
    static constexpr std::size_t kFilledAtOnce = std::size_t{1} << 20;
    /// Whether the page cache was filled, so that stores through the mapping are faster than `put`. Waits
    /// until it is.
    bool isCached() const;

    /// Copies bytes into place as stores through the mapping would, without the page fault of the first store
    /// to each page. Any thread may call it.
    void put(std::size_t begin, std::span<const std::byte> bytes);
    /// Copies bytes out as loads through the mapping would, also without page faults.
    void get(std::size_t begin, std::span<std::byte> bytes) const;
    /// Releases the memory of this part of the mapping; its contents stay in the file.
    void release(Range bytes) const;

    /// Whether another program has cut the file short, even if it has become longer again since.
    bool isCut() const;
    /// Throws Error if bytes of the file are lost. Cheap: one system call.
    void requireIntact() const;
    /// Flushes everything to the disk, where other hosts can read it.
    void requireOnDisk() const;
    /// Flushes what was written to the disk, until `isGivenUp`, so that little is left for becomeFile. Others
    /// may write meanwhile. becomeFile reports failures.
    void writeBack(const std::atomic<bool>& isGivenUp);
    /// Flushes everything to the disk and gives the file the name `target`, in the same folder. Replaces an
    /// older file of that name and takes over its permissions. If another program has removed the file's
    /// name, copies its bytes. Throws as requireIntact does.
    void becomeFile(const std::filesystem::path& target);

  private:
    enum class Cache { None, Filling, Filled };

    bool fill(Range bytes) const;
    bool hasLargePages(Range bytes) const;
    void reserve();
    void setMark();
    std::size_t sizeNow() const;

    OwnFile& file_;
    std::size_t size_;    ///< without the mark
    std::size_t mapped_;  ///< with the mark
    bool isKept_ = false;
    std::byte* data_ = nullptr;
    std::optional<MappingGuard> guard_;
    std::atomic<Cache> cache_ = Cache::None;
    std::atomic<bool> isEnding_ = false;
    std::future<void> filling_;
};

/// Calls requireIntact for all WorkingFiles of this process.
void requireIntactWorkingFiles();

}  // namespace glycine::storage
