#pragma once

#include <filesystem>
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

/// What the user wrote behind `glycine crossapen`.
struct RunOptions {
    std::vector<std::string> inputs;
    std::vector<std::filesystem::path> files;  ///< what the inputs are read from
    std::vector<std::string> outputs;
    SubjectOptions subjects;
    std::optional<NumberFormat> format;  ///< absent: the usual one of the convention
    bool square = false;
    picture::ColorRange range;
    std::string groups;
    std::string regions;  ///< a table, or kRegionsByName; empty: channels are not summarised
    double alpha = 0.01;
    statistics::ClusterOptions clusterTest;
    std::optional<statistics::ClusterOptions> clusters;  ///< absent: groups are not compared by clusters
    BackendRequest backend;
    bool restart = false;
    std::optional<storage::Part> part;
    bool json = false;
};

void declareRunOptions(Options& options, RunOptions& run);

/// Fills in what follows from other options. Throws UsageError for options that mean something only beside
/// others, or are none.
void completeRunOptions(const Options& options, RunOptions& run);

/// "0.2 SD", "5 (in the unit of the signals)".
std::string describeTolerance(const EntropyOptions& options);
/// All options that decide the values, as the result files tell them; `entropy`: what they say together.
Parameters describeParameters(const Options& options, const EntropyOptions& entropy);

}  // namespace glycine::crossapen
