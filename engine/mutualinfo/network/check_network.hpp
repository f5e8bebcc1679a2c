#pragma once

#include <cstddef>
#include <span>

#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/network/bootstrap.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/truth.hpp"

/// What the typed calls of networks throw for their arguments, before any backend is involved.
namespace glycine::mutualinfo {

/// Throws UsageError unless there is a flag for each of so many genes, or none.
void checkRegulators(const Regulators& regulators, std::size_t genes);

/// As inferNetwork: UsageError for an unknown method, a threshold that is negative or no finite number, a
/// tolerance outside [0, 1), regulators of other genes, and Aracne without a path engine.
void checkInference(const InferenceOptions& options, std::size_t genes, bool hasPaths);

/// As inferConsensus: as checkInformation and checkInference, UsageError for no bootstraps, a significance
/// outside (0, 1), and information of other genes than those of the data.
void checkConsensus(ExpressionView expression, const MutualInformationOptions& options,
                    const InferenceOptions& inference, bool hasPaths, const BootstrapPlan& plan,
                    std::size_t genesOfInformation);

/// As compareWithTruth: UsageError for regulators of other genes, and edges or true pairs that are no pairs
/// of so many genes, the larger number first.
void checkTruth(std::span<const Edge> edges, const TruePairs& truth, std::size_t genes,
                const Regulators& regulators);

}  // namespace glycine::mutualinfo
