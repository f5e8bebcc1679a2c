#pragma once

#include <filesystem>
#include <memory>
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
#include "engine/mutualinfo/network/random_forest.hpp"

/// Options of the commands about expression matrices. Those that the commands share are read by the facet
/// "content" with the value "expression", where a command has other inputs, too.
namespace glycine::mutualinfo {

/// Declares --estimator, --bins, --order, --knots, --rank and --unit under the heading "Estimator".
/// `usualOrder`: that of splines, for the help.
void declareEstimatorOptions(Options& options, MutualInformationOptions& information,
                             const std::string& usualOrder = "3");

/// Declares --gaps and --min-overlap, with `gaps.rule` as the usual rule.
void declareGapOptions(Options& options, GapOptions& gaps);

/// Declares --duplicates, --missing, --header, --transpose, --layer and --dataset under the heading "Input".
void declareExpressionOptions(Options& options, io::ExpressionReading& reading);

/// Bytes of values that are to be read, or read still.
inline double bytesOfExpression(const io::ExpressionSize& size) {
    return static_cast<double>(size.genes) * static_cast<double>(size.samples) * sizeof(double) - size.held;
}

/// The precision on `backend`: who names a backend takes what it has; nobody gets float32 who asked for
/// nothing.
WeightPrecision precisionOn(const Backend& backend, const BackendRequest& request,
                            std::optional<WeightPrecision> asked);

/// What the user wrote behind `glycine network`.
struct NetworkOptions {
    NetworkOptions() { information.splines.transform = Transform::Ranks; }

    std::string input;
    bool isMatrix = false;       ///< the input is mutual information
    std::filesystem::path file;  ///< what the input is read from
    std::vector<std::string> outputs;
    io::ExpressionReading reading;
    MutualInformationOptions information;
    GapOptions gaps;
    std::optional<WeightPrecision> precision;  ///< absent: what suits the backend
    BackendRequest backend;

    InferenceOptions inference{.method = NetworkMethod::Consensus, .tolerance = 0.01};
    std::optional<double> p;
    std::optional<double> threshold;
    std::optional<NullModel> nullModel;
    std::optional<std::size_t> nullPairs;
    std::string regulators;  ///< a file
    std::string truth;       ///< a file
    ForestOptions forest;
    BootstrapPlan bootstraps;
    std::uint64_t seed = 1;
    std::string png;
    std::size_t drawnEdges = 100;  ///< that the picture shows, at most
    bool restart = false;
    bool json = false;
};

void declareNetworkOptions(Options& options, NetworkOptions& run);

/// Refuses options that do not go together, before anything is read, and fills in what follows from others:
/// P of aracne.
void checkNetworkOptions(NetworkOptions& run);
/// The same, and options that this run does not read.
void checkNetworkOptions(const Options& declared, NetworkOptions& run);

/// The null distribution that P goes by: the one that was asked for, or the one that suits the data.
/// Adds what makes it doubtful to `warnings`. Throws UsageError where it cannot be had.
std::unique_ptr<InformationNull> nullDistribution(Backend& backend, ExpressionView expression,
                                                  const NetworkOptions& options,
                                                  std::vector<std::string>& warnings, Progress& progress);

}  // namespace glycine::mutualinfo
