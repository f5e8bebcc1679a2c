#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/mutualinfo/network/edge_ranking.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"
#include "engine/pairs/pair_store.hpp"

/// From the mutual information of all pairs of genes to a network.
namespace glycine::mutualinfo {

/// What an edge's score is.
enum class NetworkMethod {
    Information,  ///< the mutual information itself (a relevance network)
    Aracne,       ///< the same, of edges that the data-processing inequality leaves
    Clr,          ///< context likelihood of relatedness
    Mrnet,        ///< maximum relevance, minimum redundancy
    Consensus,    ///< the mean of the logarithms of the ranks that CLR and MRNET give
};
constexpr auto namesOf(NetworkMethod) {
    using enum NetworkMethod;
    return namesAre<NetworkMethod>(
        "method",
        {{Information, "mi"}, {Aracne, "aracne"}, {Clr, "clr"}, {Mrnet, "mrnet"}, {Consensus, "consensus"}});
}

struct InferenceOptions {
    NetworkMethod method = NetworkMethod::Clr;
    double threshold = 0;  ///< least information of an edge; pairs with 0 are none in any case
    /// τ of the data-processing inequality, 0 ≤ τ < 1: an edge x – z goes where some gene y has I_xy and I_yz
    /// of at least I_xz / (1 − τ). Where regulators are named, y is one of them: others tell no more about an
    /// edge of a regulator than that they are regulated, too.
    double tolerance = 0;
    Regulators regulators{};
    /// Information that a pair without a value counts as redundancy of MRNET: what independent genes seem to
    /// have. As 0 it would make genes without values the least redundant of all. Absent: typicalInformation.
    std::optional<double> unknown{};
    std::size_t most = 0;  ///< edges, the best; 0: all
};

struct Network {
    std::vector<Edge> edges;     ///< the best first; scores are positive
    std::size_t candidates = 0;  ///< pairs that may be linked and reach the threshold
    std::size_t indirect = 0;    ///< of these, what the data-processing inequality took
};

/// Bytes that a method holds of all pairs of so many genes beside information and edges.
double bytesOfScores(NetworkMethod method, std::size_t genes);

/// Infers a network from information that is not negative (NaN: not known), in memory for the edges and a
/// tile or two (of indirect paths); MRNET and the consensus take 8 bytes a pair more, the consensus up to
/// another 16. `paths` finds indirect paths; only NetworkMethod::Aracne needs it. Throws UsageError as
/// checkInference (check_network.hpp), MemoryError, and CancelledError.
///
/// Source of the data-processing inequality: A. A. Margolin et al., "ARACNE: an algorithm for the
/// reconstruction of gene regulatory networks in a mammalian cellular context", BMC Bioinformatics 7:S7
/// (2006); with regulators as the program ARACNE2 does.
Network inferNetwork(const pairs::PairStore& information, const InferenceOptions& options, PathEngine* paths,
                     Progress& progress);

}  // namespace glycine::mutualinfo
