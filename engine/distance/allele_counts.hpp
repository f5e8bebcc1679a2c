#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/discrete_data.hpp"

/// Frequencies of each attribute's counted allele.
namespace glycine::distance {

/// Counts the 1 bits of many bit columns over the added rows. Processes 64 columns per word in parallel, with
/// carries kept in bit-sliced binary counters.
class BitColumnCounter {
  public:
    static constexpr std::size_t kWords = 64;
    using Words = std::array<std::uint64_t, kWords>;

    /// Adds `count` ≤ kWords words; the remaining words count as 0. At most 2³² − 1 rows in total.
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

    /// Number of rows in which bit `bit` of word `word` was 1.
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
    /// Numbers of weight 2^level: a settled sum, and sometimes a pending number that waits for a second one.
    struct Level {
        Words sum{};
        Words pending{};
        bool isPending = false;
    };
    std::array<Level, 32> levels_{};
};

/// Counts of one attribute among some instances.
struct AlleleCount {
    std::uint32_t alleles = 0;    ///< copies of the counted allele
    std::uint32_t genotypes = 0;  ///< non-missing genotypes
};

/// Counts alleles in a block of genotypes, among these instances of the block; one result per attribute.
void countAlleles(const PlaneBlock& planes, const DiscreteShape& shape,
                  const std::vector<std::size_t>& instances, AlleleCount* counts);
/// The marked instances, or all if `marks` is empty.
std::vector<std::size_t> markedOf(const std::vector<bool>& marks, std::size_t instances);
/// Counts alleles of all attributes among the marked instances. Reads the source once.
std::vector<AlleleCount> countAlleles(const DiscreteSource& source, const std::vector<bool>& instances,
                                      Progress& progress);

}  // namespace glycine::distance
