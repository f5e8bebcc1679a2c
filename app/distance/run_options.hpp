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

/// What the user wrote behind `glycine distance`.
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
    std::string against, keep, remove, groups;
    VariantLimits limits;
    pairs::PairPicture picture;  ///< its scale and colours

    /// What decides the values: the input's files, those of --against, and the lists.
    std::vector<std::filesystem::path> filesOfValues() const {
        std::vector<std::filesystem::path> paths = inputFiles(file);
        if (!against.empty()) std::ranges::copy(inputFiles(against), std::back_inserter(paths));
        for (const std::string& list : {keep, remove, reading.extract})
            if (!list.empty()) paths.emplace_back(list);
        return paths;
    }
    std::vector<std::filesystem::path> filesToRead() const {
        std::vector<std::filesystem::path> paths = filesOfValues();
        if (!groups.empty()) paths.emplace_back(groups);
        return paths;
    }
};

/// One file to write.
struct Output {
    std::filesystem::path path;
    ResultFormat format;
};

void declareRunOptions(Options& options, RunOptions& run);
/// Fills in what follows from the other options and the kind of file. Throws UsageError for options that this
/// run does not read.
void completeRunOptions(const Options& options, RunOptions& run);
/// Fills in what depends on the data. Throws UsageError for options that do not fit them.
void completeForData(const Options& declared, RunOptions& run, const DataSet& data);
/// Throws UsageError as resultFormat does; the measure must be known where names of outputs tell it.
std::vector<Output> planOutputs(const RunOptions& run);
/// PLINK's own where what is wanted is PLINK's: its measure, or its kind of file.
WeightScale weightsFor(const RunOptions& run, const std::vector<Output>& outputs);
/// All files that are written, the picture included.
std::vector<std::filesystem::path> filesToWrite(const RunOptions& run, const std::vector<Output>& outputs);

}  // namespace glycine::distance
