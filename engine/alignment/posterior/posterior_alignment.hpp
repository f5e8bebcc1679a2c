#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/alignment/posterior/posterior_checkpoint.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

namespace glycine {
class StageRecount;
}

namespace glycine::align {

// ---- joins of groups

// Alignments of many sequences by maximum expected accuracy. Two groups are joined so that the weighted sum
// of the posteriors of all residue pairs in the same column is largest. Gaps cost nothing.
//
// Source: C. B. Do et al., "ProbCons", Genome Research 15 (2005), 330–340.

/// The confidence of an alignment, 0 … 1.
struct Confidences {
    std::vector<double> columns;  ///< mean posterior of the residue pairs in a column; 0: a single residue
    ResidueValues residues;       ///< mean posterior with the other residues of the column; 0: none

    friend bool operator==(const Confidences&, const Confidences&) = default;
};

class AccuracyAligner {
  public:
    /// `weights`: one per sequence, above 0, as in the joins. All arguments must outlive the aligner.
    AccuracyAligner(const Sequences& sequences, GroupJoins& joins, std::span<const double> weights);

    /// Joins groups along a rooted binary tree; all groups whose children are done are joined at once.
    void alignAlong(const trees::Tree& tree, Progress& progress);

    /// Refines the alignment `times` times. Each time picks a column at random, splits the alignment into the
    /// sequences with and without a residue there, and joins them again. The expected accuracy never falls.
    void refine(std::size_t times, std::uint64_t seed, Progress& progress);

    /// Sequences in the order in which the tree joined them.
    const std::vector<std::size_t>& order() const { return order_; }
    /// [sequence][residue]: the residue's column.
    const PlacedResidues& columns() const { return columns_; }
    std::size_t width() const { return width_; }
    /// Mean posteriors, weighted by the sequences' weights.
    Confidences confidences(Progress& progress) const;

  private:
    /// Merges two aligned groups along the chain; returns the number of columns.
    std::size_t join(const GroupJoin& groups, const ColumnChain& chain);
    /// Removes columns in which no sequence of the group has a residue; returns the number of columns left.
    std::size_t compact(std::span<const std::size_t> group);

    const Sequences& sequences_;
    GroupJoins& joins_;
    std::span<const double> weights_;
    PlacedResidues columns_;
    std::vector<std::size_t> order_;
    std::size_t width_ = 0;
};

struct PosteriorAlignmentOptions {
    std::size_t consistencyRounds = 2;
    std::size_t mostThirds = 40;    ///< third sequences per pair in the consistency transformation
    double selfWeight = 3;          ///< weight of the pair itself in that transformation
    std::size_t refinements = 100;  ///< how often to split and join again
    std::uint64_t seed = 1;
    std::optional<trees::Tree> guideTree{};  ///< rooted and binary; absent: computed
    bool joinsNeighbours = false;            ///< neighbour joining if computed, else average linkage
    bool endsWithTree = false;               ///< stop after distances and guide tree
    trees::TreeDevice* treeDevice =
        nullptr;                          ///< builds the tree where that is faster; null: the host builds it
    PosteriorCheckpoint* kept = nullptr;  ///< restores and keeps posteriors across runs; may be null
    StageRecount* recount = nullptr;      ///< recounts a device's results; null: nothing is recounted
};

/// Up to this many sequences, two rounds of consistency and 100 refinements are usual; above it, one round
/// and 30 refinements. Each of them goes through all pairs.
inline constexpr std::size_t kMaxForTwoRounds = 50;
/// Above this number, there is no consistency.
inline constexpr std::size_t kMaxForOneRound = 400;

/// The most bytes that the posteriors of all pairs take at once, estimated from the usual number of entries
/// per protein residue.
double bytesOfPosteriors(const Sequences& sequences, const PosteriorAlignmentOptions& options);

/// The options that were best on the families of docs/results/align.md.
PosteriorAlignmentOptions defaultOptions(std::size_t sequences);

struct PosteriorAlignment {
    std::vector<std::vector<std::uint32_t>> columns;  ///< [sequence][residue]
    std::size_t width = 0;
    std::vector<std::size_t> order;  ///< sequences in the order of joining
    Confidences confidences;
    trees::Tree guideTree;
    /// For all pairs below the diagonal: 1 − expected accuracy / residues of the shorter sequence.
    std::vector<double> distances;
    /// "posteriors", "guide tree", "consistency", "progressive", "refinement", "confidence"
    StageSeconds stages;
    std::string_view consistencyOnHost{};  ///< why the host computed consistency; empty: the device did
    std::string note;                      ///< decisions that the backend made during the run; may be empty
};

/// Aligns at least two sequences. The guide tree comes from expected accuracies, by average linkage or by
/// neighbour joining with midpoint rooting. Sequence weights come from the tree. Consistency, progressive
/// alignment by maximum expected accuracy and refinement follow. Throws CancelledError, DeviceError and
/// WrongResultError; after the last, `kept` keeps nothing.
///
/// Source: Y. Liu, B. Schmidt, D. L. Maskell, "MSAProbs: multiple sequence alignment based on pair hidden
/// Markov models and partition function posterior probabilities", Bioinformatics 26 (2010), 1958–1964; A.
/// Gudyś, S. Deorowicz, "QuickProbs 2: towards rapid construction of high-quality alignments of large protein
/// families", Scientific Reports 7 (2017), 41553.
PosteriorAlignment alignByPosteriors(const Sequences& sequences, PosteriorRun& run,
                                     const PosteriorAlignmentOptions& options, Progress& progress);

}  // namespace glycine::align
