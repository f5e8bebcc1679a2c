#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

#include "engine/core/tiling.hpp"
#include "engine/storage/folder.hpp"
#include "engine/storage/mapping_guard.hpp"

namespace glycine::storage {

/// A file of fixed size, mapped for reading and writing while a long run fills it. Its room on the disk is
/// reserved before anything is written. Until it becomes an output, a mark follows its bytes: a file that
/// was cut has lost it, even if it has its length again.
///
/// Failures throw Error with the path and the system's own words. Where another program cuts the file short,
/// or the disk fails under a page, the bytes that are gone become zeros in memory (MappingGuard):
/// `requireWhole` says so, and every AtomicFile checks it before it takes its name.
class WorkingFile {
  public:
    /// Maps a file, which must outlive the object. Keeps what is in it when it has exactly this size (and a
    /// mark's) and `keep` is set; else fills it with zeros. bytes ≥ 1. Throws Error when the disk has no room
    /// for all of it.
    WorkingFile(OwnFile& file, std::size_t bytes, bool keep);
    WorkingFile(const WorkingFile&) = delete;
    WorkingFile& operator=(const WorkingFile&) = delete;
    ~WorkingFile();

    /// Size of the file of so many bytes.
    static std::size_t bytesOnDisk(std::size_t bytes);
    /// Whether the file holds what an earlier run has left.
    bool isKept() const { return isKept_; }
    std::span<std::byte> bytes() { return {data_, size_}; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }

    /// Puts bytes in their place as stores through the mapping would, on any thread, without the fault that
    /// the first store to a page costs.
    void put(std::size_t begin, std::span<const std::byte> bytes);
    /// Copies bytes as loads through the mapping would, likewise.
    void get(std::size_t begin, std::span<std::byte> bytes) const;
    /// Memory need not hold this part of the mapping any longer; it is still there.
    void release(Range bytes) const;

    /// Whether another program has cut the file short, also where it has become longer again since.
    bool isCut() const;
    /// Throws Error when bytes of the file are gone. Cheap: one system call.
    void requireWhole() const;
    /// Brings all to the disk, where other hosts find it.
    void requireOnDisk() const;
    /// Brings what was written to the disk, as far as that comes before `isGivenUp`, so that little is left
    /// to do for becomeFile. Others may write meanwhile. Failures show there.
    void writeBack(const std::atomic<bool>& isGivenUp);
    /// Brings everything to the disk and gives the file the name `target`, in the same folder; an older file
    /// of that name is replaced and passes on its permissions. Where another program has taken the file's
    /// name away, its bytes are copied. Throws as requireWhole.
    void becomeFile(const std::filesystem::path& target);

  private:
    void reserve();
    void setMark();
    std::size_t sizeNow() const;

    OwnFile& file_;
    std::size_t size_;    ///< without the mark
    std::size_t mapped_;  ///< with it
    bool isKept_ = false;
    std::byte* data_ = nullptr;
    std::optional<MappingGuard> guard_;
};

/// WorkingFile::requireWhole of all that this process has.
void requireWholeWorkingFiles();

}  // namespace glycine::storage
