#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/random.hpp"
#include "engine/trees/tree_engine.hpp"

/// Internal to the algorithm: the interface that the methods share; each method is one class.
namespace glycine::align {

/// A command option that a method lacks; the reason follows the option's name in the message.
struct LackedOption {
    std::string_view option;
    std::string_view reason;
};

/// How a method presents itself to its callers.
struct MethodTraits {
    std::string_view flag;          ///< the command's option that selects it
    std::string_view description;   ///< in reports
    std::string_view similarity{};  ///< meaning of 1 − distance of a pair
    /// Distances come from pairs that are aligned separately and kept.
    bool alignsPairs = false;
    /// The method computes posteriors of all pairs, with rounds of consistency and refinements. Distances
    /// come with the alignment, and a run may end with them or with the tree.
    bool hasPosteriors = false;
    bool hasVariants = true;
    bool hasTreeMethods = true;
    trees::TreeMethod defaultTree = trees::TreeMethod::Upgma;
    RowOrder defaultOrder = RowOrder::Input;
    std::span<const LackedOption> lacks{};
};

class Method {
  public:
    virtual ~Method() = default;
    virtual MethodTraits traits() const = 0;
    virtual Support supports(Backend& backend, const Sequences& sequences,
                             const AlignOptions& options) const = 0;
    /// See requireAlignmentMemory.
    virtual void requireMemory(const Sequences& sequences, const AlignOptions& options) const = 0;

    /// How pairs are aligned; requires traits().alignsPairs.
    virtual pairwise::PairScoring scoringOf(Alphabet alphabet) const;
    /// The distance from which the tree is built. `found` is 1 − identities / letters; `letters` is the
    /// length of the shorter sequence.
    virtual double distanceOf(double found, double letters) const;
    /// The guide tree by neighbour joining; on the host if `device` is null.
    virtual trees::Tree joinNeighbours(std::size_t sequences, std::vector<double> distances,
                                       trees::TreeDevice* device, Progress& progress) const;
    /// Keeps a root with two children; otherwise sets the method's root.
    trees::Tree rooted(const trees::Tree& tree) const;

    /// Builds a guide tree if none is given, joins groups along it and refines. computeAlignment has checked
    /// the arguments.
    virtual AlignmentResult align(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                                  Progress& progress) const = 0;

  protected:
    virtual trees::Tree newRoot(const trees::Tree& tree) const;
    /// The given guide tree, or the tree of the given distances; otherwise nothing.
    std::optional<trees::Tree> givenTree(std::size_t sequences, const AlignOptions& options,
                                         trees::TreeDevice* device, Progress& progress) const;
};

/// AlignMethod::Auto accepts the options of AlignMethod::Accuracy; it is resolved before the alignment.
const Method& methodOf(AlignMethod method);

// Each is defined next to its implementation.
const Method& posteriorMethod();
const Method& clustalMethod();
const Method& thesisMethod();
const Method& fastMethod();

// ---- choice of a method

// The work estimates of chooseMethod.
//
// Work is counted, never timed, so that the same sequences and options get the same method on every machine,
// however busy. The unit is one cell of a pair's posteriors (both models, forwards and backwards). A second
// stands for kCellsPerSecond cells, whatever the machine's speed.

/// The rate of two cores with AVX2 in single precision. For proteins, 2·10⁸ cells per second and core were
/// measured, and up to 4·10⁸ with AVX-512.
inline constexpr double kCellsPerSecond = 4e8;
/// The most bytes of posteriors that a method may need, whatever the machine has.
inline constexpr double kMaxPosteriorBytes = 8e9;

/// Cells of the posteriors of all pairs: products of their lengths. For nucleotides, which are computed in
/// double precision, twice as many.
double posteriorCells(const Sequences& sequences);

/// Seconds of work of AlignMethod::Accuracy with these options. In addition to the posteriors, it counts in
/// cells:
/// - 5 for each letter of a pair and each third sequence, per round of consistency;
/// - 2 for each letter of each pair that a refinement splits; it splits N² / 4 pairs.
double accuracySeconds(const Sequences& sequences, const PosteriorAlignmentOptions& options);

/// Seconds of work of AlignMethod::Fast: 3 cells for each cell of the N − 1 joins (profiles are wider than
/// sequences), and 1/500 for each cell of a common subsequence.
double fastSeconds(const Sequences& sequences);

/// AlignOptions::consistencyRounds and refinements, or the defaults for the number of sequences.
PosteriorAlignmentOptions posteriorOptionsOf(std::size_t sequences, const AlignOptions& options);

/// The options with the method, rounds and refinements of the choice.
AlignOptions withChoice(AlignOptions options, const MethodChoice& choice);

/// The sequences of an alignment in two groups: those with a residue in a chosen column, and the others.
struct GapSplit {
    std::vector<std::size_t> with, without;
};

/// Draws columns at random until one has a gap, and splits there; `without` is empty if none of 50 columns
/// had one. Both groups keep the order of `order`. `columns`: [sequence][residue], ascending within a
/// sequence.
inline GapSplit splitAtGap(std::span<const std::size_t> order,
                           const std::vector<std::vector<std::uint32_t>>& columns, std::size_t width,
                           RandomSequence& random) {
    GapSplit split;
    for (int attempt = 0; attempt < 50 && split.without.empty(); ++attempt) {
        const auto column = static_cast<std::uint32_t>(random.below(width));
        split.with.clear();
        for (const std::size_t x : order)
            (std::ranges::binary_search(columns[x], column) ? split.with : split.without).push_back(x);
    }
    return split;
}

/// The `align` algorithm as AlgorithmRegistry describes it, with the methods' default.
const Algorithm& alignAlgorithm();

}  // namespace glycine::align
