#pragma once

#include <cstddef>
#include <functional>

#include "engine/core/names.hpp"
#include "engine/pairs/pair_tile.hpp"

/// How all-pairs values are laid out in memory and in files.
namespace glycine::pairs {

/// The number type of stored values.
enum class ValueType { Int32, Float32, Float64 };
constexpr auto namesOf(ValueType) {
    using enum ValueType;
    return namesAre<ValueType>("value type", {{Int32, "int32"}, {Float32, "float32"}, {Float64, "float64"}});
}
/// Bytes of one value.
std::size_t bytesOf(ValueType type);

/// Which elements of the N × N result are stored, row by row.
enum class StoreLayout {
    Square,     ///< all
    Triangle,   ///< below the diagonal: (1,0), (2,0), (2,1), …
    Condensed,  ///< above the diagonal: (0,1), (0,2), …, (1,2), …: SciPy's condensed distance matrix
    Rectangle,  ///< rows from PairLayout::references on, columns below it
};
constexpr auto namesOf(StoreLayout) {
    using enum StoreLayout;
    return namesAre<StoreLayout>(
        "layout",
        {{Square, "square"}, {Triangle, "triangle"}, {Condensed, "condensed"}, {Rectangle, "rectangle"}});
}

/// Where an element of the N × N result is stored. Elements of a row are consecutive.
struct PairLayout {
    std::size_t instances = 0;
    StoreLayout layout = StoreLayout::Square;
    std::size_t references = 0;  ///< of a rectangle: the number of instances that are its columns

    std::size_t elements() const {
        if (layout == StoreLayout::Rectangle) return (instances - references) * references;
        return layout == StoreLayout::Square ? instances * instances : instances * (instances - 1) / 2;
    }
    bool holdsBelow() const { return layout != StoreLayout::Condensed; }
    bool holdsAbove() const { return layout == StoreLayout::Square || layout == StoreLayout::Condensed; }
    /// Index of the stored element (row, column).
    std::size_t index(std::size_t row, std::size_t column) const {
        switch (layout) {
            case StoreLayout::Triangle:
                return row * (row - 1) / 2 + column;
            case StoreLayout::Condensed:
                return row * (2 * instances - row - 1) / 2 + (column - row - 1);
            case StoreLayout::Rectangle:
                return (row - references) * references + column;
            case StoreLayout::Square:
                break;
        }
        return row * instances + column;
    }
    /// Whether the tile belongs to this result, on or below the diagonal.
    bool hasTile(const PairTile& tile) const {
        if (layout == StoreLayout::Rectangle)
            return tile.rows.begin >= references && tile.rows.end <= instances &&
                   tile.columns.end <= references;
        return tile.rows.end <= instances && (tile.isDiagonal() || tile.columns.end <= tile.rows.begin);
    }
    /// Calls visit(elements) for the pieces of rows that hold the tile, including its mirror image, always in
    /// the same order.
    void forPieces(const PairTile& tile, const std::function<void(Range)>& visit) const;
};

/// Bytes of all values. Throws UsageError for more than 2³⁰ instances.
std::size_t storedBytes(const PairLayout& layout, ValueType type);

}  // namespace glycine::pairs
