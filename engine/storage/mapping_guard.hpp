#pragma once

#include <cstddef>
#include <span>

namespace glycine::storage {

/// Keeps the process alive where pages of a mapped file are gone: a file that became shorter, a disk that
/// fails. The system answers the touch of such a page with SIGBUS, which ends a process that does not expect
/// it; under a guard the rest of the mapping becomes zeros in memory instead, and isBroken() says so. Code
/// that has read or written must check that before it relies on the bytes.
///
/// SIGBUS from anywhere else goes where it went before.
class MappingGuard {
  public:
    /// Guards a range that mmap has given, from its first byte to its last; an empty one, too.
    /// `isWritable`: the mapping can be written to, and so can what replaces it.
    explicit MappingGuard(std::span<const std::byte> mapping, bool isWritable = false);
    MappingGuard(const MappingGuard&) = delete;
    MappingGuard& operator=(const MappingGuard&) = delete;
    /// Before the range is unmapped.
    ~MappingGuard();

    bool isBroken() const;

    struct Range;  ///< in a list that the signal's handler goes through

  private:
    Range& range_;
};

}  // namespace glycine::storage
