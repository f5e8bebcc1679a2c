#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace glycine::distance {

/// Counts, for each of many columns of bits, in how many of the added rows it is 1: 64 columns a word side by
/// side, carries saved in binary counters that lie across the words.
class BitColumnCounter {
  public:
    static constexpr std::size_t kWords = 64;
    using Words = std::array<std::uint64_t, kWords>;

    /// Adds `count` ≤ kWords words; those behind count as 0. At most 2³² − 1 rows in all.
    void add(const std::uint64_t* words, std::size_t count) {
        Words carry{};
        for (std::size_t w = 0; w < count; ++w) carry[w] = words[w];
        std::size_t level = 0;
        for (; levels_[level].isPending; ++level) {
            Level& current = levels_[level];
            for (std::size_t w = 0; w < kWords; ++w) {
                const std::uint64_t half = current.sum[w] ^ current.pending[w];
                const std::uint64_t next = (current.sum[w] & current.pending[w]) | (half & carry[w]);
                current.sum[w] = half ^ carry[w];
                carry[w] = next;
            }
            current.isPending = false;
        }
        levels_[level].pending = carry;
        levels_[level].isPending = true;
    }

    /// Rows in which bit `bit` of word `word` was 1.
    std::uint32_t count(std::size_t word, unsigned bit) const {
        std::uint32_t sum = 0;
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            const Level& current = levels_[level];
            sum += static_cast<std::uint32_t>(current.sum[word] >> bit & 1U) << level;
            if (current.isPending)
                sum += static_cast<std::uint32_t>(current.pending[word] >> bit & 1U) << level;
        }
        return sum;
    }

  private:
    /// Numbers of weight 2^level: one that is settled, and at times one that waits for another to be added
    /// with.
    struct Level {
        Words sum{};
        Words pending{};
        bool isPending = false;
    };
    std::array<Level, 32> levels_{};
};

}  // namespace glycine::distance
