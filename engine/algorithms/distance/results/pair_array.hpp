#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/algorithms/distance/pair_engine.hpp"
#include "engine/algorithms/distance/results/result_store.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"

/// Inside the result stores: how the values of all pairs lie in memory.
namespace glycine::distance {

/// Where an element of the N × N result is held. Elements of a row are consecutive.
struct PairLayout {
    std::size_t instances = 0;
    StoreLayout layout = StoreLayout::Square;

    std::size_t elements() const {
        return layout == StoreLayout::Square ? instances * instances : instances * (instances - 1) / 2;
    }
    bool holdsBelow() const { return layout != StoreLayout::Condensed; }
    bool holdsAbove() const { return layout != StoreLayout::Triangle; }
    /// Of an element (row, column) that is held.
    std::size_t index(std::size_t row, std::size_t column) const {
        switch (layout) {
            case StoreLayout::Triangle:
                return row * (row - 1) / 2 + column;
            case StoreLayout::Condensed:
                return row * (2 * instances - row - 1) / 2 + (column - row - 1);
            case StoreLayout::Square:
                break;
        }
        return row * instances + column;
    }
};

/// Values of all pairs in memory that somebody else owns.
class PairArray {
  public:
    virtual ~PairArray() = default;
    /// `values` as ResultSink::store has them. On several threads. Throws as ResultStore says.
    virtual void write(const PairTile& tile, MatrixView<const double> values) = 0;
    /// As ResultStore::value and ::readBlock, the latter on several threads.
    virtual double value(std::size_t i, std::size_t j) const = 0;
    virtual void readBlock(Range rows, Range columns, MatrixView<double> values) const = 0;
    /// XXH3 of the bytes of a tile, row by row.
    virtual std::uint64_t checksum(const PairTile& tile) const = 0;
    /// The elements of a tile lie between these indices.
    virtual Range extent(const PairTile& tile) const = 0;
};

/// `memory` is aligned for the value type and holds PairLayout::elements() values.
std::unique_ptr<PairArray> makePairArray(std::byte* memory, PairLayout layout, ValueType type,
                                         double diagonalValue);

}  // namespace glycine::distance
