#include "engine/algorithms/crossapen/results/value_store.hpp"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/storage/content_hash.hpp"
#include "engine/storage/tile_journal.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine::crossapen {

namespace fs = std::filesystem;

namespace {

fs::path valuesOf(const fs::path& path) {
    return fs::path(path) += ".unfinished";
}

class MemoryStore final : public ValueStore {
  public:
    explicit MemoryStore(std::vector<StoredFile> files)
        : ValueStore(std::move(files)), values_(totalValues()) {}
    bool has(std::size_t, std::size_t) const override { return false; }
    void enter(std::size_t, Range) override {}
    void discard() override {}

  protected:
    double* data() override { return values_.data(); }

  private:
    std::vector<double> values_;
};

class MappedStore final : public ValueStore {
  public:
    MappedStore(const fs::path& path, std::string_view identity, std::vector<StoredFile> files, bool restart)
        : ValueStore(std::move(files)) {
        const fs::path values = valuesOf(path);
        // Without the values, what the journal says means nothing.
        journal_ = std::make_unique<io::TileJournal>(fs::path(values) += ".tiles", identity,
                                                     restart || !fs::exists(values));
        try {
            file_ = std::make_unique<io::WorkingFile>(values, totalValues() * sizeof(double),
                                                      !journal_->tiles().empty());
        } catch (const Error&) {
            if (journal_->tiles().empty()) journal_->remove();
            throw;
        }
        if (file_->isKept()) verify();
    }

    ~MappedStore() override {
        if (isClosed_ || !entered_.empty()) return;
        try {
            discard();
        } catch (const std::exception&) {
            // An empty file that stays behind harms nobody.
        }
    }

    bool has(std::size_t file, std::size_t epoch) const override { return entered_.contains({file, epoch}); }

    void enter(std::size_t file, Range epochs) override {
        const std::size_t begin = offset(file, epochs.begin) * sizeof(double);
        const std::size_t end = offset(file, epochs.end) * sizeof(double);
        file_->sync(begin, end);
        const io::FinishedTile tile{
            {file, file + 1}, epochs, io::contentHash(file_->bytes().subspan(begin, end - begin))};
        journal_->enter({&tile, 1});
        insert(file, epochs);
    }

    void discard() override {
        file_->remove();
        journal_->remove();
        isClosed_ = true;
    }

  protected:
    // The file is mapped, and its first byte lies on a page.
    double* data() override { return reinterpret_cast<double*>(file_->bytes().data()); }

  private:
    void verify() {
        for (const io::FinishedTile& tile : journal_->tiles()) {
            const std::size_t file = tile.rows.begin;
            const bool isInside = tile.rows.size() == 1 && file < files().size() &&
                                  tile.columns.begin < tile.columns.end &&
                                  tile.columns.end <= files()[file].epochs;
            if (!isInside) continue;
            const std::size_t begin = offset(file, tile.columns.begin) * sizeof(double);
            const std::size_t end = offset(file, tile.columns.end) * sizeof(double);
            if (io::contentHash(file_->bytes().subspan(begin, end - begin)) == tile.checksum)
                insert(file, tile.columns);
        }
    }

    void insert(std::size_t file, Range epochs) {
        for (std::size_t epoch = epochs.begin; epoch < epochs.end; ++epoch) entered_.insert({file, epoch});
    }

    std::unique_ptr<io::TileJournal> journal_;
    std::unique_ptr<io::WorkingFile> file_;
    std::set<std::pair<std::size_t, std::size_t>> entered_;  ///< file, epoch
    bool isClosed_ = false;
};

}  // namespace

ValueStore::ValueStore(std::vector<StoredFile> files) : files_(std::move(files)), offsets_{0} {
    for (const StoredFile& file : files_)
        offsets_.push_back(offsets_.back() + file.epochs * file.shape.values());
}

std::span<double> ValueStore::values(std::size_t file, Range epochs) {
    return {data() + offset(file, epochs.begin), epochs.size() * files_[file].shape.values()};
}

std::unique_ptr<ValueStore> makeMemoryStore(std::vector<StoredFile> files) {
    return std::make_unique<MemoryStore>(std::move(files));
}

bool hasUnfinishedRun(const fs::path& path) {
    return fs::exists(valuesOf(path));
}

std::unique_ptr<ValueStore> openMappedStore(const fs::path& path, std::string_view identity,
                                            std::vector<StoredFile> files, bool restart) {
    return std::make_unique<MappedStore>(path, identity, std::move(files), restart);
}

}  // namespace glycine::crossapen
