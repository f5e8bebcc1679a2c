#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/cpu/match_kernels.hpp"
#include "engine/crossapen/cpu/partner_blocks.hpp"

/// What is made once of a block of a partner and used for all channels that are compared with it. Tables keep
/// their memory: they are filled anew for every partner.
namespace glycine::crossapen::cpu {

/// For m = 1. About 4 bytes a sample and 2 bytes for every square of 32 ranks.
class RankGridTable {
  public:
    /// `isLast`: the block ends with the partner. `block.samples` ≤ kMaximumSearched.
    RankGridTable(const PartnerBlock& block, bool isLast);
    /// `order`: times of the block's samples, ascending by value.
    void fill(std::span<const std::uint32_t> order);
    RankGrid view() const;

  private:
    bool isLast_;
    std::vector<std::uint16_t> ranks_;    // by time
    Matrix<std::uint16_t> successors_;    // one row
    Matrix<std::uint16_t> predecessors_;  // one row
    Matrix<std::uint16_t> counts_;
    std::uint32_t excluded_ = RankGrid::kNone;
};

/// For any m: row k is the set of positions of the k smallest samples, as a bit row. About samples²/8 bytes.
class PrefixBitSets {
  public:
    /// `wordMultiple`: MatchKernels::words.
    PrefixBitSets(const PartnerBlock& block, std::size_t m, std::size_t wordMultiple);
    /// As above.
    void fill(std::span<const std::uint32_t> order);
    const std::uint64_t* prefixes() const { return rows_.data(); }
    const std::uint64_t* positions() const { return positions_.data(); }
    std::size_t words() const { return words_; }
    std::size_t stride() const { return rows_.columns(); }

  private:
    std::size_t m_;
    std::size_t words_;
    Matrix<std::uint64_t> rows_;
    std::vector<std::uint64_t> positions_;
};

/// W for a block of `samples` samples, and the positions at which its templates may begin as W words.
std::size_t bitRowWords(std::size_t samples, std::size_t wordMultiple);
std::vector<std::uint64_t> positionMask(std::size_t positions, std::size_t words);

}  // namespace glycine::crossapen::cpu
