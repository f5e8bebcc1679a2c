#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairwise/pairwise.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/trees/tree.hpp"

/// Multiple sequence alignment in three stages: pairs, guide tree, progressive alignment.
namespace glycine {
class StageRecount;
}

namespace glycine::align {

/// Stages in the order in which they ran, with their seconds.
using StageSeconds = std::vector<std::pair<std::string, double>>;

class PosteriorCheckpoint;

/// The rules of an alignment.
enum class AlignMethod {
    Accuracy,  ///< maximum expected accuracy over posteriors of residue pairs (posterior/)
    ClustalW,  ///< ClustalW 2.1 (clustal/)
    Thesis,    ///< Khaladkar's scheme (clustal/thesis_alignment.hpp)
    Fast,      ///< posteriors of profiles, along a tree found without alignments (fast/)
    Auto,      ///< Accuracy or Fast: the best whose work fits a budget (method.hpp)
};
constexpr auto namesOf(AlignMethod) {
    using enum AlignMethod;
    return namesAre<AlignMethod>(
        "method",
        {{Accuracy, "accuracy"}, {ClustalW, "clustalw"}, {Thesis, "thesis"}, {Fast, "fast"}, {Auto, "auto"}});
}

/// The default method.
inline constexpr AlignMethod kUsualMethod = AlignMethod::Auto;

/// The default budget of AlignMethod::Auto: seconds of work on two cores, as method.hpp counts them.
inline constexpr double kUsualBudget = 60;

/// The choice of AlignMethod::Auto, with its reason.
struct MethodChoice {
    AlignMethod method = AlignMethod::Accuracy;  ///< or Fast
    std::size_t consistencyRounds = 0;           ///< for Accuracy
    std::size_t refinements = 0;                 ///< for Accuracy
    std::string name{};                          ///< "posteriors with a round of consistency"
    double seconds = 0;                          ///< estimated work
    double budgetSeconds = 0;                    ///< the most work allowed
    std::string reason{};                        ///< "estimated 12 s of work, budget 1 min 00 s"
};

struct AlignOptions {
    AlignMethod method = AlignMethod::Accuracy;
    pairwise::Variant variant = pairwise::Variant::Default;  ///< for the pairs; Fast has none
    std::size_t tile = 0;                                    ///< for the pairs; 0: chosen to suit the backend
    /// If present, no guide tree is built, and only Accuracy still aligns pairs. The leaves are the
    /// sequences. A root with two children is kept; any other tree gets the method's root.
    std::optional<trees::Tree> guideTree{};
    std::optional<trees::TreeMethod> treeMethod{};  ///< absent: the method's own; not for Fast
    /// If present, no pairs are aligned: distances of all pairs below the diagonal, (1,0), (2,0), (2,1), …
    /// Accuracy and Fast build their guide trees from them.
    std::optional<std::vector<double>> distances{};
    bool endsWithTree = false;                       ///< Accuracy only: stop after distances and guide tree
    std::optional<std::size_t> consistencyRounds{};  ///< Accuracy only; absent: the usual number
    std::optional<std::size_t> refinements{};        ///< Accuracy only; absent: the usual number
    double budgetSeconds = kUsualBudget;             ///< Auto only: seconds of work
    std::uint64_t seed = 1;                          ///< for refinement; Accuracy and Fast use it
    PosteriorCheckpoint* kept = nullptr;  ///< Accuracy only: keeps posteriors across a stop; may be null
    /// Recounts what a device computes after the pairs; null: nothing is recounted. A difference throws
    /// WrongResultError.
    StageRecount* recount = nullptr;
};

struct AlignmentReport {
    std::optional<pairwise::PairwiseReport> pairs;  ///< if pairs were aligned
    /// "pairs", "guide tree", "progressive", as far as they ran. For Accuracy, the stages of
    /// alignByPosteriors; for Fast, those of alignFast.
    StageSeconds stages;
    /// Why the host built the guide tree (trees::TreeDevice); empty: the device did, or there was none to
    /// build.
    std::string_view treeOnHost{};
    std::string_view consistencyOnHost{};  ///< the same for consistency; Accuracy only
    std::string variant;                   ///< the one that ran; Accuracy only
    std::string note;                      ///< decisions made during the run, except for pairs; may be empty
    std::optional<MethodChoice> choice{};  ///< Auto only
};

struct AlignmentResult {
    MultipleAlignment alignment;
    /// Distances of all pairs below the diagonal, (1,0), (2,0), (2,1), …; Accuracy only.
    std::vector<double> distances{};
    AlignmentReport report;
};

/// Resolves AlignMethod::Auto to the best method whose work fits a budget. Work is counted, never timed
/// (method.hpp). The same sequences and options therefore get the same method on every machine, however busy
/// it is. The first of these that fits options.budgetSeconds and 8 GB of posteriors is chosen, or else the
/// last:
/// 1. Accuracy with the defaults for the number of sequences;
/// 2. Accuracy with one round of consistency and 30 refinements, if that is less;
/// 3. Accuracy without consistency, with 30 refinements;
/// 4. Fast, if `mayBeFast` and the options request nothing that Fast lacks (a variant, a tree method, an end
///    with the tree).
/// If the run ends with the tree, only the posteriors count, and only the first entry applies. Requires at
/// least two sequences, as computeAlignment does.
MethodChoice chooseMethod(const Sequences& sequences, const AlignOptions& options, bool mayBeFast);

/// Whether `backend` can compute this; also "no" if it has no implementation at all.
Support supportsAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options);

/// Throws MemoryError if there is not enough memory for the method's least demand, as far as the sequences
/// determine it. computeAlignment calls it; callers also call it before pairs that may take long.
void requireAlignmentMemory(const Sequences& sequences, const AlignOptions& options);

/// The options with which computePairwise aligns pairs for the method. The measure is the distance, 1 −
/// identities / letters of the shorter sequence; for Thesis, mismatches / pairs without a gap. Not for
/// Accuracy and Fast.
pairwise::PairwiseOptions pairsOf(const Sequences& sequences, const AlignOptions& options);

/// The distances for the guide tree, from the results of computePairwise with pairsOf.
std::vector<double> distancesOf(const Sequences& sequences, AlignMethod method,
                                const pairs::PairStore& store);

/// The guide tree, as the method writes it. It is built by `treeMethod`; by default, Accuracy and Fast use
/// average linkage, the others neighbour joining. `device`: builds it where that is faster, with the same
/// result; null: the host builds it. Throws UsageError for fewer than two sequences or if the number of
/// distances is not that of pairs, InputError for distances that are not finite, and WrongResultError.
trees::Tree guideTreeOf(std::size_t sequences, AlignMethod method, std::vector<double> distances,
                        Progress& progress, std::optional<trees::TreeMethod> treeMethod = {},
                        trees::TreeDevice* device = nullptr);

/// Aligns at least two sequences without gaps. The result has the given guide tree, or the one built. All
/// backends give the same result; for Accuracy and Fast, whose sums are rounded, nearly the same. Fast runs
/// only on the processor, and Auto chooses it only there.
///
/// Throws UsageError for fewer than two sequences, unknown enumerators, options that the method does not
/// have, a tree and distances at once, and a wrong number of distances; InputError for distances that are not
/// finite, and what checkSequences and checkGuideTree throw; UnavailableError if the backend cannot align the
/// pairs; MemoryError, CancelledError, DeviceError, WrongResultError.
AlignmentResult computeAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                                 Progress& progress);

}  // namespace glycine::align
