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

/// Inside the algorithm: what the methods have in common, one class each.
namespace glycine::align {

/// An option of the command that a method does not have, and why: what stands behind its name in the refusal.
struct LackedOption {
    std::string_view option;
    std::string_view reason;
};

/// What a method is to its callers.
struct MethodTraits {
    std::string_view flag;          ///< the command's option that asks for it
    std::string_view description;   ///< in reports
    std::string_view similarity{};  ///< what 1 − distance of a pair is
    /// Distances are those of pairs, which are aligned each by itself and are kept.
    bool alignsPairs = false;
    /// Of all pairs, with rounds of consistency and refinements; distances come with the alignment, and a run
    /// may end with them or the tree.
    bool hasPosteriors = false;
    bool hasVariants = true;
    bool hasTreeMethods = true;
    trees::TreeMethod usualTree = trees::TreeMethod::Upgma;
    RowOrder usualOrder = RowOrder::Input;
    std::span<const LackedOption> lacks{};
};

class Method {
  public:
    virtual ~Method() = default;
    virtual MethodTraits traits() const = 0;
    virtual Support supports(Backend& backend, const Sequences& sequences,
                             const AlignOptions& options) const = 0;
    /// As requireAlignmentMemory.
    virtual void requireMemory(const Sequences& sequences, const AlignOptions& options) const = 0;

    /// How pairs are aligned, where traits().alignsPairs.
    virtual pairwise::PairScoring scoringOf(Alphabet alphabet) const;
    /// Of a pair whose shorter sequence has so many letters: what the tree is made from, given 1 − identities
    /// / letters.
    virtual double distanceOf(double found, double letters) const;
    /// The guide tree by neighbour joining.
    virtual trees::Tree joinNeighbours(std::size_t sequences, std::vector<double> distances,
                                       Progress& progress) const;
    /// A root of two children stays.
    trees::Tree rooted(const trees::Tree& tree) const;

    /// Guide tree, where none is given, groups joined along it, refinement: for arguments that
    /// computeAlignment has checked.
    virtual AlignmentResult align(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                                  Progress& progress) const = 0;

  protected:
    virtual trees::Tree newRoot(const trees::Tree& tree) const;
    /// The guide tree that was given, or that of distances that were given.
    std::optional<trees::Tree> givenTree(std::size_t sequences, const AlignOptions& options,
                                         Progress& progress) const;
};

/// AlignMethod::Auto has the options of AlignMethod::Accuracy, and is settled before it aligns.
const Method& methodOf(AlignMethod method);

// Each is defined beside what it does.
const Method& posteriorMethod();
const Method& clustalMethod();
const Method& thesisMethod();
const Method& fastMethod();

// ---- choice of a method

// What chooseMethod goes by.
//
// Work is counted, never timed, so that the same sequences and options have the same method on every
// machine, however busy. Its unit is a cell of the posteriors of a pair (both models, forwards and
// backwards); a second stands for kCellsPerSecond of them, whatever the machine does.

/// What two cores with AVX2 do, in single precision: of proteins 2·10⁸ cells a second and core were measured,
/// with AVX-512 up to 4·10⁸.
inline constexpr double kCellsPerSecond = 4e8;
/// Bytes of posteriors beyond which a method does not fit, whatever the machine has.
inline constexpr double kMostPosteriorBytes = 8e9;

/// Cells of the posteriors of all pairs: products of their lengths; of nucleotides, which are computed in
/// double precision, twice as many.
double posteriorCells(const Sequences& sequences);

/// Seconds of work of AlignMethod::Accuracy with these options. Besides the posteriors there are, in cells:
/// - 5 for each letter of a pair and each third sequence of a round of consistency;
/// - 2 for each letter of a pair that a refinement splits, of which there are N² / 4.
double accuracySeconds(const Sequences& sequences, const PosteriorAlignmentOptions& options);

/// Seconds of work of AlignMethod::Fast: 3 cells for each cell of a join, of which there are N − 1 (profiles
/// are wider than sequences), and 1/500 for each cell of a common subsequence.
double fastSeconds(const Sequences& sequences);

/// AlignOptions::consistencyRounds and refinements, or what is usual for so many sequences.
PosteriorAlignmentOptions posteriorOptionsOf(std::size_t sequences, const AlignOptions& options);

/// The options with the method, rounds and refinements of the choice.
AlignOptions withChoice(AlignOptions options, const MethodChoice& choice);

/// The sequences of an alignment in two groups: those with a residue in some column, and the others.
struct GapSplit {
    std::vector<std::size_t> with, without;
};

/// Splits at columns drawn at random until one has a gap; `without` is empty where none of fifty had.
/// `order`: of the sequences, kept; `columns`: of each residue of each sequence, ascending.
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

/// `align` by its own method, as AlgorithmRegistry takes it.
const Algorithm& alignAlgorithm();

}  // namespace glycine::align
