#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/alignment/posterior/kept_posteriors.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

namespace glycine {
class StageRecount;
}

namespace glycine::align {

// ---- joins of groups

// Alignments of many sequences by maximum expected accuracy: two groups are joined so that the weighted sum
// of the posteriors of all pairs of residues that come into one column is largest. Gaps cost nothing.
//
// Source: C. B. Do et al., "ProbCons", Genome Research 15 (2005), 330–340.

/// How sure an alignment is, 0 … 1.
struct Confidences {
    std::vector<double> columns;  ///< the mean posterior of all pairs of residues there; 0: a single residue
    ResidueValues residues;       ///< the mean posterior with the other residues of its column; 0: none

    friend bool operator==(const Confidences&, const Confidences&) = default;
};

class AccuracyAligner {
  public:
    /// `weights`: one a sequence, above 0: those of the joins. Everything outlives the aligner.
    AccuracyAligner(const Sequences& sequences, GroupJoins& joins, std::span<const double> weights);

    /// Joins groups along a rooted tree whose nodes have two children; all whose children are done, side by
    /// side.
    void alignAlong(const trees::Tree& tree, Progress& progress);

    /// Splits the alignment in two by whether a sequence has a residue in some column, and joins both again,
    /// `times` times; columns are chosen at random. The expected accuracy never falls.
    void refine(std::size_t times, std::uint64_t seed, Progress& progress);

    /// Sequences as the tree has joined them.
    const std::vector<std::size_t>& order() const { return order_; }
    /// Of each residue of each sequence, the column where it stands.
    const PlacedResidues& columns() const { return columns_; }
    std::size_t width() const { return width_; }
    /// Means of posteriors by the weights of their sequences.
    Confidences confidences(Progress& progress) const;

  private:
    /// Puts both groups, which have been aligned, beside each other; returns the number of columns.
    std::size_t join(const GroupJoin& groups, const ColumnChain& chain);
    /// Leaves out columns in which no sequence of the group has a residue; returns how many are left.
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
    std::size_t mostThirds = 40;    ///< of a pair, sequences that the transformation goes through
    double selfWeight = 3;          ///< of the pair itself in the consistency transformation
    std::size_t refinements = 100;  ///< times that the alignment is split and joined again
    std::uint64_t seed = 1;
    std::optional<trees::Tree> guideTree{};  ///< with a root, two children a node; absent: made
    bool joinsNeighbours = false;            ///< the tree that is made: else by average linkage
    bool endsWithTree = false;               ///< distances and guide tree alone are asked for
    KeptPosteriors* kept = nullptr;          ///< for another run, and from an earlier one; may be absent
    StageRecount* recount = nullptr;         ///< of what a device finds; absent: nothing is counted again
};

/// Up to so many sequences there are two rounds of consistency and a hundred refinements, beyond one and
/// thirty: each goes through all pairs.
inline constexpr std::size_t kMostForTwoRounds = 50;
/// Beyond, there is no consistency.
inline constexpr std::size_t kMostForOneRound = 400;

/// Bytes that the posteriors of all pairs take at once, by the entries that residues of proteins have.
double bytesOfPosteriors(const Sequences& sequences, const PosteriorAlignmentOptions& options);

/// What was best on the families of docs/results/align.md.
PosteriorAlignmentOptions usualOptions(std::size_t sequences);

struct PosteriorAlignment {
    std::vector<std::vector<std::uint32_t>> columns;  ///< of each residue of each sequence
    std::size_t width = 0;
    std::vector<std::size_t> order;  ///< as sequences were joined
    Confidences confidences;
    trees::Tree guideTree;
    /// Of all pairs below the diagonal: 1 − expected accuracy / residues of the shorter sequence.
    std::vector<double> distances;
    /// "posteriors", "guide tree", "consistency", "progressive", "refinement", "confidence"
    StageSeconds stages;
    std::string note;  ///< what the backend decided on the way; may be empty
};

/// Guide tree from expected accuracies, by average linkage or by neighbour joining with the root in the
/// middle of the longest way, sequence weights from the tree, consistency, progressive alignment by maximum
/// expected accuracy, refinement. At least two sequences. Throws CancelledError, DeviceError, and
/// WrongResultError, after which `kept` keeps nothing.
///
/// Source: Y. Liu, B. Schmidt, D. L. Maskell, "MSAProbs: multiple sequence alignment based on pair hidden
/// Markov models and partition function posterior probabilities", Bioinformatics 26 (2010), 1958–1964; A.
/// Gudyś, S. Deorowicz, "QuickProbs 2: towards rapid construction of high-quality alignments of large protein
/// families", Scientific Reports 7 (2017), 41553.
PosteriorAlignment alignByPosteriors(const Sequences& sequences, PosteriorRun& run,
                                     const PosteriorAlignmentOptions& options, Progress& progress);

}  // namespace glycine::align
