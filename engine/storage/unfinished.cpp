#include "engine/storage/unfinished.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/identity.hpp"
#include "engine/storage/tile_lines.hpp"

namespace glycine::storage {

namespace fs = std::filesystem;

namespace {

/// Whether the file of results exists. Checks that it is this program's before opening anything.
bool hasResults(const fs::path& output) {
    OwnFile::check(journalFile(output));
    return OwnFile::check(unfinishedFile(output));
}

// The file has this line, the identity, an empty line, and one line per tile: rows and columns (begin, end)
// and the checksum.
constexpr std::string_view kTitle = "Glycine journal of finished tiles, version 1\n";
constexpr std::string_view kTile = "tile ";

std::string headOf(std::string_view identity) {
    return fmt::format("{}{}\n", kTitle, identity);
}

std::string readAll(const Descriptor& file, const std::filesystem::path& path) {
    std::string text;
    char buffer[1 << 16];
    while (true) {
        const ssize_t count = ::read(file.number(), buffer, sizeof(buffer));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throwSystemError(path, "read", errno);
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

/// Parses "tile 0 64 0 64 00c0ffee00c0ffee"; accepts only the exact written form.
std::optional<FinishedTile> parseTile(std::string_view line) {
    if (!line.starts_with(kTile)) return std::nullopt;
    const char* next = line.data() + kTile.size();
    const char* const end = line.data() + line.size();
    const auto number = [&](std::uint64_t& value, int base) {
        const auto [stop, error] = std::from_chars(next, end, value, base);
        if (error != std::errc()) return false;
        next = stop;
        return true;
    };
    const auto blank = [&] { return next != end && *next++ == ' '; };
    FinishedTile tile;
    const bool isTile = number(tile.rows.begin, 10) && blank() && number(tile.rows.end, 10) && blank() &&
                        number(tile.columns.begin, 10) && blank() && number(tile.columns.end, 10) &&
                        blank() && end - next == 16 && number(tile.checksum, 16) && next == end &&
                        tile.rows.begin < tile.rows.end && tile.columns.begin < tile.columns.end;
    return isTile ? std::optional(tile) : std::nullopt;
}

}  // namespace

fs::path unfinishedFile(const fs::path& output) {
    return resolveLink(output) += ".unfinished";
}

fs::path journalFile(const fs::path& output) {
    return resolveLink(output) += ".unfinished.tiles";
}

std::vector<fs::path> workingFiles(const fs::path& output) {
    return {unfinishedFile(output), journalFile(output)};
}

bool hasUnfinishedRun(const fs::path& output) {
    for (const fs::path& file : workingFiles(output)) {
        std::error_code ignored;
        if (fs::exists(fs::symlink_status(file, ignored))) return true;
    }
    return false;
}

CancelledError resumableStop(std::string_view finished, const fs::path& output) {
    return CancelledError(
        fmt::format("stopped; finished {} are kept in {}: the same command goes on from there", finished,
                    unfinishedFile(output).string()));
}

UnfinishedRun::UnfinishedRun(const fs::path& output, std::string_view identity, bool restart)
    : path_(unfinishedFile(output)), journal_(journalFile(output), identity, !hasResults(output) || restart) {
    try {
        results_ = OwnFile::find(path_);
        if (results_ && journal_.isNew())
            throw UsageError(fmt::format(
                "{} is there already, and no journal of a stopped run ({}) lists what it holds; it is "
                "not overwritten: move it away, or write to another file",
                path_.string(), journal_.path().filename().string()));
        if (!results_) results_ = OwnFile::make(path_);
        if (!results_)
            throw Error(
                fmt::format("{}: another program has just made it; expected a new name", path_.string()));
    } catch (const Error&) {
        if (journal_.tiles().empty()) journal_.remove();
        throw;
    }
}

void UnfinishedRun::discard() {
    results_->remove();
    journal_.remove();
}

TileJournal::TileJournal(std::filesystem::path path, std::string_view identity, bool restart)
    : path_(std::move(path)) {
    open(identity);
    if (!isNew_) load(identity, restart);
}

void TileJournal::open(std::string_view identity) {
    while (true) {
        file_ = OwnFile::find(path_);
        isNew_ = !file_;
        text_ = isNew_ ? headOf(identity) : std::string();
        if (isNew_) file_ = OwnFile::make(path_, text_);
        // Another process has created one meanwhile.
        if (!file_) continue;
        // A file system without locks cannot protect; two runs with the same identity write the same bytes.
        if (::flock(file_->number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            throw Error(fmt::format(
                "{}: another process is working on this result; wait for it, or write to another file",
                path_.string()));
        // The other process may have finished and removed the file between opening and locking.
        if (file_->isInPlace()) return;
    }
}

void TileJournal::load(std::string_view identity, bool restart) {
    text_ = readAll(file_->descriptor(), path_);
    if (!text_.starts_with(kTitle))
        throw UsageError(fmt::format(
            "{} is there already and is no journal of finished tiles; it is not overwritten: move "
            "it away, or write to another file",
            path_.string()));
    const std::string_view rest = std::string_view(text_).substr(kTitle.size());
    const std::size_t identityEnd = rest.starts_with('\n') ? 0 : rest.find("\n\n");
    // The earlier run stopped before it had written its identity, so it lists no tiles.
    if (restart || identityEnd == std::string_view::npos) {
        begin(identity);
        return;
    }
    const std::string_view earlier = identityEnd == 0 ? std::string_view() : rest.substr(0, identityEnd + 1);
    if (earlier != identity)
        throw UsageError(fmt::format(
            "{} was left by a stopped run with other parameters or input: {}; --restart forgets what "
            "that run has finished",
            path_.string(), identityDifferences(earlier, identity)));
    loadTiles();
}

/// Keeps the title: without it, the next run would not recognise the file as a journal.
void TileJournal::begin(std::string_view identity) {
    if (::ftruncate(file_->number(), static_cast<off_t>(kTitle.size())) != 0)
        throwSystemError(path_, "write", errno);
    text_ = kTitle;
    append(std::string_view(headOf(identity)).substr(kTitle.size()));
}

void TileJournal::loadTiles() {
    std::string_view rest = text_;
    rest.remove_prefix(rest.find("\n\n") + 2);
    std::map<std::array<std::size_t, 4>, std::size_t> indices;
    std::size_t intact = text_.size() - rest.size();
    while (const auto line = takeLine(rest)) {
        const std::optional<FinishedTile> tile = parseTile(*line);
        if (!tile) break;
        intact = text_.size() - rest.size();
        const std::array place{tile->rows.begin, tile->rows.end, tile->columns.begin, tile->columns.end};
        const auto [known, isNew] = indices.try_emplace(place, tiles_.size());
        if (isNew)
            tiles_.push_back(*tile);
        else
            tiles_[known->second] = *tile;
    }
    if (intact < text_.size() && ::ftruncate(file_->number(), static_cast<off_t>(intact)) != 0)
        throwSystemError(path_, "write", errno);
    text_.resize(intact);
}

std::string linesOf(std::span<const FinishedTile> tiles) {
    std::string lines;
    for (const FinishedTile& tile : tiles)
        fmt::format_to(std::back_inserter(lines), "{}{} {} {} {} {:016x}\n", kTile, tile.rows.begin,
                       tile.rows.end, tile.columns.begin, tile.columns.end, tile.checksum);
    return lines;
}

std::vector<FinishedTile> tilesOfLines(std::string_view text) {
    std::vector<FinishedTile> tiles;
    while (const auto line = takeLine(text)) {
        const std::optional<FinishedTile> tile = parseTile(*line);
        if (!tile) break;
        tiles.push_back(*tile);
    }
    return tiles;
}

void TileJournal::enter(std::span<const FinishedTile> tiles) {
    append(linesOf(tiles));
    passStopPoint(StopPoint::Entry);
}

void TileJournal::append(std::string_view lines) {
    text_ += lines;
    struct stat status {};
    const bool isIntact = ::fstat(file_->number(), &status) == 0 &&
                          static_cast<std::size_t>(status.st_size) == text_.size() - lines.size();
    if (!isIntact && ::ftruncate(file_->number(), 0) != 0) throwSystemError(path_, "write", errno);
    if (::lseek(file_->number(), 0, SEEK_END) < 0) throwSystemError(path_, "write", errno);
    writeAll(file_->descriptor(), path_, isIntact ? lines : std::string_view(text_));
}

void TileJournal::remove() {
    file_->remove();
}

}  // namespace glycine::storage
