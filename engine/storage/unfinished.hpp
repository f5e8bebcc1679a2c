#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/tiling.hpp"
#include "engine/storage/folder.hpp"

/// What a stopped run leaves next to an output: PATH.unfinished and its journal. Where PATH is a symbolic
/// link, they lie next to the file that it leads to.

namespace glycine::storage {

// Long runs that survive a stop: which tiles of a result are finished.

/// A block of the result that is complete, with a checksum of its values.
struct FinishedTile {
    Range rows;
    Range columns;
    std::uint64_t checksum = 0;
    bool operator==(const FinishedTile&) const = default;
};

/// A text file that names a run and lists its finished tiles. It says nothing about where the values lie: its
/// owner keeps them in a file beside, and compares checksums before it believes an entry, whose values may
/// not have reached the disk before a power failure.
///
/// While a journal is open, it is locked against other processes. A journal whose end is torn, as after a
/// power failure, loses the entries from the first damaged one on, no more. The file stays for a later run
/// unless it is removed. It appears with its title (OwnFile::make): a file without that is not a journal, and
/// is never written to.
class TileJournal {
  public:
    /// Opens `path`, or creates it. `identity` is what tells one run from another: one parameter a line,
    /// "name: value", each line ended by a line feed, none empty. `restart` forgets what is there.
    ///
    /// Throws UsageError when the journal belongs to another run: it shows the first parameter that differs
    /// and advises `--restart`; for a file that is no journal, `restart` or not; and as OwnFile::find. Throws
    /// Error when another process has the journal open, or for the system's own reasons.
    TileJournal(std::filesystem::path path, std::string_view identity, bool restart);
    TileJournal(const TileJournal&) = delete;
    TileJournal& operator=(const TileJournal&) = delete;

    /// What was there when the journal was opened. A tile that was entered twice stands there once, with the
    /// later checksum.
    const std::vector<FinishedTile>& tiles() const { return tiles_; }
    /// Whether there was none at `path` before.
    bool isNew() const { return isNew_; }
    /// Whether the path still leads to it.
    bool isInPlace() const { return file_->isInPlace(); }
    /// Adds tiles to the file, as one piece. A file that another program has cut short is written anew.
    /// Throws Error with path and cause.
    void enter(std::span<const FinishedTile> tiles);
    /// Removes the file, once the result needs it no more. Nothing can be entered afterwards.
    void remove();

    const std::filesystem::path& path() const { return path_; }

  private:
    void open(std::string_view identity);
    void load(std::string_view identity, bool restart);
    void begin(std::string_view identity);
    void loadTiles();
    void append(std::string_view lines);

    std::filesystem::path path_;
    std::optional<OwnFile> file_;
    bool isNew_ = false;
    std::string text_;  ///< of the whole file
    std::vector<FinishedTile> tiles_;
};

std::filesystem::path unfinishedFile(const std::filesystem::path& output);
std::filesystem::path journalFile(const std::filesystem::path& output);
/// Both.
std::vector<std::filesystem::path> workingFiles(const std::filesystem::path& output);
/// Whether something is at one of these names.
bool hasUnfinishedRun(const std::filesystem::path& output);
/// Says where a stopped run has kept what is finished: "tiles".
CancelledError stoppedButKept(std::string_view finished, const std::filesystem::path& output);

/// The two working files of a run: its results so far and the journal that lists them. The results are made
/// after the journal and removed before it, so that a file of this name without a journal is the user's own.
class UnfinishedRun {
  public:
    /// Begins, or goes on with what an earlier run with the same `identity` (see TileJournal) has left;
    /// `restart` forgets that. Without a file of results, what a journal lists means nothing and is
    /// forgotten. Throws UsageError for what no journal lists, for what is no file of this program
    /// (OwnFile::find) and as TileJournal; nothing is changed then.
    UnfinishedRun(const std::filesystem::path& output, std::string_view identity, bool restart);

    TileJournal& journal() { return journal_; }
    const TileJournal& journal() const { return journal_; }
    OwnFile& results() { return *results_; }
    /// Whether a later run would find both.
    bool isInPlace() const { return results_->isInPlace() && journal_.isInPlace(); }
    /// Removes both.
    void discard();

  private:
    std::filesystem::path path_;  ///< of the results
    TileJournal journal_;
    std::optional<OwnFile> results_;
};

}  // namespace glycine::storage
