#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "engine/storage/descriptor.hpp"

namespace glycine::storage {

/// A file of fixed size that is mapped for reading and writing while a long run fills it, and that survives a
/// stop of the run. Its room on the disk is reserved before anything is written.
///
/// Failures throw Error with the path and the system's own words. When the disk fails under a page that is
/// read or written through the mapping, the system ends the process (SIGBUS); `sync` reports what can be
/// reported.
class WorkingFile {
  public:
    /// Opens `path` and keeps what is in it when it has exactly this size and `keep` is set; else makes it,
    /// full of zeros. bytes ≥ 1. Throws Error when the disk has no room for all of it: the file is then
    /// removed.
    WorkingFile(std::filesystem::path path, std::size_t bytes, bool keep);
    WorkingFile(const WorkingFile&) = delete;
    WorkingFile& operator=(const WorkingFile&) = delete;
    /// Leaves the file where it is.
    ~WorkingFile();

    /// Whether the file holds what an earlier run has left.
    bool isKept() const { return isKept_; }
    std::span<std::byte> bytes() { return {data_, size_}; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }
    const std::filesystem::path& path() const { return path_; }

    /// Returns when the bytes [begin, end) have reached the disk.
    void sync(std::size_t begin, std::size_t end);
    /// Brings everything to the disk and gives the file the name `target`, in the same folder; an older file
    /// of that name is replaced and passes on its permissions. The mapping is gone afterwards.
    void moveTo(const std::filesystem::path& target);
    /// Removes the file. The mapping is gone afterwards.
    void remove();

  private:
    void open(bool keep);
    void reserve();
    void close();

    std::filesystem::path path_;
    std::size_t size_;
    Descriptor descriptor_;
    bool isKept_ = false;
    std::byte* data_ = nullptr;
};

}  // namespace glycine::storage
