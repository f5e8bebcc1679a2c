#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/crossapen/cpu/match_kernels.hpp"

namespace glycine::crossapen::cpu {

/// Column sums of a match matrix, held in bit slices while rows come.
class ColumnCounts {
  public:
    /// For sums up to `largest` of `words` · 64 positions; all zero.
    void reset(std::size_t words, std::size_t largest);
    BitPlanes planes() { return {planes_.data(), count_}; }
    /// Sets target[j] to the sum of position j, as many as `target` has.
    void store(std::span<std::uint32_t> target) const;

  private:
    std::size_t words_ = 0;
    std::size_t count_ = 0;
    std::vector<std::uint64_t> planes_;
};

}  // namespace glycine::crossapen::cpu
