#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/algorithms/align/alignment.hpp"
#include "engine/algorithms/align/pairwise.hpp"
#include "engine/algorithms/align/stage_seconds.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/trees/tree.hpp"
#include "engine/trees/tree_method.hpp"

/// All sequences beside each other, in three stages: pairs, guide tree, progressive alignment.
namespace glycine {
class StageRecount;
}

namespace glycine::align {

class KeptPosteriors;

/// By whose rules.
enum class AlignMethod {
    Accuracy,  ///< maximum expected accuracy over posteriors of residue pairs (posterior/)
    ClustalW,  ///< ClustalW 2.1 (clustalw/)
    Thesis,    ///< Khaladkar's scheme (thesis_alignment.hpp)
    Fast,      ///< posteriors of profiles, along a tree that needs no alignments (fast/)
};
constexpr auto namesOf(AlignMethod) {
    using enum AlignMethod;
    return namesAre<AlignMethod>(
        "method", {{Accuracy, "accuracy"}, {ClustalW, "clustalw"}, {Thesis, "thesis"}, {Fast, "fast"}});
}

struct AlignOptions {
    AlignMethod method = AlignMethod::Accuracy;
    Variant variant = Variant::Default;  ///< of the pairs; Fast has none
    std::size_t tile = 0;                ///< of the pairs; 0: what suits the backend
    /// Given: no guide tree is made, and but for Accuracy no pairs are aligned. Leaves are the sequences. A
    /// root of two children stays, another tree gets the method's root.
    std::optional<trees::Tree> guideTree{};
    std::optional<trees::TreeMethod> treeMethod{};  ///< absent: the method's own; not of Fast
    /// Given: no pairs are aligned; of all pairs below the diagonal, (1,0), (2,0), (2,1), … Accuracy and Fast
    /// make their guide trees from them.
    std::optional<std::vector<double>> distances{};
    bool endsWithTree = false;       ///< of Accuracy: distances and guide tree alone are asked for
    std::uint64_t seed = 1;          ///< of the refinement; Accuracy and Fast read it
    KeptPosteriors* kept = nullptr;  ///< of Accuracy: where posteriors outlive a stop; may be absent
    /// Of what a device finds after the pairs; absent: nothing is counted again. WrongResultError ends the
    /// run.
    StageRecount* recount = nullptr;
};

struct AlignmentReport {
    std::optional<PairwiseReport> pairs;  ///< where pairs were aligned
    /// "pairs", "guide tree", "progressive", as far as they ran; of Accuracy those of alignByPosteriors, of
    /// Fast those of alignFast.
    StageSeconds stages;
    std::string variant;  ///< the one that ran; of Accuracy
    std::string note;     ///< what was decided on the way, but for the pairs; may be empty
};

struct AlignmentResult {
    MultipleAlignment alignment;
    /// Of all pairs below the diagonal, (1,0), (2,0), (2,1), …; of Accuracy alone.
    std::vector<double> distances{};
    AlignmentReport report;
};

/// Whether `backend` can compute this; also "no" when it has no implementation at all.
Support supportsAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options);

/// Throws MemoryError unless there is memory for what the method takes at least, as far as the sequences
/// tell: asked by computeAlignment, and before pairs that may take long.
void requireAlignmentMemory(const Sequences& sequences, const AlignOptions& options);

/// How the method aligns pairs: for computePairwise, measured as distances, 1 − identities / letters of the
/// shorter sequence. Not of Accuracy and Fast.
PairwiseOptions pairsOf(const Sequences& sequences, const AlignOptions& options);

/// What the guide tree is made from, given what computePairwise has found for pairsOf.
std::vector<double> distancesOf(const Sequences& sequences, AlignMethod method,
                                const pairs::PairStore& store);

/// The guide tree, as the method writes it: by `treeMethod`, or where there is none by neighbour joining, of
/// Accuracy and Fast by average linkage.
/// Throws UsageError for fewer than two sequences, InputError for distances that are no finite numbers.
trees::Tree guideTreeOf(std::size_t sequences, AlignMethod method, std::vector<double> distances,
                        Progress& progress, std::optional<trees::TreeMethod> treeMethod = {});

/// Aligns at least two sequences, which have no gaps. The alignment has the guide tree that was given, or
/// found. All backends find the same; of Accuracy and Fast, whose sums are rounded, nearly so. Fast runs on
/// the processor alone.
///
/// Throws UsageError for fewer sequences, UnavailableError when the backend cannot align the pairs,
/// MemoryError, CancelledError, DeviceError, WrongResultError.
AlignmentResult computeAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                                 Progress& progress);

}  // namespace glycine::align
