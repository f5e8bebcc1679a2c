#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/cpu/match_kernels.hpp"

/// Tables of a partner's blocks, built once and shared by all channels that are compared with the partner,
/// and counts per position. Tables reuse their memory for every partner.
namespace glycine::crossapen::cpu {

// ---- Blocks

/// A range of a partner that is searched on its own, to keep its table small.
struct PartnerBlock {
    std::size_t first = 0;      ///< its first sample
    std::size_t samples = 0;    ///< including those needed only by templates that begin earlier
    std::size_t positions = 0;  ///< templates of length m begin at first … first + positions − 1
};

/// Splits a partner of `samples` samples into blocks of about equal size: at most `maximum` samples and,
/// except for the last block, a multiple of `unit`. Every template of length m begins in exactly one block,
/// and so does every template of length m + 1. `unit` divides `maximum`; m < maximum.
std::vector<PartnerBlock> splitPartner(std::size_t samples, std::size_t m, std::size_t unit,
                                       std::size_t maximum);

// ---- Tables

/// Table for m = 1. Takes about 4 bytes per sample and 2 bytes for every square of 32 ranks.
class RankGridTable {
  public:
    /// `isLast`: the block is the last one of the partner. `block.samples` ≤ kMaximumSearched.
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

/// Table for any m: row k is the set of positions of the k smallest samples, as a bit row. Takes about
/// samples²/8 bytes.
class PrefixBitSets {
  public:
    /// `wordMultiple`: MatchKernels::words.
    PrefixBitSets(const PartnerBlock& block, std::size_t m, std::size_t wordMultiple);
    /// As RankGridTable::fill.
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

/// Words W of a block of `samples` samples; and, as W words, the positions where its templates may begin.
std::size_t bitRowWords(std::size_t samples, std::size_t wordMultiple);
std::vector<std::uint64_t> positionMask(std::size_t positions, std::size_t words);

// ---- Counts

/// Column sums of a match matrix, accumulated in bit slices.
class ColumnCounts {
  public:
    /// Sets all sums to zero. Makes room for sums up to `largest` at `words` · 64 positions.
    void reset(std::size_t words, std::size_t largest);
    BitPlanes planes() { return {planes_.data(), count_}; }
    /// Sets target[j] to the sum at position j, for all elements of `target`.
    void store(std::span<std::uint32_t> target) const;

  private:
    std::size_t words_ = 0;
    std::size_t count_ = 0;
    std::vector<std::uint64_t> planes_;
};

}  // namespace glycine::crossapen::cpu
