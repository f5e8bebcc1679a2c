#include "engine/pairs/pair_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/pairs/stored_value.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::pairs {

namespace fs = std::filesystem;

namespace {

/// Number of pairs from which several threads pay off.
constexpr std::size_t kParallelPairs = 100000;
/// Side of the squares that are transposed at a time: one fits into a first-level cache.
constexpr std::size_t kTurned = 64;

/// A tile's values as a store reads them. put(row, first, count, target) converts elements and returns
/// whether all of them fit.
struct TileOfValues {
    MatrixView<const double> values;

    template <class T>
    bool put(std::size_t row, std::size_t first, std::size_t count, T* target) const {
        const double* source = values.row(row) + first;
        bool fits = true;
        for (std::size_t k = 0; k < count; ++k) fits &= toStored(source[k], target[k]);
        return fits;
    }
};
struct TileOfWholeNumbers {
    const WholeTile& whole;

    template <class T>
    bool put(std::size_t row, std::size_t first, std::size_t count, T* target) const {
        const std::uint32_t* source = whole.values.row(row) + first;
        for (std::size_t k = 0; k < count; ++k) target[k] = static_cast<T>(source[k]);
        if (whole.leastInCommon == 0) return true;
        T none{};
        toStored(std::numeric_limits<double>::quiet_NaN(), none);
        for (std::size_t k = 0; k < count; ++k) target[k] = whole.hasValue(row, first + k) ? target[k] : none;
        return true;
    }
};

/// The values in their stored type. `write`, `value` and `readBlock` behave as documented in PairStore.
template <class T>
struct TypedValues {
    T* data;  ///< in the memory of `tiles`
    const storage::TileStore& tiles;
    PairLayout layout;
    const PairFormat& format;

    /// Returns false if a value does not fit the type.
    template <class Source>
    bool write(const PairTile& tile, const Source& source) {
        tiles.waitUntilWritable();
        bool fits = !layout.holdsBelow() || writeBelow(tile, source);
        if (layout.holdsAbove()) fits = writeAbove(tile, source) && fits;
        if (layout.layout == StoreLayout::Square && tile.isDiagonal())
            for (std::size_t i = tile.rows.begin; i < tile.rows.end; ++i)
                data[layout.index(i, i)] = static_cast<T>(format.diagonalOf(i));
        return fits;
    }

    double value(std::size_t i, std::size_t j) const {
        if (i == j) return format.diagonalOf(i);
        const bool isHeld = layout.layout == StoreLayout::Square || (i > j) == layout.holdsBelow();
        return fromStored(isHeld ? data[layout.index(i, j)] : data[layout.index(j, i)]);
    }

    void readBlock(Range rows, Range columns, MatrixView<double> values) const {
        constexpr std::size_t kColumns = 512;
        const auto pieces = static_cast<std::ptrdiff_t>((columns.size() + kColumns - 1) / kColumns);
#pragma omp parallel for schedule(static) if (rows.size() * columns.size() > kParallelPairs)
        for (std::ptrdiff_t piece = 0; piece < pieces; ++piece) {
            const std::size_t begin = columns.begin + static_cast<std::size_t>(piece) * kColumns;
            const Range part{begin, std::min(begin + kColumns, columns.end)};
            const MatrixView<double> target =
                values.block(0, begin - columns.begin, rows.size(), part.size());
            for (std::size_t r = 0; r < rows.size(); ++r) readHeld(rows.begin + r, part, target.row(r));
            const bool isHalf =
                layout.layout == StoreLayout::Triangle || layout.layout == StoreLayout::Condensed;
            if (isHalf) readMirrored(rows, part, target);
        }
    }

    /// Where to create `count` elements from `at` on: in place, or in `buffer`, from which `put` copies them.
    T* place(std::size_t at, std::size_t count, std::vector<T>& buffer) const {
        if (!tiles.prefersPut(count * sizeof(T))) return data + at;
        buffer.resize(count);
        return buffer.data();
    }
    void put(std::size_t at, std::size_t count, const T* made) {
        if (made != data + at)
            tiles.put(static_cast<std::size_t>(reinterpret_cast<const std::byte*>(data + at) - tiles.data()),
                      std::as_bytes(std::span(made, count)));
    }

    /// Elements (row, column) with column < row.
    template <class Source>
    bool writeBelow(const PairTile& tile, const Source& source) {
        const auto rows = static_cast<std::ptrdiff_t>(tile.rows.size());
        bool fits = true;
#pragma omp parallel reduction(&& : fits) if (tile.pairs() > kParallelPairs)
        {
            std::vector<T> buffer;
#pragma omp for schedule(static)
            for (std::ptrdiff_t r = 0; r < rows; ++r) {
                const std::size_t row = tile.rows.begin + static_cast<std::size_t>(r);
                const std::size_t end = std::min(tile.columns.end, row);
                if (end <= tile.columns.begin) continue;
                const std::size_t count = end - tile.columns.begin;
                const std::size_t at = layout.index(row, tile.columns.begin);
                T* target = place(at, count, buffer);
                const bool rowFits = source.put(static_cast<std::size_t>(r), 0, count, target);
                put(at, count, target);
                fits = fits && rowFits;
            }
        }
        return fits;
    }

    /// The mirror images (column, row) of these elements.
    template <class Source>
    bool writeAbove(const PairTile& tile, const Source& source) {
        const auto pieces = static_cast<std::ptrdiff_t>((tile.columns.size() + kTurned - 1) / kTurned);
        bool fits = true;
#pragma omp parallel reduction(&& : fits) if (tile.pairs() > kParallelPairs)
        {
            std::array<std::vector<T>, kTurned> buffers;
            std::array<std::array<T, kTurned>, kTurned> turned;
#pragma omp for schedule(static)
            for (std::ptrdiff_t piece = 0; piece < pieces; ++piece) {
                const std::size_t begin = tile.columns.begin + static_cast<std::size_t>(piece) * kTurned;
                const std::size_t end = std::min(begin + kTurned, tile.columns.end);
                // First row of each column in the tile.
                const auto firstOf = [&](std::size_t column) {
                    return std::max(tile.rows.begin, column + 1);
                };
                std::array<T*, kTurned> targets{};
                for (std::size_t column = begin; column < end && firstOf(column) < tile.rows.end; ++column)
                    targets[column - begin] = place(layout.index(column, firstOf(column)),
                                                    tile.rows.end - firstOf(column), buffers[column - begin]);
                bool pieceFits = true;
                for (const Range rows : splitRange(tile.rows.size(), kTurned)) {
                    const std::size_t above = tile.rows.begin + rows.begin;
                    for (std::size_t r = 0; r < rows.size(); ++r) {
                        const std::size_t count = std::min(end, std::max(begin, above + r)) - begin;
                        pieceFits &=
                            source.put(rows.begin + r, begin - tile.columns.begin, count, turned[r].data());
                    }
                    for (std::size_t column = begin; column < end; ++column) {
                        const std::size_t first = firstOf(column);
                        for (std::size_t row = std::max(first, above); row < above + rows.size(); ++row)
                            targets[column - begin][row - first] = turned[row - above][column - begin];
                    }
                }
                for (std::size_t column = begin; column < end && firstOf(column) < tile.rows.end; ++column)
                    put(layout.index(column, firstOf(column)), tile.rows.end - firstOf(column),
                        targets[column - begin]);
                fits = fits && pieceFits;
            }
        }
        return fits;
    }

    /// Reads the stored elements of a piece of one row, and the diagonal.
    void readHeld(std::size_t row, Range columns, double* target) const {
        Range held = columns;
        if (layout.layout == StoreLayout::Triangle) held.end = std::min(held.end, row);
        if (layout.layout == StoreLayout::Condensed) held.begin = std::max(held.begin, row + 1);
        if (held.begin < held.end)
            std::transform(data + layout.index(row, held.begin),
                           data + layout.index(row, held.begin) + held.size(),
                           target + (held.begin - columns.begin), [](T value) { return fromStored(value); });
        if (row >= columns.begin && row < columns.end) target[row - columns.begin] = format.diagonalOf(row);
    }

    /// Reads the elements of a block that are stored as (column, row).
    void readMirrored(Range rows, Range columns, MatrixView<double> target) const {
        const bool isTriangle = layout.layout == StoreLayout::Triangle;
        for (std::size_t column = columns.begin; column < columns.end; ++column) {
            const std::size_t begin = isTriangle ? rows.begin : std::max(rows.begin, column + 1);
            const std::size_t end = isTriangle ? std::min(rows.end, column) : rows.end;
            if (begin >= end) continue;
            const T* source = data + layout.index(column, begin);
            for (std::size_t row = begin; row < end; ++row)
                target(row - rows.begin, column - columns.begin) = fromStored(source[row - begin]);
        }
    }
};

const PairFormat& checked(const PairFormat& format) {
    checkKnown(format.layout.layout);
    checkKnown(format.type);
    const PairLayout& layout = format.layout;
    if (layout.layout == StoreLayout::Rectangle &&
        (layout.references == 0 || layout.references >= layout.instances))
        throw UsageError(fmt::format(
            "{} references among {} instances; expected at least one, and at least one other instance",
            layout.references, layout.instances));
    if (!format.diagonals.empty())
        checkCount("the values of the diagonal", format.diagonals.size(), format.layout.instances,
                   "one for each instance, or none");
    return format;
}

/// Throws UsageError unless the ranges lie in a result of this many instances and match the view's size.
template <class T>
void checkBlock(Range rows, Range columns, std::size_t instances, MatrixView<T> values) {
    for (const Range range : {rows, columns})
        if (range.begin > range.end || range.end > instances)
            throw UsageError(fmt::format("instances {} to {} of a result of {}; expected a part of it",
                                         range.begin, range.end, instances));
    if (values.rows() != rows.size() || values.columns() != columns.size())
        throw UsageError(fmt::format("{} × {} values for a block of {} × {} pairs; expected as many",
                                     values.rows(), values.columns(), rows.size(), columns.size()));
    checkView("the values of the block", values);
}

fs::path replaceable(const fs::path& target) {
    fs::path resolved = storage::resolveLink(target);
    storage::requireReplaceable(resolved);
    return resolved;
}

std::string wholeIdentity(std::string_view identity, const PairFormat& format, std::string_view header) {
    return fmt::format("{}kept as: {} of {} {} values{}\n", identity, toString(format.layout.layout),
                       format.layout.instances, toString(format.type),
                       header.empty() ? "" : " as the output has them");
}

storage::TilePieces piecesOf(const PairFormat& format, std::size_t headerBytes) {
    return [layout = format.layout, size = bytesOf(format.type), headerBytes](
               Range rows, Range columns, const std::function<void(Range)>& visit) {
        const PairTile tile{rows, columns};
        if (!layout.hasTile(tile)) return false;
        layout.forPieces(tile, [&](Range elements) {
            visit({headerBytes + elements.begin * size, headerBytes + elements.end * size});
        });
        return true;
    };
}

}  // namespace

PairStore::PairStore(const PairFormat& format)
    : format_(checked(format)), tiles_(storedBytes(format.layout, format.type)), values_(tiles_.data()) {}

PairStore::PairStore(const PairFormat& format, std::byte* memory)
    : format_(checked(format)), tiles_(memory), values_(memory) {}

PairStore::PairStore(const fs::path& target, std::string_view identity, const PairFormat& format,
                     std::string_view header, bool restart)
    : format_(checked(format)),
      tiles_(replaceable(target), wholeIdentity(identity, format, header),
             header.size() + storedBytes(format.layout, format.type), piecesOf(format, header.size()),
             restart),
      values_(tiles_.data() + header.size()) {
    tiles_.fillCache();
    std::memcpy(tiles_.data(), header.data(), header.size());
}

template <class Use>
auto PairStore::use(const Use& use) const {
    const auto as = [&]<class T>(T* data) {
        return use(TypedValues<T>{data, tiles_, format_.layout, format_});
    };
    switch (format_.type) {
        case ValueType::Int32:
            return as(reinterpret_cast<std::int32_t*>(values_));
        case ValueType::Float32:
            return as(reinterpret_cast<float*>(values_));
        case ValueType::Float64:
            break;
    }
    return as(reinterpret_cast<double*>(values_));
}

void PairStore::store(const PairTile& tile, MatrixView<const double> values) {
    checkBlock(tile.rows, tile.columns, instances(), values);
    if (!use([&](auto typed) { return typed.write(tile, TileOfValues{values}); }))
        refuseFirst(tile, values, format_.type);
    tiles_.finish(tile.rows, tile.columns);
}

void PairStore::store(const PairTile& tile, const WholeTile& whole) {
    checkBlock(tile.rows, tile.columns, instances(), whole.values);
    use([&](auto typed) { return typed.write(tile, TileOfWholeNumbers{whole}); });
    tiles_.finish(tile.rows, tile.columns);
}

namespace {

std::vector<PairTile> placesOf(const std::vector<storage::FinishedTile>& finished) {
    std::vector<PairTile> tiles;
    for (const storage::FinishedTile& tile : finished) tiles.push_back({tile.rows, tile.columns});
    return tiles;
}

}  // namespace

std::vector<PairTile> PairStore::keptTiles() const {
    return placesOf(tiles_.kept());
}

std::vector<PairTile> PairStore::tilesOfOtherProcesses() const {
    return placesOf(tiles_.tilesOfOtherProcesses());
}

double PairStore::value(std::size_t i, std::size_t j) const {
    return use([&](auto typed) { return typed.value(i, j); });
}

const double* PairStore::rowInPlace(std::size_t row) const {
    if (format_.layout.layout != StoreLayout::Square || format_.type != ValueType::Float64) return nullptr;
    return reinterpret_cast<const double*>(values_) + format_.layout.index(row, 0);
}

void PairStore::readBlock(Range rows, Range columns, MatrixView<double> values) const {
    checkBlock(rows, columns, instances(), values);
    if (layout() == StoreLayout::Rectangle && (rows.begin < references() || columns.end > references()))
        throw UsageError("a rectangle holds no values of whole rows");
    use([&](auto typed) { typed.readBlock(rows, columns, values); });
}

}  // namespace glycine::pairs
