#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/algorithms/distance/distance.hpp"
#include "engine/algorithms/distance/input/input_data.hpp"
#include "engine/algorithms/distance/results/distance_files.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/options.hpp"

namespace glycine::distance {

/// What the user wrote behind `glycine distance`.
struct RunOptions {
    std::string input;
    std::vector<std::string> outputs;
    std::string png;
    bool isClustered = false;  ///< order of the heat map
    InputOptions reading;
    std::optional<bool> autosomesOnly;   ///< absent: only for --measure plink
    std::optional<Measure> measure;      ///< absent: the usual one for the data
    std::optional<MissingRule> missing;  ///< absent: the usual one for the measure
    bool isPlink = false;                ///< --measure plink, which stands for other options, too
    DistanceOptions distance;
    ResultFileOptions files;
    std::optional<pairs::ValueType> valueType;
    BackendRequest backend;
    bool restart = false;
    bool json = false;
};

void declareRunOptions(Options& options, RunOptions& run);

/// Fills in what follows from the other options. Throws UsageError for those that mean something only beside
/// others.
void completeRunOptions(const Options& options, RunOptions& run);
/// Fills in what depends on the data. Throws UsageError for options that do not fit them.
void completeForData(RunOptions& run, const DataSet& data);

/// One file to write.
struct Output {
    std::filesystem::path path;
    ResultFormat format;
};
/// The outputs of -o. Throws UsageError as resultFormat does; the measure must be known where their names
/// tell it.
std::vector<Output> planOutputs(const RunOptions& run);
/// All files that are written, the picture included.
std::vector<std::filesystem::path> filesToWrite(const RunOptions& run, const std::vector<Output>& outputs);

}  // namespace glycine::distance
