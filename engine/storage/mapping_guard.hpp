#pragma once

#include <cstddef>
#include <span>

namespace glycine::storage {

/// Keeps the process alive when pages of a mapped file are lost: the file became shorter, or the disk failed.
/// Touching such a page raises SIGBUS, which normally ends the process. Under a guard, the rest of the
/// mapping becomes zeros in memory instead, and isBroken() returns true. Callers must check it before relying
/// on bytes that they read or wrote.
///
/// SIGBUS from any other address is handled as before.
class MappingGuard {
  public:
    /// Guards a whole range returned by mmap; it may be empty. `isWritable`: the mapping, and so its
    /// replacement, is writable.
    explicit MappingGuard(std::span<const std::byte> mapping, bool isWritable = false);
    MappingGuard(const MappingGuard&) = delete;
    MappingGuard& operator=(const MappingGuard&) = delete;
    /// Destroy the guard before the range is unmapped.
    ~MappingGuard();

    bool isBroken() const;

    struct Range;  ///< element of a list that the signal handler walks

  private:
    Range& range_;
};

}  // namespace glycine::storage
