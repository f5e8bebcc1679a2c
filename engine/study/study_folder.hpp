#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/json.hpp"
#include "engine/storage/unfinished.hpp"

namespace glycine::study {

/// The results of a study's steps, a file each in the folder `steps`, so that a stopped study goes on where
/// it was. The journal beside them names the study and lists what is finished, with checksums: a file that
/// was changed or lost counts as not done. One process at a time works in a folder.
class StudyFolder {
  public:
    /// Makes the folder where it is missing. `identity`: as of TileJournal, which says when it throws; `ids`:
    /// of the steps. `restart`: forgets what is there. Throws UsageError for files of steps without a
    /// journal, and as OwnFile::find: the user's own are not overwritten.
    StudyFolder(std::filesystem::path folder, std::string_view identity, std::vector<std::string> ids,
                bool restart);
    bool isDone(std::size_t step) const { return isDone_[step]; }
    /// The result of a finished step.
    Json load(std::size_t step) const;
    /// Writes the file, atomically, then the journal's entry.
    void keep(std::size_t step, const Json& result);
    const std::filesystem::path& path() const { return folder_; }

  private:
    std::filesystem::path fileOf(std::size_t step) const;

    std::filesystem::path folder_;
    std::vector<std::string> ids_;
    storage::TileJournal journal_;
    std::vector<bool> isDone_;
};

}  // namespace glycine::study
