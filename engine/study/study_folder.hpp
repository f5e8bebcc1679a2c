#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/json.hpp"
#include "engine/storage/unfinished.hpp"

namespace glycine::study {

/// Stores the results of a study's steps, one file per step in the folder `steps`, so that a stopped study
/// can resume. The journal next to them identifies the study and lists finished steps with checksums. A file
/// that is changed or missing counts as not done. Only one process at a time can use a folder.
class StudyFolder {
  public:
    /// Creates the folder if it is missing. `identity`: as in TileJournal, whose errors it also throws;
    /// `ids`: names of the steps. `restart`: discards earlier results. Throws UsageError if step files exist
    /// without a journal, and the errors of OwnFile::find, so that user files are not overwritten.
    StudyFolder(std::filesystem::path folder, std::string_view identity, std::vector<std::string> ids,
                bool restart);
    bool isDone(std::size_t step) const { return isDone_[step]; }
    /// The result of a finished step.
    Json load(std::size_t step) const;
    /// Writes the file atomically, then the journal entry.
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
