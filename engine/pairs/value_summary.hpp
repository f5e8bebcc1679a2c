#pragma once

#include <cstddef>
#include <span>

#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/tile_digest.hpp"

namespace glycine {
class ProcessTeam;
}

namespace glycine::pairs {

/// Summary of all pairs' values.
struct ValueSummary {
    std::size_t pairs = 0;      ///< i < j, with a value
    std::size_t undefined = 0;  ///< pairs without a value
    std::size_t identical = 0;  ///< pairs whose value is that of an instance paired with itself
    double smallest = 0;
    double mean = 0;
    double largest = 0;
    std::size_t smallestPair[2] = {0, 0};  ///< the first pair with the smallest value, counted from 0
    std::size_t largestPair[2] = {0, 0};
};

/// Takes values in any order, each pair once. The sum keeps twice the digits of a double, so that the mean
/// does not depend on the order.
class ValueSummarizer {
  public:
    /// `diagonalValue`: the value that counts as identical; NaN: none.
    explicit ValueSummarizer(double diagonalValue);
    double diagonalValue() const { return diagonalValue_; }
    /// Adds the values of (row, first), (row, first + 1), …, with columns below the row; NaN: the pair has
    /// none.
    void add(std::size_t row, std::size_t first, std::span<const double> values);
    /// Adds digests of a tile's rows. Requires a diagonal value of 0.
    void add(const PairTile& tile, std::span<const RowDigest> rows);
    /// Adds the values of another summarizer with the same diagonal value and other pairs.
    void add(const ValueSummarizer& other);
    /// Adds the values of the team's other processes, in every process. All must call it, like
    /// completeParts().
    void addOthers(ProcessTeam& team);
    ValueSummary summary() const;

  private:
    void addSum(double sum, double rest);
    void addSmallest(double value, std::size_t row, std::size_t column);
    void addLargest(double value, std::size_t row, std::size_t column);

    double diagonalValue_;
    double sum_ = 0;
    double rest_ = 0;  ///< rounding error of the sum
    ValueSummary summary_;
};

/// Passes tiles on to a store, and summarizes the stored values on the way.
class SummarizedStore final : public PairSink {
  public:
    /// Reads tiles that an earlier run has left. The store must outlive the object.
    SummarizedStore(PairStore& store, double diagonalValue);
    bool has(const PairTile& tile) const override { return store_.has(tile); }
    void store(const PairTile& tile, MatrixView<const double> values) override;
    bool acceptsWholeNumbers() const override;
    void store(const PairTile& tile, const WholeTile& whole) override;

    /// Reads the tiles that other processes have stored.
    void addTilesOfOtherProcesses() { addStored(store_.tilesOfOtherProcesses()); }
    ValueSummary summary() const { return summary_.summary(); }

  private:
    void addStored(const std::vector<PairTile>& tiles);
    void add(const PairTile& tile, MatrixView<const double> values);

    PairStore& store_;
    ValueSummarizer summary_;
};

}  // namespace glycine::pairs
