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

/// Pairs whose values are needed whether they are close or not.
struct SampledValues {
    std::span<const std::size_t> numbers{};  ///< as pairNumber counts, ascending; must outlive the object
    /// Receives values of (row, first), (row, first + 1), … as the type stores them: at least those of the
    /// samples, each pair once. Called by several threads at a time.
    std::function<void(std::size_t row, std::size_t first, std::span<const double> values)> take{};
};

/// A sink that keeps some of the pairs, and a summary of all.
class PairSelection : public PairSink {
  public:
    /// Summary of all values, including those not kept.
    virtual ValueSummary summary() const = 0;
    /// After the last tile: adds to the lead's selection what the other processes have kept; theirs are
    /// useless then. All processes must call it, like completeParts().
    virtual void moveToLead(ProcessTeam& team) = 0;
};

/// Keeps the pairs whose value is at most `largest`: memory for these pairs and one tile, not for N². Nothing
/// survives a stop.
class ClosePairs final : public PairSelection {
  public:
    /// `type` is the number type that is kept and written. `diagonalValue` is the value of an instance paired
    /// with itself, for the summary; NaN if these values differ. `references`: of a rectangle; else 0.
    ClosePairs(std::size_t instances, ValueType type, double largest, double diagonalValue,
               std::size_t references = 0, SampledValues samples = {});
    /// Throws as storedValue does for the first value that the type cannot hold.
    void store(const PairTile& tile, MatrixView<const double> values) override;
    /// For whole numbers a digest suffices.
    std::optional<DigestRequest> digestRequest() const override;
    void store(const PairTile& tile, const TileDigest& digest) override;
    bool acceptsWholeNumbers() const override { return digestRequest().has_value(); }
    void store(const PairTile& tile, const WholeTile& whole) override {
        store(tile, digestOfTile(tile, whole, *digestRequest()));
    }

    std::size_t instances() const { return instances_; }
    std::size_t references() const { return references_; }
    ValueType valueType() const { return type_; }
    double largest() const { return largest_; }
    ValueSummary summary() const override { return summary_.summary(); }
    void moveToLead(ProcessTeam& team) override;
    /// Call after the last tile. Ascending by row, then column.
    const std::vector<ClosePair>& sorted();

  private:
    std::size_t instances_;
    ValueType type_;
    double largest_;
    std::size_t references_;
    SampledValues samples_;
    ValueSummarizer summary_;
    std::vector<ClosePair> pairs_;
};

}  // namespace glycine::pairs
