#include "engine/pairs/pair_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "engine/core/error.hpp"

namespace glycine::pairs {

namespace {

/// Pairs from which on several threads are worth while.
constexpr std::size_t kParallelPairs = 100000;
/// Columns that are turned into rows at once: as many lines of a cache as it can hold beside each other.
constexpr std::size_t kTurned = 16;

/// Converts a value; false when the type cannot hold it.
bool convert(double value, std::int32_t& target) {
    constexpr double kLargest = std::numeric_limits<std::int32_t>::max();
    const bool isInRange = value >= -kLargest && value <= kLargest;
    target = isInRange ? static_cast<std::int32_t>(value) : 0;
    return target == value;
}
bool convert(double value, float& target) {
    target = static_cast<float>(value);
    return std::isfinite(target) || !std::isfinite(value);
}
bool convert(double value, double& target) {
    target = value;
    return true;
}

[[noreturn]] void refuse(std::size_t row, std::size_t column, double value, ValueType type) {
    throw UsageError(
        fmt::format("instances {} and {}: the value {} does not fit {}, which holds {}; use --dtype float64",
                    row + 1, column + 1, value, toString(type),
                    type == ValueType::Int32 ? "whole numbers up to 2147483647" : "numbers up to 3.4e38"));
}

template <class T>
class TypedPairArray final : public PairArray {
  public:
    TypedPairArray(T* data, PairLayout layout, ValueType type, double diagonalValue)
        : data_(data), layout_(layout), type_(type), diagonal_(diagonalValue) {}

    void write(const PairTile& tile, MatrixView<const double> values) override {
        bool fits = !layout_.holdsBelow() || writeBelow(tile, values);
        if (layout_.holdsAbove()) fits = writeAbove(tile, values) && fits;
        if (!fits) refuseFirst(tile, values);
        if (layout_.layout == StoreLayout::Square && tile.isDiagonal())
            for (std::size_t i = tile.rows.begin; i < tile.rows.end; ++i)
                data_[layout_.index(i, i)] = static_cast<T>(diagonal_);
    }

    double value(std::size_t i, std::size_t j) const override {
        if (i == j) return diagonal_;
        const bool isHeld = layout_.layout == StoreLayout::Square || (i > j) == layout_.holdsBelow();
        return isHeld ? data_[layout_.index(i, j)] : data_[layout_.index(j, i)];
    }

    void readBlock(Range rows, Range columns, MatrixView<double> values) const override {
        constexpr std::size_t kColumns = 512;
        const auto pieces = static_cast<std::ptrdiff_t>((columns.size() + kColumns - 1) / kColumns);
#pragma omp parallel for schedule(static) if (rows.size() * columns.size() > kParallelPairs)
        for (std::ptrdiff_t piece = 0; piece < pieces; ++piece) {
            const std::size_t begin = columns.begin + static_cast<std::size_t>(piece) * kColumns;
            const Range part{begin, std::min(begin + kColumns, columns.end)};
            const MatrixView<double> target =
                values.block(0, begin - columns.begin, rows.size(), part.size());
            for (std::size_t r = 0; r < rows.size(); ++r) readHeld(rows.begin + r, part, target.row(r));
            if (layout_.layout != StoreLayout::Square) readMirrored(rows, part, target);
        }
    }

  private:
    /// Elements (row, column) with column < row; false when a value does not fit.
    bool writeBelow(const PairTile& tile, MatrixView<const double> values) {
        const auto rows = static_cast<std::ptrdiff_t>(tile.rows.size());
        bool fits = true;
#pragma omp parallel for schedule(static) reduction(&& : fits) if (tile.pairs() > kParallelPairs)
        for (std::ptrdiff_t r = 0; r < rows; ++r) {
            const std::size_t row = tile.rows.begin + static_cast<std::size_t>(r);
            const std::size_t end = std::min(tile.columns.end, row);
            if (end <= tile.columns.begin) continue;
            const double* source = values.row(static_cast<std::size_t>(r));
            T* target = data_ + layout_.index(row, tile.columns.begin);
            bool rowFits = true;
            for (std::size_t c = 0; c < end - tile.columns.begin; ++c)
                rowFits &= convert(source[c], target[c]);
            fits = fits && rowFits;
        }
        return fits;
    }

    /// Their mirror images (column, row).
    bool writeAbove(const PairTile& tile, MatrixView<const double> values) {
        const auto pieces = static_cast<std::ptrdiff_t>((tile.columns.size() + kTurned - 1) / kTurned);
        bool fits = true;
#pragma omp parallel for schedule(static) reduction(&& : fits) if (tile.pairs() > kParallelPairs)
        for (std::ptrdiff_t piece = 0; piece < pieces; ++piece) {
            const std::size_t begin = tile.columns.begin + static_cast<std::size_t>(piece) * kTurned;
            const std::size_t end = std::min(begin + kTurned, tile.columns.end);
            bool pieceFits = true;
            for (std::size_t row = std::max(tile.rows.begin, begin + 1); row < tile.rows.end; ++row) {
                const double* source = values.row(row - tile.rows.begin);
                for (std::size_t column = begin; column < std::min(end, row); ++column)
                    pieceFits &=
                        convert(source[column - tile.columns.begin], data_[layout_.index(column, row)]);
            }
            fits = fits && pieceFits;
        }
        return fits;
    }

    [[noreturn]] void refuseFirst(const PairTile& tile, MatrixView<const double> values) const {
        T ignored{};
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            for (std::size_t c = 0; c < tile.columns.size(); ++c) {
                const std::size_t row = tile.rows.begin + r;
                const std::size_t column = tile.columns.begin + c;
                if (column < row && !convert(values(r, c), ignored)) refuse(row, column, values(r, c), type_);
            }
        throw std::logic_error("a value did not fit, and now all do");
    }

    /// The elements of a piece of one row that are held, and the diagonal.
    void readHeld(std::size_t row, Range columns, double* target) const {
        Range held = columns;
        if (layout_.layout == StoreLayout::Triangle) held.end = std::min(held.end, row);
        if (layout_.layout == StoreLayout::Condensed) held.begin = std::max(held.begin, row + 1);
        if (held.begin < held.end)
            std::copy_n(data_ + layout_.index(row, held.begin), held.size(),
                        target + (held.begin - columns.begin));
        if (row >= columns.begin && row < columns.end) target[row - columns.begin] = diagonal_;
    }

    /// Those of a block that are held as (column, row).
    void readMirrored(Range rows, Range columns, MatrixView<double> target) const {
        const bool isTriangle = layout_.layout == StoreLayout::Triangle;
        for (std::size_t column = columns.begin; column < columns.end; ++column) {
            const std::size_t begin = isTriangle ? rows.begin : std::max(rows.begin, column + 1);
            const std::size_t end = isTriangle ? std::min(rows.end, column) : rows.end;
            if (begin >= end) continue;
            const T* source = data_ + layout_.index(column, begin);
            for (std::size_t row = begin; row < end; ++row)
                target(row - rows.begin, column - columns.begin) = source[row - begin];
        }
    }

    T* data_;
    PairLayout layout_;
    ValueType type_;
    double diagonal_;
};

template <class T>
std::unique_ptr<PairArray> makeTyped(std::byte* memory, PairLayout layout, ValueType type,
                                     double diagonalValue) {
    return std::make_unique<TypedPairArray<T>>(reinterpret_cast<T*>(memory), layout, type, diagonalValue);
}

}  // namespace

std::unique_ptr<PairArray> makePairArray(std::byte* memory, PairLayout layout, ValueType type,
                                         double diagonalValue) {
    switch (type) {
        case ValueType::Int32:
            return makeTyped<std::int32_t>(memory, layout, type, diagonalValue);
        case ValueType::Float32:
            return makeTyped<float>(memory, layout, type, diagonalValue);
        case ValueType::Float64:
            break;
    }
    return makeTyped<double>(memory, layout, type, diagonalValue);
}

}  // namespace glycine::pairs
