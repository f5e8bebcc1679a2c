#pragma once

#include <cstddef>
#include <memory>

#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/pair_layout.hpp"

namespace glycine::pairs {

/// Inside PairStore: values of all pairs in memory that somebody else owns.
class PairArray {
  public:
    virtual ~PairArray() = default;
    /// `values` as PairSink::store has them. On several threads. Throws as PairStore::store says.
    virtual void write(const PairTile& tile, MatrixView<const double> values) = 0;
    /// As PairStore::value and ::readBlock, the latter on several threads.
    virtual double value(std::size_t i, std::size_t j) const = 0;
    virtual void readBlock(Range rows, Range columns, MatrixView<double> values) const = 0;
};

/// `memory` is aligned for the value type and holds PairLayout::elements() values.
std::unique_ptr<PairArray> makePairArray(std::byte* memory, PairLayout layout, ValueType type,
                                         double diagonalValue);

}  // namespace glycine::pairs
