#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/storage/tile_store.hpp"

/// Networks inferred from bootstrap samples of the data, and their consensus.
namespace glycine::mutualinfo {

struct BootstrapPlan {
    std::size_t count = 0;
    std::uint64_t seed = 1;
    double significance = 0.05;  ///< for an edge of the consensus, corrected for the number of pairs
    // Arguments of GapCorrection, for samples drawn with replacement.
    std::size_t minOverlap = 1;
    SharedMoments moments{};
};

/// Bytes of a store for these bootstraps: one bit per pair and bootstrap.
std::size_t bootstrapBytes(std::size_t genes, std::size_t bootstraps);
/// Position of bootstrap b in the store: tile ([b, b + 1), [0, 1)).
storage::TilePieces bootstrapPieces(std::size_t genes, std::size_t bootstraps);

/// Support of an edge of the consensus.
struct EdgeSupport {
    std::uint32_t networks = 0;  ///< number of networks with the edge
    double p = 1;                ///< probability of as many or more by chance, uncorrected
};
struct Consensus {
    std::vector<Edge> edges;           ///< score: fraction of the networks with the edge
    std::vector<EdgeSupport> support;  ///< per edge
    double meanSupport = 0;            ///< mean number of networks per pair, over all pairs that may be
                                       ///< linked
    std::size_t bootstrapsKept = 0;    ///< reused from an earlier run
    std::size_t edgesInAny = 0;        ///< edges of at least one network
};

/// Infers the network of each bootstrap (as many samples as the data, drawn with replacement) with the
/// options `inference`. Its threshold should come from permuted genes that are resampled in the same way.
/// Keeps the edges that occur in significantly more networks than the average pair. P is that of a Poisson
/// distribution whose mean is the number of edges over all networks divided by the number of pairs that may
/// be linked. It is multiplied by that number of pairs (Bonferroni).
///
/// `information`: of the data themselves, reported for each edge. `kept`: stores finished networks; existing
/// ones are not inferred again.
///
/// Throws UsageError for no bootstraps, a significance outside (0, 1), and information of other genes than
/// those of the data, before any backend is involved. Otherwise throws as computeMutualInformation and
/// inferNetwork do.
///
/// Source: A. Lachmann et al., "ARACNe-AP: gene network reverse engineering through adaptive partitioning
/// inference of mutual information", Bioinformatics 32 (2016), 2233–2235, and the program's consolidation.
Consensus inferConsensus(Backend& backend, ExpressionView expression, const MutualInformationOptions& options,
                         const InferenceOptions& inference, PathEngine* paths, const BootstrapPlan& plan,
                         const pairs::PairStore& information, storage::TileStore& kept, Progress& progress);

}  // namespace glycine::mutualinfo
