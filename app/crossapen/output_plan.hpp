#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Which files a run writes.
namespace glycine::crossapen {

/// Names for files that tell them apart: the file's name, or with as many of its folders before it as it
/// takes ("ses-1/eeg.edf"). Throws UsageError when a file is given twice.
std::vector<std::string> distinctNames(const std::vector<std::filesystem::path>& files);

struct OutputRequest {
    std::vector<std::string> outputs;  ///< of -o: a folder, or files by their ending
    bool isSquare = false;             ///< .csv: the matrix of the only file
    bool hasGroups = false;
    bool hasScalp = false;   ///< channels have places on the head
    bool hasEpochs = false;  ///< the values of single epochs are wanted
};

struct OutputPlan {
    std::filesystem::path folder;                  ///< empty: none
    std::vector<std::filesystem::path> folderNpz;  ///< one a subject
    std::vector<std::filesystem::path> npz;
    std::vector<std::filesystem::path> npy;
    std::vector<std::filesystem::path> longCsv;
    std::vector<std::filesystem::path> squareCsv;
    std::vector<std::filesystem::path> pictures;
    std::vector<std::filesystem::path> summaries;
    std::filesystem::path scalp;     ///< empty without a folder, and where no places are known
    std::filesystem::path groupCsv;  ///< empty, like the next ones, where groups are not compared
    std::filesystem::path groupNpz;
    std::filesystem::path groupPicture;

    std::filesystem::path unfinished;  ///< beside it, a run keeps what is finished

    std::vector<std::filesystem::path> files() const;  ///< all that is written
};

/// What -o stands for: names that end in .npz, .npy, .csv, .json, .png, .svg or .pdf are files, everything
/// else is a folder. Throws UsageError for endings of other files, files that cannot hold the results of
/// several inputs, several folders, groups without a folder, and epochs where no file holds them.
OutputPlan planOutputs(const OutputRequest& request, const std::vector<std::string>& subjects);

/// Makes the plan's folder, unless it is there. Throws UsageError when something else is.
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
