#define XXH_INLINE_ALL
#include "engine/storage/tile_store.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/progress.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/identity.hpp"
#include "engine/storage/tile_lines.hpp"

namespace glycine::storage {

namespace fs = std::filesystem;

namespace {

/// Work that a killed run may lose. Entering each of many small tiles separately would take longer than
/// computing it.
constexpr double kSecondsBetweenEntries = 1;
/// The same for bytes of a cached file: a store to a large page makes the system write all of it again.
constexpr double kSecondsBetweenLargePages = 10;

/// Whether all processes see the same bytes at once, so that there is nothing to flush and to compare.
bool isOnOneHost(const ProcessTeam& team) {
    return team.processesOnHost() == team.processes();
}

/// Returns false if the file ends before the requested bytes.
bool readBytes(const Descriptor& file, const std::filesystem::path& path, std::size_t begin,
               std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::pread(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throwSystemError(path, "read", errno);
        if (count == 0) return false;
        begin += static_cast<std::size_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace

void TileStore::Free::operator()(std::byte* pointer) const {
    std::free(pointer);
}

TileStore::TileStore(std::size_t bytes) {
    requireHostMemory("the result", static_cast<double>(bytes));
    // Pages of zeros are taken from the system on their first write.
    memory_.reset(static_cast<std::byte*>(std::calloc(bytes + 1, 1)));
    if (!memory_)
        throw Error(fmt::format("the result needs {:.3g} GB of memory, which is not there",
                                static_cast<double>(bytes) / 1e9));
    data_ = memory_.get();
}

TileStore::TileStore(const fs::path& path, std::string_view identity, std::size_t bytes, TilePieces pieces,
                     bool restart)
    : path_(resolveLink(path)), pieces_(std::move(pieces)) {
    ProcessTeam* const team = teamAtWork();
    if (team != nullptr && !team->leads()) {
        join(identity, bytes);
        return;
    }
    run_ = std::make_unique<UnfinishedRun>(path_, identity, restart);
    const bool hasTiles = !run_->journal().tiles().empty();
    try {
        file_ = std::make_unique<WorkingFile>(run_->results(), std::max<std::size_t>(1, bytes), hasTiles);
    } catch (const Error&) {
        if (!hasTiles) run_->discard();
        throw;
    }
    data_ = file_->bytes().data();
    if (file_->isKept()) verify();
    if (team == nullptr) return;
    setTileRecorder([this](const StoredTile& tile) { takeOver({tile.rows, tile.columns, tile.checksum}); });
    team->fromLead(std::string(identity) + '\n' + linesOf(kept_));
}

void TileStore::join(std::string_view identity, std::size_t bytes) {
    const std::string text = teamAtWork()->fromLead({});
    const std::size_t end = text.find("\n\n") + 1;
    requireSameIdentity(std::string_view(text).substr(0, end), identity);
    joined_ = OwnFile::find(unfinishedFile(path_));
    std::error_code unknown;
    const std::size_t size = std::max<std::size_t>(1, bytes);
    if (!joined_ || fs::file_size(joined_->path(), unknown) != WorkingFile::bytesOnDisk(size))
        throw Error(
            fmt::format("{}: not there as the first process made it; expected a folder that all hosts share",
                        unfinishedFile(path_).string()));
    file_ = std::make_unique<WorkingFile>(*joined_, size, true);
    data_ = file_->bytes().data();
    kept_ = tilesOfLines(std::string_view(text).substr(end + 1));
    for (const FinishedTile& tile : kept_) finished_.insert(place(tile.rows, tile.columns));
}

void TileStore::takeOver(const FinishedTile& tile) {
    if (!isOnOneHost(*processTeam()) && checksum(tile.rows, tile.columns) != tile.checksum)
        throw Error(
            fmt::format("{}: values that another process has written are not there; expected a file "
                        "system that shows all hosts the same bytes",
                        unfinishedFile(path_).string()));
    const std::lock_guard lock(mutex_);
    tilesOfOtherProcesses_.push_back(tile);
    note(tile.rows, tile.columns);
}

TileStore::~TileStore() {
    if (!file_ || joined_) return;
    if (processTeam() != nullptr) setTileRecorder({});
    try {
        endEntries();
        entering_.insert(entering_.end(), pending_.begin(), pending_.end());
        enter();
    } catch (const std::exception&) {
        // Tiles that could not be entered are computed again.
    }
    // A file that another program has cut short is not continued.
    try {
        hasFailed_ = file_->isCut();
    } catch (const Error&) {
        hasFailed_ = true;
    }
    if (!outlivesStop()) discard();
}

void TileStore::fillCache() {
    if (run_ && processTeam() == nullptr) file_->fillCache();
}

void TileStore::finish(Range rows, Range columns) {
    if (file_ && !pieces_(rows, columns, [](Range) {}))
        throw std::logic_error("a tile was finished that the run cannot have");
    {
        const std::lock_guard lock(mutex_);
        if (!joined_) return note(rows, columns);
        finished_.insert(place(rows, columns));
    }
    file_->requireIntact();
    StoredTile tile{rows, columns, 0};
    if (!isOnOneHost(*teamAtWork())) {
        file_->requireOnDisk();
        tile.checksum = checksum(rows, columns).value();
    }
    teamAtWork()->reportStored(tile);
}

void TileStore::note(Range rows, Range columns) {
    finished_.insert(place(rows, columns));
    if (!file_) return;
    file_->requireIntact();
    pending_.push_back({rows, columns, 0});
    if (sinceEntries_.seconds() >= kSecondsBetweenEntries) beginEntries();
}

void TileStore::becomeOutput() {
    if (!file_) throw std::logic_error("only a file can become an output");
    endEntries();
    file_->becomeFile(path_);
    file_.reset();
    run_->discard();
}

void TileStore::discard() {
    memory_.reset();
    if (!file_) return;
    endEntries();
    file_.reset();
    if (run_) run_->discard();
}

std::optional<std::uint64_t> TileStore::checksum(Range rows, Range columns) const {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    constexpr std::size_t kMaxRead = std::size_t{1} << 20;
    std::vector<std::byte> read;
    Range mapped{file_->bytes().size(), 0};  // range of bytes read through the mapping
    const bool isKnown = pieces_(rows, columns, [&](Range bytes) {
        if (!prefersPut(bytes.size())) {
            XXH3_64bits_update(&state, data_ + bytes.begin, bytes.size());
            mapped = {std::min(mapped.begin, bytes.begin), std::max(mapped.end, bytes.end)};
            return;
        }
        for (const Range part : splitRange(bytes.size(), kMaxRead)) {
            read.resize(part.size());
            file_->get(bytes.begin + part.begin, read);
            XXH3_64bits_update(&state, read.data(), read.size());
        }
    });
    if (!file_->isCached()) file_->release(mapped);
    return isKnown ? std::optional(XXH3_64bits_digest(&state)) : std::nullopt;
}

void TileStore::verify() {
    const std::vector<FinishedTile>& tiles = run_->journal().tiles();
    std::vector<char> isIntact(tiles.size(), 0);
    BackgroundWork work(fmt::format("verifying {}", unfinishedFile(path_).filename().string()),
                        static_cast<double>(tiles.size()));
    std::mutex mutex;
    parallelFor(omp_get_max_threads(), tiles.size(), [&](std::size_t i, std::size_t) {
        const FinishedTile& tile = tiles[i];
        isIntact[i] = checksum(tile.rows, tile.columns) == tile.checksum ? 1 : 0;
        const std::lock_guard lock(mutex);
        work.advance(1);
    });
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        if (isIntact[i] == 0) continue;
        kept_.push_back(tiles[i]);
        finished_.insert(place(tiles[i].rows, tiles[i].columns));
    }
}

void TileStore::beginEntries() {
    // If a run stops at a counted entry, its entries must not depend on timing.
    const bool isConcurrent = !stopsByItselfOnly();
    if (!isAtWork(entries_)) {
        if (entries_.valid()) entries_.get();
        entering_.swap(pending_);
        if (!isConcurrent || !startThread(entries_, [this] { enter(); })) enter();
    }
    const bool isDue = !file_->isCached() || sinceWriteBack_.seconds() >= kSecondsBetweenLargePages;
    if (isConcurrent && isDue && !isAtWork(writing_)) {
        startThread(writing_, [this] { file_->writeBack(isEnding_); });
        sinceWriteBack_.restart();
    }
    sinceEntries_.restart();
}

void TileStore::enter() {
    if (entering_.empty()) return;
    for (FinishedTile& tile : entering_) tile.checksum = checksum(tile.rows, tile.columns).value();
    run_->journal().enter(entering_);
    entering_.clear();
}

void TileStore::endEntries() {
    isEnding_ = true;
    if (entries_.valid()) entries_.wait();
    if (writing_.valid()) writing_.wait();
}

bool TileStore::outlivesStop() const {
    return file_ != nullptr && run_ != nullptr && !finished_.empty() && !hasFailed_ && run_->isInPlace();
}

BlockStore::BlockStore(const std::filesystem::path& path, std::string_view identity, bool restart)
    : run_(std::make_unique<UnfinishedRun>(path, identity, restart)) {
    for (const FinishedTile& block : run_->journal().tiles()) {
        end_ = std::max(end_, block.columns.end);
        blocks_ = std::max(blocks_, block.rows.end);
    }
    // Bytes after the last block were never entered.
    if (::ftruncate(run_->results().number(), static_cast<off_t>(end_)) != 0)
        throwSystemError(run_->results().path(), "write", errno);
}

BlockStore::~BlockStore() {
    if (run_ && !outlivesStop()) discard();
}

void BlockStore::readKept(const std::function<void(std::span<const std::byte> block)>& visit) {
    const OwnFile& file = run_->results();
    double bytes = 0;
    for (const FinishedTile& block : run_->journal().tiles())
        bytes += static_cast<double>(block.columns.size());
    BackgroundWork work(fmt::format("reading {}", file.path().filename().string()), bytes);
    std::vector<std::byte> read;
    for (const FinishedTile& block : run_->journal().tiles()) {
        work.advance(static_cast<double>(block.columns.size()));
        read.resize(block.columns.size());
        if (readBytes(file.descriptor(), file.path(), block.columns.begin, read) &&
            XXH3_64bits(read.data(), read.size()) == block.checksum)
            visit(read);
    }
}

void BlockStore::append(std::span<const std::byte> block) {
    if (!run_) throw std::logic_error("a store that was discarded takes no blocks");
    if (block.empty()) throw std::logic_error("a block has at least one byte");
    const OwnFile& file = run_->results();
    if (::lseek(file.number(), static_cast<off_t>(end_), SEEK_SET) < 0)
        throwSystemError(file.path(), "write", errno);
    writeAll(file.descriptor(), file.path(), {reinterpret_cast<const char*>(block.data()), block.size()});
    if (::fdatasync(file.number()) != 0) throwSystemError(file.path(), "write", errno);
    const FinishedTile entry{.rows = {blocks_, blocks_ + 1},
                             .columns = {end_, end_ + block.size()},
                             .checksum = XXH3_64bits(block.data(), block.size())};
    run_->journal().enter({&entry, 1});
    ++blocks_;
    end_ += block.size();
}

void BlockStore::discard() {
    if (!run_) return;
    run_->discard();
    run_.reset();
    blocks_ = 0;
}

}  // namespace glycine::storage
