#pragma once

#include <cstddef>
#include <span>

#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/tile_digest.hpp"

namespace glycine::pairs {

/// What the values of all pairs look like.
struct ValueSummary {
    std::size_t pairs = 0;      ///< i < j, with a value
    std::size_t undefined = 0;  ///< pairs without one
    std::size_t identical = 0;  ///< pairs whose value is that of an instance beside itself
    double smallest = 0;
    double mean = 0;
    double largest = 0;
    std::size_t smallestPair[2] = {0, 0};  ///< the first pair with the smallest value, counted from 0
    std::size_t largestPair[2] = {0, 0};
};

/// Takes values in any order, each pair once. The sum is kept to twice the digits of a double, so that the
/// mean does not depend on the order.
class ValueSummarizer {
  public:
    /// `diagonalValue`: what counts as identical; NaN: nothing.
    explicit ValueSummarizer(double diagonalValue);
    double diagonalValue() const { return diagonalValue_; }
    /// The values of (row, first), (row, first + 1), …, with columns below the row; NaN: the pair has none.
    void add(std::size_t row, std::size_t first, std::span<const double> values);
    /// The same of the digests of a tile's rows; of values that are identical, the value is 0.
    void add(const PairTile& tile, std::span<const RowDigest> rows);
    /// What another one, with the same diagonal value, has taken of other pairs.
    void add(const ValueSummarizer& other);
    ValueSummary summary() const;

  private:
    void addSum(double sum, double rest);
    void addSmallest(double value, std::size_t row, std::size_t column);
    void addLargest(double value, std::size_t row, std::size_t column);

    double diagonalValue_;
    double sum_ = 0;
    double rest_ = 0;  ///< what rounding took from the sum
    ValueSummary summary_;
};

/// Hands tiles on to a store and sums up what it holds of them while they are at hand.
class SummarizedStore final : public PairSink {
  public:
    /// Tiles that an earlier run has left are read. The store must outlive the object.
    SummarizedStore(PairStore& store, double diagonalValue);
    bool has(const PairTile& tile) const override { return store_.has(tile); }
    void store(const PairTile& tile, MatrixView<const double> values) override;
    bool takesWhole() const override;
    void store(const PairTile& tile, const WholeTile& whole) override;

    /// Reads what other processes have stored.
    void addElsewhere() { addStored(store_.tilesElsewhere()); }
    ValueSummary summary() const { return summary_.summary(); }

  private:
    void addStored(const std::vector<PairTile>& tiles);
    void add(const PairTile& tile, MatrixView<const double> values);

    PairStore& store_;
    ValueSummarizer summary_;
};

}  // namespace glycine::pairs
