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

/// Options of the commands for expression matrices. In commands with other inputs as well, shared options are
/// read for the value "expression" of the facet "content".
namespace glycine::mutualinfo {

/// Declares --estimator, --bins, --order, --knots, --rank and --unit under the heading "Estimator".
/// `defaultOrder`: default order of splines, for the help.
void declareEstimatorOptions(Options& options, MutualInformationOptions& information,
                             const std::string& defaultOrder = "3");

/// Declares --gaps and --min-overlap, with `gaps.rule` as the default.
void declareGapOptions(Options& options, GapOptions& gaps);

/// Throws UsageError for a given option that the estimator does not read.
void requireReadersOf(const Options& declared, Estimator estimator);

/// Declares --duplicates, --missing, --header, --transpose, --layer and --dataset under the heading "Input".
void declareExpressionOptions(Options& options, io::ExpressionReading& reading);

/// Throws UsageError for a given option that files of this kind do not read; `input` names the file in the
/// message.
void requireReadersOf(const Options& declared, const std::filesystem::path& file, const std::string& input);

/// Bytes of the expression values to read.
inline double bytesOfExpression(const io::ExpressionSize& size) {
    return static_cast<double>(size.genes) * static_cast<double>(size.samples) * sizeof(double) - size.held;
}

/// The precision to use on `backend`. With an explicit --backend, its native precision is used. Without one,
/// float32 is never chosen silently.
WeightPrecision precisionOn(const Backend& backend, const BackendRequest& request,
                            std::optional<WeightPrecision> requested);

/// Arguments of `glycine network`.
struct NetworkOptions {
    NetworkOptions() { information.splines.transform = Transform::Ranks; }

    std::string input;
    bool isMatrix = false;       ///< the input is a matrix of mutual information
    std::filesystem::path file;  ///< file that the input is read from
    std::vector<std::string> outputs;
    io::ExpressionReading reading;
    MutualInformationOptions information;
    GapOptions gaps;
    std::optional<WeightPrecision> precision;  ///< absent: chosen for the backend
    BackendRequest backend;

    InferenceOptions inference{.method = NetworkMethod::Consensus, .tolerance = 0.01};
    std::optional<double> p;
    std::optional<double> threshold;
    std::optional<NullModel> nullModel;
    std::optional<std::size_t> nullPairs;
    std::string regulators;  ///< file name
    std::string truth;       ///< file name
    std::string groups;      ///< file name
    ForestOptions forest;
    BootstrapPlan bootstraps;
    std::uint64_t seed = 1;
    std::string png;
    std::size_t drawnEdges = 100;  ///< maximum number in the picture
    bool restart = false;
    bool json = false;
};

void declareNetworkOptions(Options& options, NetworkOptions& run);

/// Rejects incompatible options before anything is read, and fills in dependent values, such as P for aracne.
void checkNetworkOptions(NetworkOptions& run);
/// The same, and also rejects options that this run does not read.
void checkNetworkOptions(const Options& declared, NetworkOptions& run);

}  // namespace glycine::mutualinfo
