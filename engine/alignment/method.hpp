#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"

/// Inside the algorithm: what the methods have in common, one class each.
namespace glycine::align {

/// An option of the command that a method does not have, and why: what stands behind its name in the refusal.
struct LackedOption {
    std::string_view option;
    std::string_view reason;
};

/// What a method is to its callers.
struct MethodTraits {
    std::string_view flag;         ///< the command's option that asks for it
    std::string_view description;  ///< in reports
    std::string_view similarity;   ///< what 1 − distance of a pair is
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

}  // namespace glycine::align
