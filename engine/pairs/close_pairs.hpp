#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/pairs/pair_layout.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/pairs/tile_digest.hpp"
#include "engine/pairs/value_summary.hpp"

namespace glycine::pairs {

/// Pairs whose values are wanted whether they are close or not.
struct SampledValues {
    std::span<const std::size_t> numbers{};  ///< as pairNumber counts, ascending; outlive the object
    /// Is told values of (row, first), (row, first + 1), … as the type holds them: those of the samples
    /// at least, each pair once, by several threads at a time.
    std::function<void(std::size_t row, std::size_t first, std::span<const double> values)> take{};
};

/// Of the values of all pairs, those up to a largest one: memory for what qualifies and a tile, not for N².
/// Nothing survives a stop.
class ClosePairs final : public PairSink {
  public:
    /// `type`: of the numbers that are kept and written. `diagonalValue`: of an instance beside itself, for
    /// the summary; NaN: they differ.
    ClosePairs(std::size_t instances, ValueType type, double largest, double diagonalValue,
               SampledValues samples = {});
    /// Throws as storedValue for the first value that the type cannot hold.
    void store(const PairTile& tile, MatrixView<const double> values) override;
    /// Of whole numbers, a digest does.
    std::optional<DigestWish> digestWish() const override;
    void store(const PairTile& tile, const TileDigest& digest) override;
    bool takesWhole() const override { return digestWish().has_value(); }
    void store(const PairTile& tile, const WholeTile& whole) override {
        store(tile, digestOfTile(tile, whole, *digestWish()));
    }

    std::size_t instances() const { return instances_; }
    ValueType valueType() const { return type_; }
    double largest() const { return largest_; }
    /// Of all values, those too that are not kept.
    ValueSummary summary() const { return summary_.summary(); }
    /// Once all tiles are there: ascending by row, then column.
    const std::vector<ClosePair>& sorted();

  private:
    std::size_t instances_;
    ValueType type_;
    double largest_;
    SampledValues samples_;
    ValueSummarizer summary_;
    std::vector<ClosePair> pairs_;
};

}  // namespace glycine::pairs
