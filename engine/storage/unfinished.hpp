#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/storage/own_file.hpp"
#include "engine/storage/tile_journal.hpp"

/// What a stopped run leaves next to an output: PATH.unfinished and its journal. Where PATH is a symbolic
/// link, they lie next to the file that it leads to.
namespace glycine::storage {

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
