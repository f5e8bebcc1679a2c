#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/options.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/network/bootstrap.hpp"
#include "engine/mutualinfo/network/information_null.hpp"

namespace glycine::mutualinfo {

/// What the user wrote behind `glycine network`.
struct NetworkOptions {
    std::string input;
    bool isMatrix = false;       ///< the input is mutual information
    std::filesystem::path file;  ///< what the input is read from
    std::vector<std::string> outputs;
    io::ExpressionReading reading;
    MutualInformationOptions information;
    GapOptions gaps;
    std::optional<Precision> precision;  ///< absent: what suits the backend
    BackendRequest backend;

    InferenceOptions inference{.method = NetworkMethod::Consensus, .tolerance = 0.01};
    std::optional<double> p;
    std::optional<double> threshold;
    std::optional<NullModel> nullModel;
    std::optional<std::size_t> nullPairs;
    std::string regulators;  ///< a file
    std::string truth;       ///< a file
    BootstrapPlan bootstraps;
    std::uint64_t seed = 1;
    std::string png;
    std::size_t pngEdges = 100;  ///< that the picture shows, at most
    bool restart = false;
    bool json = false;
};

void declareNetworkOptions(Options& options, NetworkOptions& run);

/// Refuses options that do not go together, before anything is read, and fills in what follows from others:
/// P of aracne.
void checkNetworkOptions(const Options& declared, NetworkOptions& run);

}  // namespace glycine::mutualinfo
