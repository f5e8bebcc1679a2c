#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/algorithms/distance/results/pair_array.hpp"
#include "engine/algorithms/distance/results/result_store.hpp"
#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/tile_journal.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

/// What a run that is killed may lose. Bringing each of many small tiles to the disk by itself would take
/// longer than computing it.
constexpr double kSecondsBetweenEntries = 1;

fs::path withSuffix(fs::path path, std::string_view suffix) {
    return path += suffix;
}

PairTile pairTile(const io::FinishedTile& tile) {
    return {tile.rows, tile.columns};
}

std::string npyHeader(PairLayout layout, ValueType type) {
    const char* dtype = type == ValueType::Int32 ? "<i4" : type == ValueType::Float32 ? "<f4" : "<f8";
    const std::size_t square[] = {layout.instances, layout.instances};
    const std::size_t condensed[] = {layout.elements()};
    switch (layout.layout) {
        case StoreLayout::Square:
            return io::npyHeaderText(dtype, square);
        case StoreLayout::Condensed:
            return io::npyHeaderText(dtype, condensed);
        case StoreLayout::Triangle:
            break;
    }
    throw std::invalid_argument("an .npy file holds a square or the condensed form");
}

class MappedStoreFile final : public MappedStore {
  public:
    MappedStoreFile(fs::path target, PairLayout layout, ValueType type, double diagonalValue,
                    std::string header, std::unique_ptr<io::TileJournal> journal,
                    std::unique_ptr<io::WorkingFile> file)
        : target_(std::move(target)),
          layout_(layout),
          type_(type),
          header_(std::move(header)),
          journal_(std::move(journal)),
          file_(std::move(file)) {
        std::memcpy(file_->bytes().data(), header_.data(), header_.size());
        values_ = makePairArray(file_->bytes().data() + header_.size(), layout, type, diagonalValue);
        if (file_->isKept()) verify();
    }

    ~MappedStoreFile() override {
        if (isClosed_) return;
        try {
            flush();
        } catch (const std::exception&) {
            // What could not be entered is computed again.
        }
        if (finished_.empty()) discard();
    }

    bool has(const PairTile& tile) const override { return finished_.contains(place(tile)); }

    void store(const PairTile& tile, MatrixView<const double> values) override {
        values_->write(tile, values);
        pending_.push_back({tile.rows, tile.columns, values_->checksum(tile)});
        const Range extent = values_->extent(tile);
        unsynced_ = {std::min(unsynced_.begin, extent.begin), std::max(unsynced_.end, extent.end)};
        finished_.insert(place(tile));
        if (sinceFlush_.seconds() >= kSecondsBetweenEntries) flush();
    }

    std::size_t instances() const override { return layout_.instances; }
    ValueType valueType() const override { return type_; }
    StoreLayout layout() const override { return layout_.layout; }
    double value(std::size_t i, std::size_t j) const override { return values_->value(i, j); }
    void readBlock(Range rows, Range columns, MatrixView<double> values) const override {
        values_->readBlock(rows, columns, values);
    }
    std::size_t tilesKept() const override { return tilesKept_; }

    void commitAsTarget() override {
        if (header_.empty()) throw std::logic_error("only a .npy file can take the place of the target");
        file_->moveTo(target_);
        journal_->remove();
        isClosed_ = true;
    }

    void discard() override {
        file_->remove();
        journal_->remove();
        isClosed_ = true;
    }

  private:
    using Place = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;
    static Place place(const PairTile& tile) {
        return {tile.rows.begin, tile.rows.end, tile.columns.begin, tile.columns.end};
    }

    /// Whether the journal of a run with the same parameters can have entered it.
    bool isInside(const PairTile& tile) const {
        return tile.rows.end <= layout_.instances &&
               (tile.isDiagonal() || tile.columns.end <= tile.rows.begin);
    }

    void verify() {
        const std::vector<io::FinishedTile>& tiles = journal_->tiles();
        std::vector<char> isIntact(tiles.size(), 0);
        const auto count = static_cast<std::ptrdiff_t>(tiles.size());
#pragma omp parallel for schedule(dynamic)
        for (std::ptrdiff_t i = 0; i < count; ++i) {
            const io::FinishedTile& tile = tiles[static_cast<std::size_t>(i)];
            isIntact[static_cast<std::size_t>(i)] =
                isInside(pairTile(tile)) && values_->checksum(pairTile(tile)) == tile.checksum ? 1 : 0;
        }
        for (std::size_t i = 0; i < tiles.size(); ++i)
            if (isIntact[i] != 0) finished_.insert(place(pairTile(tiles[i])));
        tilesKept_ = finished_.size();
    }

    /// Brings the values of the latest tiles to the disk, then enters the tiles.
    void flush() {
        if (pending_.empty()) return;
        const std::size_t bytes = type_ == ValueType::Float64 ? 8 : 4;
        if (unsynced_.begin < unsynced_.end)
            file_->sync(header_.size() + unsynced_.begin * bytes, header_.size() + unsynced_.end * bytes);
        journal_->enter(pending_);
        pending_.clear();
        unsynced_ = kNothing;
        sinceFlush_.restart();
    }

    static constexpr Range kNothing{std::numeric_limits<std::size_t>::max(), 0};

    fs::path target_;
    PairLayout layout_;
    ValueType type_;
    std::string header_;
    std::unique_ptr<io::TileJournal> journal_;
    std::unique_ptr<io::WorkingFile> file_;
    std::unique_ptr<PairArray> values_;
    std::set<Place> finished_;
    std::size_t tilesKept_ = 0;
    std::vector<io::FinishedTile> pending_;  ///< stored, but not yet in the journal
    Range unsynced_ = kNothing;              ///< elements of these tiles
    Stopwatch sinceFlush_;
    bool isClosed_ = false;
};

}  // namespace

std::unique_ptr<MappedStore> MappedStore::open(const fs::path& target, const RunIdentity& identity,
                                               std::size_t instances, ValueType type, StoreLayout layout,
                                               double diagonalValue, bool isNpy, bool restart) {
    const fs::path resolved = io::resolveLink(target);
    io::requireReplaceable(resolved);
    const fs::path values = withSuffix(resolved, ".unfinished");
    const PairLayout pairs{instances, layout};
    const std::size_t bytes = storedBytes(instances, type, layout);
    std::string header = isNpy ? npyHeader(pairs, type) : std::string();
    const std::string wholeIdentity =
        fmt::format("{}kept as: {} of {} {} values{}\n", identity.text, toString(layout), instances,
                    toString(type), isNpy ? " in a .npy file" : "");
    // Without the values, what the journal says means nothing.
    auto journal = std::make_unique<io::TileJournal>(withSuffix(values, ".tiles"), wholeIdentity,
                                                     restart || !fs::exists(values));
    std::unique_ptr<io::WorkingFile> file;
    try {
        file = std::make_unique<io::WorkingFile>(values, std::max<std::size_t>(1, header.size() + bytes),
                                                 !journal->tiles().empty());
    } catch (const Error&) {
        if (journal->tiles().empty()) journal->remove();
        throw;
    }
    return std::make_unique<MappedStoreFile>(resolved, pairs, type, diagonalValue, std::move(header),
                                             std::move(journal), std::move(file));
}

}  // namespace glycine::distance
