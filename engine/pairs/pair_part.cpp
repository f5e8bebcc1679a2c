#include "engine/pairs/pair_part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/pairs/stored_value.hpp"
#include "engine/pairs/tile_sharing.hpp"

namespace glycine::pairs {

namespace {

/// Calls use(T()) with a number of the type.
template <class Use>
auto withType(ValueType type, const Use& use) {
    switch (type) {
        case ValueType::Int32:
            return use(std::int32_t());
        case ValueType::Float32:
            return use(float());
        case ValueType::Float64:
            break;
    }
    return use(double());
}

std::size_t referencesOf(const PairLayout& layout) {
    return layout.layout == StoreLayout::Rectangle ? layout.references : 0;
}

/// The tile's values as bytes; meaningless elements of a diagonal tile become 0.
template <class T>
bool toBytes(const PairTile& tile, MatrixView<const double> values, std::vector<std::byte>& bytes) {
    bytes.assign(tile.rows.size() * tile.columns.size() * sizeof(T), std::byte{});
    auto* target = reinterpret_cast<T*>(bytes.data());
    bool fits = true;
    for (std::size_t r = 0; r < tile.rows.size(); ++r) {
        const std::size_t count = tile.columnsOf(r);
        for (std::size_t c = 0; c < count; ++c)
            fits &= toStored(values(r, c), target[r * tile.columns.size() + c]);
    }
    return fits;
}

Matrix<double> toValues(const PairTile& tile, ValueType type, std::span<const std::byte> bytes) {
    Matrix<double> values(tile.rows.size(), tile.columns.size());
    withType(type, [&]<class T>(T) {
        const auto* source = reinterpret_cast<const T*>(bytes.data());
        std::transform(source, source + values.size(), values.data(),
                       [](T value) { return fromStored(value); });
    });
    return values;
}

}  // namespace

PairPart::PairPart(const std::filesystem::path& output, storage::PartHead head, const PairFormat& format,
                   std::size_t side, bool restart)
    : format_(format), side_(side) {
    static_cast<void>(storedBytes(format.layout, format.type));
    const std::vector<PairTile> all = tilesOf(format.layout.instances, side, referencesOf(format.layout));
    std::vector<storage::PartTile> own;
    for (std::size_t t = 0; t < all.size(); ++t)
        if (head.part.has(t))
            own.push_back({all[t].rows, all[t].columns,
                           all[t].rows.size() * all[t].columns.size() * bytesOf(format.type)});
    head.identity = identityOfPart(head.identity, format);
    store_ = std::make_unique<storage::PartStore>(output, head, std::move(own), restart);
}

void PairPart::store(const PairTile& tile, MatrixView<const double> values) {
    const bool fits = withType(format_.type, [&]<class T>(T) { return toBytes<T>(tile, values, bytes_); });
    if (!fits) refuseFirst(tile, values, format_.type);
    store_->store(tile.rows, tile.columns, bytes_);
}

std::optional<std::size_t> PairPart::placeOf(std::size_t row, std::size_t column) const {
    const std::vector<storage::PartTile>& tiles = store_->tiles();
    const std::size_t first = referencesOf(format_.layout);
    const std::pair begins(first + (row - first) / side_ * side_, column / side_ * side_);
    // Tiles are ordered by row, then column.
    const auto beginsOf = [](const storage::PartTile& tile) {
        return std::pair(tile.rows.begin, tile.columns.begin);
    };
    const auto found = std::ranges::lower_bound(tiles, begins, {}, beginsOf);
    if (found == tiles.end() || beginsOf(*found) != begins) return std::nullopt;
    return static_cast<std::size_t>(found - tiles.begin());
}

double PairPart::value(std::size_t row, std::size_t column) const {
    const std::size_t place = placeOf(row, column).value();
    const storage::PartTile& tile = store_->tiles()[place];
    const std::size_t element = (row - tile.rows.begin) * tile.columns.size() + (column - tile.columns.begin);
    return withType(format_.type, [&]<class T>(T) {
        return fromStored(reinterpret_cast<const T*>(store_->values(place).data())[element]);
    });
}

ValueSummary PairPart::summary(double diagonalValue) const {
    ValueSummarizer summarizer(diagonalValue);
    for (std::size_t t = 0; t < store_->tiles().size(); ++t) {
        throwIfCancellationRequested();
        const PairTile tile{store_->tiles()[t].rows, store_->tiles()[t].columns};
        const Matrix<double> values = toValues(tile, format_.type, store_->values(t));
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            summarizer.add(tile.rows.begin + r, tile.columns.begin, {values.row(r), tile.columnsOf(r)});
    }
    return summarizer.summary();
}

std::string identityOfPart(std::string_view identity, const PairFormat& format) {
    return fmt::format("{}values: {} of {} instances\n", identity, toString(format.type),
                       format.layout.instances);
}

void handOver(const storage::PartFile& part, ValueType type, PairSink& sink) {
    for (std::size_t t = 0; t < part.tiles().size(); ++t) {
        throwIfCancellationRequested();
        const PairTile tile{part.tiles()[t].rows, part.tiles()[t].columns};
        if (part.tiles()[t].bytes != tile.rows.size() * tile.columns.size() * bytesOf(type))
            throw InputError(
                fmt::format("{}: damaged: a tile has {} bytes", part.path().string(), part.tiles()[t].bytes));
        if (sink.has(tile)) continue;
        sink.store(tile, toValues(tile, type, part.values(t)).view());
    }
}

}  // namespace glycine::pairs
