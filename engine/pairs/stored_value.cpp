#include "engine/pairs/stored_value.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::pairs {

namespace {

template <class T>
bool convertEachToStored(std::span<const double> values, std::span<double> held) {
    bool fits = true;
    for (std::size_t k = 0; k < values.size(); ++k) {
        T stored{};
        fits &= toStored(values[k], stored);
        held[k] = fromStored(stored);
    }
    return fits;
}

/// Rows of a tile that a thread takes at once.
constexpr std::size_t kRowsOfPart = 16;

}  // namespace

double storedValue(std::size_t row, std::size_t column, double value, ValueType type) {
    double held = 0;
    if (convertToStored(type, {&value, 1}, {&held, 1})) return held;
    throw UsageError(
        fmt::format("instances {} and {}: the value {} does not fit {}, which holds {}; use --dtype float64",
                    row + 1, column + 1, value, toString(type),
                    type == ValueType::Int32 ? "whole numbers up to 2147483647" : "numbers up to 3.4e38"));
}

bool convertToStored(ValueType type, std::span<const double> values, std::span<double> held) {
    switch (type) {
        case ValueType::Int32:
            return convertEachToStored<std::int32_t>(values, held);
        case ValueType::Float32:
            return convertEachToStored<float>(values, held);
        case ValueType::Float64:
            break;
    }
    return convertEachToStored<double>(values, held);
}

std::size_t partsOfStoredRows(const PairTile& tile) {
    return (tile.rows.size() + kRowsOfPart - 1) / kRowsOfPart;
}

void visitStoredRows(
    const PairTile& tile, MatrixView<const double> values, ValueType type,
    const std::function<void(std::size_t, std::size_t, std::size_t, std::span<const double>)>& visit) {
    const std::size_t first = tile.columns.begin;
    std::atomic<bool> allFit = true;
    parallelFor(omp_get_max_threads(), partsOfStoredRows(tile), [&](std::size_t part, std::size_t) {
        std::vector<double> buffer(tile.columns.size());
        const std::size_t end = std::min((part + 1) * kRowsOfPart, tile.rows.size());
        for (std::size_t r = part * kRowsOfPart; r < end; ++r) {
            const std::size_t row = tile.rows.begin + r;
            if (row <= first) continue;
            const std::span<double> held(buffer.data(), std::min(tile.columns.end, row) - first);
            if (!convertToStored(type, {values.row(r), held.size()}, held)) allFit = false;
            visit(part, row, first, held);
        }
    });
    if (!allFit) refuseFirst(tile, values, type);
}

void refuseFirst(const PairTile& tile, MatrixView<const double> values, ValueType type) {
    for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row)
        for (std::size_t column = tile.columns.begin; column < std::min(tile.columns.end, row); ++column)
            storedValue(row, column, values(row - tile.rows.begin, column - tile.columns.begin), type);
    throw std::logic_error("a value did not fit, and now all do");
}

}  // namespace glycine::pairs
