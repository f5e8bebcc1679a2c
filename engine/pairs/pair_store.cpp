#include "engine/pairs/pair_store.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "engine/storage/atomic_file.hpp"

namespace glycine::pairs {

namespace fs = std::filesystem;

namespace {

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
    : format_(format),
      tiles_(storedBytes(format.layout, format.type)),
      values_(makePairArray(tiles_.data(), format.layout, format.type, format.diagonal)) {}

PairStore::PairStore(const fs::path& target, std::string_view identity, const PairFormat& format,
                     std::string_view header, bool restart)
    : format_(format),
      tiles_(replaceable(target), wholeIdentity(identity, format, header),
             header.size() + storedBytes(format.layout, format.type), piecesOf(format, header.size()),
             restart),
      values_(makePairArray(tiles_.data() + header.size(), format.layout, format.type, format.diagonal)) {
    std::memcpy(tiles_.data(), header.data(), header.size());
}

void PairStore::store(const PairTile& tile, MatrixView<const double> values) {
    values_->write(tile, values);
    tiles_.finish(tile.rows, tile.columns);
}

}  // namespace glycine::pairs
