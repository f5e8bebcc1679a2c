#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/options.hpp"
#include "engine/command/part_option.hpp"
#include "engine/crossapen/results/entropy_panels.hpp"
#include "engine/statistics/cluster_test.hpp"

namespace glycine::crossapen {

/// Arguments of `glycine crossapen`.
struct RunOptions {
    std::vector<std::string> inputs;
    std::vector<std::filesystem::path> files;  ///< files that the inputs are read from
    std::vector<std::string> outputs;
    SubjectOptions subjects;
    std::optional<NumberFormat> format;  ///< absent: the default of the convention
    std::map<std::string, std::filesystem::path, std::less<>> drawn;  ///< keyed by kScalp
    bool square = false;
    picture::ColorRange range;
    std::string groups;
    std::string regions;  ///< a table file, or kRegionsByName; empty: channels are not summarised
    double alpha = 0.01;
    statistics::ClusterOptions clusterTest;
    std::optional<statistics::ClusterOptions> clusters;  ///< absent: no comparison of groups by clusters
    BackendRequest backend;
    bool restart = false;
    std::optional<storage::Part> part;
    bool json = false;
};

/// A KIND of --draw.
inline constexpr const char* kScalp = "scalp";

void declareRunOptions(Options& options, RunOptions& run);

/// Fills in values that follow from other options. Throws UsageError for invalid options, and for options
/// that lack a required companion.
void completeRunOptions(const Options& options, RunOptions& run);

/// "0.2 SD", "5 (in the unit of the signals)".
std::string describeTolerance(const EntropyOptions& options);
/// All options that affect the values, for the result files; `entropy`: their combined settings.
Parameters describeParameters(const Options& options, const EntropyOptions& entropy);

}  // namespace glycine::crossapen
