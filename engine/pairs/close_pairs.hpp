#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/pairs/pair_layout.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {

struct ClosePair {
    std::uint32_t row = 0;
    std::uint32_t column = 0;  ///< below `row`
    double value = 0;
    bool operator==(const ClosePair&) const = default;
};

/// Of the values of all pairs, those up to a largest one: memory for what qualifies and a tile, not for N².
/// Nothing survives a stop.
class ClosePairs final : public PairSink {
  public:
    /// `type`: of the numbers that are kept and written. `seen` is told every value of a tile, row by row, as
    /// that type holds it.
    ClosePairs(std::size_t instances, ValueType type, double largest,
               std::function<void(std::size_t row, std::size_t column, double value)> seen);
    /// Throws as storedValue for a value that the type cannot hold.
    void store(const PairTile& tile, MatrixView<const double> values) override;

    std::size_t instances() const { return instances_; }
    ValueType valueType() const { return type_; }
    double largest() const { return largest_; }
    /// Once all tiles are there: ascending by row, then column.
    const std::vector<ClosePair>& sorted();

  private:
    std::size_t instances_;
    ValueType type_;
    double largest_;
    std::function<void(std::size_t, std::size_t, double)> seen_;
    std::vector<ClosePair> pairs_;
};

}  // namespace glycine::pairs
