#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "app/distance/chromosome_options.hpp"
#include "app/pair_command.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/distance_request.hpp"
#include "engine/distance/input/chosen_instances.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/trees/linkage.hpp"
#include "engine/trees/tree.hpp"

/// The options of `glycine distance`.
namespace glycine::distance {

/// Arguments of `glycine distance`.
struct RunOptions : PairArguments, DistanceRequest {
    InputOptions reading;
    ChromosomeOptions chromosomes;
    DistanceOptions distance;
    ResultFileOptions files;
    std::optional<pairs::ValueType> valueType;
    std::optional<double> leastKinship;
    std::optional<double> clusterDistance;
    trees::Linkage linkage = trees::Linkage::Single;
    std::optional<std::size_t> coordinates;
    std::optional<trees::TreeMethod> tree;
    std::string against, keep, remove;
    VariantLimits limits;

    /// Files that determine the values: the inputs, those of --against, and the lists.
    std::vector<std::filesystem::path> filesOfValues() const {
        std::vector<std::filesystem::path> paths = inputFiles(file);
        if (!against.empty()) std::ranges::copy(inputFiles(against), std::back_inserter(paths));
        for (const std::string& list : {keep, remove, reading.extract})
            if (!list.empty()) paths.emplace_back(list);
        return paths;
    }
};

/// An output file.
struct Output {
    std::filesystem::path path;
    ResultFormat format;
};

void declareRunOptions(Options& options, RunOptions& run);
/// Declares --measure, --missing and --min-overlap.
void declareMeasureOptions(Options& options, DistanceRequest& request);
/// Declares --precision.
void declarePrecisionOption(Options& options, DistanceOptions& distance);
void declareInputOptions(Options& options, RunOptions& run);
/// Throws UsageError for a given option that data of this kind do not read.
void requireReadersOf(const Options& declared, DataKind kind);
/// Throws UsageError for a given option that files of this kind do not read.
void requireReadersOf(const Options& declared, const RunOptions& run);
/// Fills in values that follow from other options and from the kind of file. Throws UsageError for options
/// that this run does not read.
void completeRunOptions(const Options& options, RunOptions& run);
/// Fills in values that depend on the data. Throws UsageError for options that do not match them.
void completeForData(const Options& declared, RunOptions& run, const DataSet& data);
/// Throws UsageError as resultFormat does. The measure must be known if output names depend on it.
std::vector<Output> planOutputs(const RunOptions& run);
/// PLINK's scale for a run that reproduces PLINK, by its measure or its kind of output file.
WeightScale weightsFor(const RunOptions& run, const std::vector<Output>& outputs);
/// All output files, including the picture.
std::vector<std::filesystem::path> filesToWrite(const RunOptions& run, const std::vector<Output>& outputs);

}  // namespace glycine::distance
