#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The files that a run writes.
namespace glycine::crossapen {

/// Unique names for files: the file name, preceded by as many of its folders as necessary ("ses-1/eeg.edf").
/// Throws UsageError if a file is given twice.
std::vector<std::string> distinctNames(const std::vector<std::filesystem::path>& files);

struct OutputRequest {
    std::vector<std::string> outputs;  ///< values of -o: a folder, or files identified by their extensions
    bool isSquare = false;             ///< a .csv contains the matrix of the only file
    bool hasGroups = false;
    bool hasScalp = false;          ///< channel positions on the head are known
    bool hasEpochs = false;         ///< values of single epochs are requested
    std::filesystem::path scalp{};  ///< an additional scalp map; empty: none
};

struct OutputPlan {
    std::filesystem::path folder;                  ///< empty: none
    std::vector<std::filesystem::path> folderNpz;  ///< one per subject
    std::vector<std::filesystem::path> npz;
    std::vector<std::filesystem::path> npy;
    std::vector<std::filesystem::path> longCsv;
    std::vector<std::filesystem::path> squareCsv;
    std::vector<std::filesystem::path> pictures;
    std::vector<std::filesystem::path> summaries;
    std::vector<std::filesystem::path> scalps;
    std::filesystem::path groupCsv;  ///< empty, like the next ones, unless groups are compared
    std::filesystem::path groupNpz;
    std::filesystem::path groupPicture;

    std::filesystem::path unfinished;  ///< path next to which a run keeps its working files

    std::vector<std::filesystem::path> files() const;  ///< all output files
};

/// Interprets the values of -o: names that end in .npz, .npy, .csv, .json, .png, .svg or .pdf are files,
/// everything else is a folder. Throws UsageError for other extensions, files that cannot hold the results of
/// several inputs, several folders, groups without a folder, epochs that no file holds, and a scalp map
/// without positions.
OutputPlan planOutputs(const OutputRequest& request, const std::vector<std::string>& subjects);

/// Creates the plan's folder unless it exists. Throws UsageError if something else has that name.
class OutputFolder {
  public:
    explicit OutputFolder(std::filesystem::path folder);
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    /// Removes the folder if it is new and empty.
    ~OutputFolder();

  private:
    std::filesystem::path folder_;
    bool isNew_ = false;
};

}  // namespace glycine::crossapen
