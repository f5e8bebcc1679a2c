#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/storage/tile_store.hpp"

/// Networks of data that are drawn from the data, and what they agree on.
namespace glycine::mutualinfo {

struct BootstrapPlan {
    std::size_t count = 0;
    std::uint64_t seed = 1;
    double significance = 0.05;  ///< of an edge of the consensus, corrected for the number of pairs
    // As GapCorrection has them; of samples that are drawn with replacement.
    std::size_t minOverlap = 1;
    SharedMoments moments{};
};

/// Bytes of a store for these bootstraps: a bit a pair for each.
std::size_t bootstrapBytes(std::size_t genes, std::size_t bootstraps);
/// Where bootstrap b lies in it: tile ([b, b + 1), [0, 1)).
storage::TilePieces bootstrapPieces(std::size_t genes, std::size_t bootstraps);

/// An edge of the consensus beside Edge.
struct EdgeSupport {
    std::uint32_t networks = 0;  ///< that have it
    double p = 1;                ///< of as many or more by chance, not corrected
};
struct Consensus {
    std::vector<Edge> edges;           ///< score: the share of the networks that have it
    std::vector<EdgeSupport> support;  ///< one an edge
    double meanSupport = 0;            ///< networks that have a pair, over all pairs that may be linked
    std::size_t bootstrapsKept = 0;    ///< from an earlier run
    std::size_t seen = 0;              ///< edges that any network has
};

/// Infers the network of each bootstrap (as many samples as there are, drawn with replacement) as `inference`
/// says (the threshold should be that of permuted genes which are drawn from in the same way), and keeps
/// those edges that significantly more of the networks have than the average pair: P of a Poisson
/// distribution whose mean is the number of edges over all networks by the number of pairs that may be
/// linked, times that number of pairs (Bonferroni). `information`: of the data themselves, which an edge
/// tells. `kept`: networks as they come in; those that are there are not inferred again.
///
/// Throws UsageError for no bootstraps, a significance outside (0, 1), and information of other genes than
/// those of the data, before any backend is involved; and as computeMutualInformation and inferNetwork.
///
/// Source: A. Lachmann et al., "ARACNe-AP: gene network reverse engineering through adaptive partitioning
/// inference of mutual information", Bioinformatics 32 (2016), 2233–2235, and the program's consolidation.
Consensus inferConsensus(Backend& backend, ExpressionView expression, const MutualInformationOptions& options,
                         const InferenceOptions& inference, PathEngine* paths, const BootstrapPlan& plan,
                         const pairs::PairStore& information, storage::TileStore& kept, Progress& progress);

}  // namespace glycine::mutualinfo
