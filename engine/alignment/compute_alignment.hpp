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

/// All sequences beside each other, in three stages: pairs, guide tree, progressive alignment.
namespace glycine {
class StageRecount;
}

namespace glycine::align {

/// Stages in the order in which they ran, and what each took.
using StageSeconds = std::vector<std::pair<std::string, double>>;

class KeptPosteriors;

/// By whose rules.
enum class AlignMethod {
    Accuracy,  ///< maximum expected accuracy over posteriors of residue pairs (posterior/)
    ClustalW,  ///< ClustalW 2.1 (clustal/)
    Thesis,    ///< Khaladkar's scheme (clustal/thesis_alignment.hpp)
    Fast,      ///< posteriors of profiles, along a tree that needs no alignments (fast/)
    Auto,      ///< Accuracy or Fast, the best one whose work fits a budget (method.hpp)
};
constexpr auto namesOf(AlignMethod) {
    using enum AlignMethod;
    return namesAre<AlignMethod>(
        "method",
        {{Accuracy, "accuracy"}, {ClustalW, "clustalw"}, {Thesis, "thesis"}, {Fast, "fast"}, {Auto, "auto"}});
}

/// Where users name none.
inline constexpr AlignMethod kUsualMethod = AlignMethod::Auto;

/// Of AlignMethod::Auto: seconds of work on two cores, as method.hpp counts them.
inline constexpr double kUsualBudget = 60;

/// What AlignMethod::Auto has chosen, and why.
struct MethodChoice {
    AlignMethod method = AlignMethod::Accuracy;  ///< or Fast
    std::size_t consistencyRounds = 0;           ///< of Accuracy
    std::size_t refinements = 0;                 ///< of Accuracy
    std::string name{};                          ///< "posteriors with a round of consistency"
    double seconds = 0;                          ///< of work, estimated
    double budgetSeconds = 0;                    ///< that it should not exceed
    std::string reason{};                        ///< "estimated 12 s of work, budget 1 min 00 s"
};

struct AlignOptions {
    AlignMethod method = AlignMethod::Accuracy;
    pairwise::Variant variant = pairwise::Variant::Default;  ///< of the pairs; Fast has none
    std::size_t tile = 0;                                    ///< of the pairs; 0: what suits the backend
    /// Given: no guide tree is made, and but for Accuracy no pairs are aligned. Leaves are the sequences. A
    /// root of two children stays, another tree gets the method's root.
    std::optional<trees::Tree> guideTree{};
    std::optional<trees::TreeMethod> treeMethod{};  ///< absent: the method's own; not of Fast
    /// Given: no pairs are aligned; of all pairs below the diagonal, (1,0), (2,0), (2,1), … Accuracy and Fast
    /// make their guide trees from them.
    std::optional<std::vector<double>> distances{};
    bool endsWithTree = false;  ///< of Accuracy: distances and guide tree alone are asked for
    std::optional<std::size_t> consistencyRounds{};  ///< of Accuracy; absent: what is usual for the number
    std::optional<std::size_t> refinements{};        ///< of Accuracy; absent: what is usual for the number
    double budgetSeconds = kUsualBudget;             ///< of Auto: seconds of work
    std::uint64_t seed = 1;                          ///< of the refinement; Accuracy and Fast read it
    KeptPosteriors* kept = nullptr;  ///< of Accuracy: where posteriors outlive a stop; may be absent
    /// Of what a device finds after the pairs; absent: nothing is counted again. WrongResultError ends the
    /// run.
    StageRecount* recount = nullptr;
};

struct AlignmentReport {
    std::optional<pairwise::PairwiseReport> pairs;  ///< where pairs were aligned
    /// "pairs", "guide tree", "progressive", as far as they ran; of Accuracy those of alignByPosteriors, of
    /// Fast those of alignFast.
    StageSeconds stages;
    std::string variant;                   ///< the one that ran; of Accuracy
    std::string note;                      ///< what was decided on the way, but for the pairs; may be empty
    std::optional<MethodChoice> choice{};  ///< of Auto
};

struct AlignmentResult {
    MultipleAlignment alignment;
    /// Of all pairs below the diagonal, (1,0), (2,0), (2,1), …; of Accuracy alone.
    std::vector<double> distances{};
    AlignmentReport report;
};

/// What AlignMethod::Auto stands for: the best method whose work fits a budget. Work is counted, never timed
/// (method.hpp), so that the same sequences and options have the same method on every machine, however
/// busy. It is the first of these that fits options.budgetSeconds and 8 GB of posteriors, or else the last:
/// 1. Accuracy as usual for so many sequences;
/// 2. Accuracy with one round of consistency and 30 refinements, where that is less;
/// 3. Accuracy without consistency, with 30 refinements;
/// 4. Fast, where `mayBeFast` and the options ask for nothing that Fast lacks (a variant, a tree method, an
/// end
///    with the tree).
/// An end with the tree takes the posteriors alone, and the first of them. At least two sequences, as
/// computeAlignment has them.
MethodChoice chooseMethod(const Sequences& sequences, const AlignOptions& options, bool mayBeFast);

/// Whether `backend` can compute this; also "no" when it has no implementation at all.
Support supportsAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options);

/// Throws MemoryError unless there is memory for what the method takes at least, as far as the sequences
/// tell: asked by computeAlignment, and before pairs that may take long.
void requireAlignmentMemory(const Sequences& sequences, const AlignOptions& options);

/// How the method aligns pairs: for computePairwise, measured as distances, 1 − identities / letters of the
/// shorter sequence; of Thesis, mismatches / pairs without a gap. Not of Accuracy and Fast.
pairwise::PairwiseOptions pairsOf(const Sequences& sequences, const AlignOptions& options);

/// What the guide tree is made from, given what computePairwise has found for pairsOf.
std::vector<double> distancesOf(const Sequences& sequences, AlignMethod method,
                                const pairs::PairStore& store);

/// The guide tree, as the method writes it: by `treeMethod`, or where there is none by neighbour joining, of
/// Accuracy and Fast by average linkage.
/// Throws UsageError for fewer than two sequences and another number of distances than pairs, InputError for
/// distances that are no finite numbers.
trees::Tree guideTreeOf(std::size_t sequences, AlignMethod method, std::vector<double> distances,
                        Progress& progress, std::optional<trees::TreeMethod> treeMethod = {});

/// Aligns at least two sequences, which have no gaps. The alignment has the guide tree that was given, or
/// found. All backends find the same; of Accuracy and Fast, whose sums are rounded, nearly so. Fast runs on
/// the processor alone, and Auto chooses it there alone.
///
/// Throws UsageError for fewer than two sequences, unknown enumerators, options that the method does not
/// have, a tree and distances at once, and another number of distances than pairs; InputError for distances
/// that are no finite numbers, and as checkSequences and checkGuideTree; UnavailableError when the backend
/// cannot align the pairs, MemoryError, CancelledError, DeviceError, WrongResultError.
AlignmentResult computeAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                                 Progress& progress);

}  // namespace glycine::align
