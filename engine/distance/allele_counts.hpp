#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/discrete_data.hpp"

/// How often each attribute's counted allele occurs.
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

/// Of one attribute, among some instances.
struct AlleleCount {
    std::uint32_t alleles = 0;    ///< copies of the counted allele
    std::uint32_t genotypes = 0;  ///< that are not missing
};

/// Those of a block of genotypes, among these instances of it: one an attribute.
void countAlleles(const PlaneBlock& planes, const DiscreteShape& shape,
                  const std::vector<std::size_t>& instances, AlleleCount* counts);
/// The instances that are marked; without marks, all.
std::vector<std::size_t> markedOf(const std::vector<bool>& marks, std::size_t instances);
/// Those of all attributes, among the marked instances. Reads the source once.
std::vector<AlleleCount> countAlleles(const DiscreteSource& source, const std::vector<bool>& instances,
                                      Progress& progress);

}  // namespace glycine::distance
