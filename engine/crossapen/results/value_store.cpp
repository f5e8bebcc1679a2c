#include "engine/crossapen/results/value_store.hpp"

namespace glycine::crossapen {

namespace {

std::vector<std::size_t> offsetsOf(const std::vector<StoredFile>& files) {
    std::vector<std::size_t> offsets{0};
    for (const StoredFile& file : files)
        offsets.push_back(offsets.back() + file.epochs * file.shape.values());
    return offsets;
}

}  // namespace

ValueStore::ValueStore(std::vector<StoredFile> files)
    : files_(std::move(files)), offsets_(offsetsOf(files_)), tiles_(offsets_.back() * sizeof(double)) {}

ValueStore::ValueStore(const std::filesystem::path& path, std::string_view identity,
                       std::vector<StoredFile> files, bool restart)
    : files_(std::move(files)),
      offsets_(offsetsOf(files_)),
      tiles_(
          path, identity, offsets_.back() * sizeof(double),
          [this](Range rows, Range epochs, const std::function<void(Range)>& visit) {
              const std::size_t file = rows.begin;
              const bool isKnown =
                  rows.size() == 1 && file < files_.size() && epochs.end <= files_[file].epochs;
              if (isKnown) visit(bytes(file, epochs));
              return isKnown;
          },
          restart) {
    for (const storage::FinishedTile& tile : tiles_.kept()) insert(tile.rows.begin, tile.columns);
}

std::span<double> ValueStore::values(std::size_t file, Range epochs) {
    const Range place = bytes(file, epochs);
    return {reinterpret_cast<double*>(tiles_.data() + place.begin), place.size() / sizeof(double)};
}

void ValueStore::enter(std::size_t file, Range epochs) {
    tiles_.finish({file, file + 1}, epochs);
    insert(file, epochs);
}

void ValueStore::addTilesOfOtherProcesses() {
    for (const storage::FinishedTile& tile : tiles_.tilesOfOtherProcesses())
        insert(tile.rows.begin, tile.columns);
}

Range ValueStore::bytes(std::size_t file, Range epochs) const {
    const auto offset = [&](std::size_t epoch) {
        return (offsets_[file] + epoch * files_[file].shape.values()) * sizeof(double);
    };
    return {offset(epochs.begin), offset(epochs.end)};
}

void ValueStore::insert(std::size_t file, Range epochs) {
    for (std::size_t epoch = epochs.begin; epoch < epochs.end; ++epoch) complete_.insert({file, epoch});
}

}  // namespace glycine::crossapen
