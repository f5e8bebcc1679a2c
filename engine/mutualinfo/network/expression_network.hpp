#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/core/comparison.hpp"
#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/information_null.hpp"

/// A network of expression, in one call: information, threshold and inference, all of it in memory.
namespace glycine::mutualinfo {

struct ExpressionNetworkOptions {
    MutualInformationOptions information{};  ///< in bits
    GapOptions gaps{};
    NullModel null = NullModel::Analytic;  ///< not Permutation
    double p = 1e-5;                       ///< what independent genes may reach the threshold with
    /// But the threshold, which follows from the P-value.
    InferenceOptions inference{.method = NetworkMethod::Aracne, .tolerance = 0.01};
};

struct ExpressionNetwork {
    std::optional<GapCorrection> correction;
    std::unique_ptr<pairs::PairStore> information;  ///< corrected for gaps, and tied (TiedInformation)
    InferenceOptions inference;                     ///< with its threshold
    Network network;
    MutualInformationReport report;
    double informationSeconds = 0;
    double networkSeconds = 0;
};

/// 8 bytes for each of genes × genes. `paths` as inferNetwork has it. Throws UsageError for permutations, and
/// as computeMutualInformation and inferNetwork do.
ExpressionNetwork networkOfExpression(Backend& backend, ExpressionView expression,
                                      const ExpressionNetworkOptions& options, PathEngine* paths,
                                      Progress& progress);

/// Some pairs of the information beside the reference's, and all edges beside those that it finds in the same
/// information. `found`: of these options.
Comparison compareWithReference(const ExpressionNetwork& found, ExpressionView expression,
                                const ExpressionNetworkOptions& options, Progress& progress);

}  // namespace glycine::mutualinfo
