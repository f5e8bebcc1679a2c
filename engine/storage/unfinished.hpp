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

/// Files that a stopped run leaves next to an output: PATH.unfinished and its journal. If PATH is a symbolic
/// link, they are next to the file that it leads to.

namespace glycine::storage {

// Long runs that survive a stop: which tiles of a result are finished.

/// A finished block of the result, with a checksum of its values.
struct FinishedTile {
    Range rows;
    Range columns;
    std::uint64_t checksum = 0;
    bool operator==(const FinishedTile&) const = default;
};

/// A text file that names a run and lists its finished tiles. It does not say where the values are: its owner
/// keeps them in a file next to it. The owner compares checksums before trusting an entry, since values may
/// not have reached the disk before a power failure.
///
/// An open journal is locked against other processes. If the end of a journal is damaged, as after a power
/// failure, only the entries from the first damaged one on are lost. The file stays for a later run unless it
/// is removed. It is created with its title (OwnFile::make); a file without the title is not a journal and is
/// never written to.
class TileJournal {
  public:
    /// Opens or creates `path`. `identity` distinguishes runs: one parameter per line, "name: value", each
    /// ending with a line feed, none empty. `restart` discards the existing contents.
    ///
    /// Throws UsageError if the journal belongs to another run; the message shows the first parameter that
    /// differs and suggests `--restart`. Throws UsageError for a file that is not a journal, even with
    /// `restart`, and as OwnFile::find does. Throws Error if another process has the journal open, or with
    /// the system's message.
    TileJournal(std::filesystem::path path, std::string_view identity, bool restart);
    TileJournal(const TileJournal&) = delete;
    TileJournal& operator=(const TileJournal&) = delete;

    /// Tiles listed when the journal was opened. A tile that was entered twice is listed once, with the later
    /// checksum.
    const std::vector<FinishedTile>& tiles() const { return tiles_; }
    /// Whether `path` did not exist before.
    bool isNew() const { return isNew_; }
    /// Whether the path still refers to this file.
    bool isInPlace() const { return file_->isInPlace(); }
    /// Appends tiles to the file in one write. A file that another program has cut short is written again.
    /// Throws Error with path and cause.
    void enter(std::span<const FinishedTile> tiles);
    /// Removes the file when the result no longer needs it. Nothing can be entered afterwards.
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
    std::string text_;  ///< contents of the whole file
    std::vector<FinishedTile> tiles_;
};

std::filesystem::path unfinishedFile(const std::filesystem::path& output);
std::filesystem::path journalFile(const std::filesystem::path& output);
/// Both files.
std::vector<std::filesystem::path> workingFiles(const std::filesystem::path& output);
/// Whether a file has one of these names.
bool hasUnfinishedRun(const std::filesystem::path& output);
/// The error that states where a stopped run has kept what is finished: "tiles".
CancelledError resumableStop(std::string_view finished, const std::filesystem::path& output);

/// The two working files of a run: its results so far, and the journal that lists them. The results are
/// created after the journal and removed before it, so a file of this name without a journal belongs to the
/// user.
class UnfinishedRun {
  public:
    /// Starts, or continues what an earlier run with the same `identity` (see TileJournal) has left;
    /// `restart` discards that. Without a file of results, the journal's entries are meaningless and
    /// discarded. Throws UsageError for results that no journal lists, for files that are not this program's
    /// (OwnFile::find), and as TileJournal does; nothing is changed then.
    UnfinishedRun(const std::filesystem::path& output, std::string_view identity, bool restart);

    TileJournal& journal() { return journal_; }
    const TileJournal& journal() const { return journal_; }
    OwnFile& results() { return *results_; }
    /// Whether a later run would find both files.
    bool isInPlace() const { return results_->isInPlace() && journal_.isInPlace(); }
    /// Removes both files.
    void discard();

  private:
    std::filesystem::path path_;  ///< path of the results
    TileJournal journal_;
    std::optional<OwnFile> results_;
};

}  // namespace glycine::storage
