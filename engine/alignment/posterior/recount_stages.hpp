#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/comparison.hpp"
#include "engine/core/stage_recount.hpp"

namespace glycine::align {

// ---- comparisons

/// How far a backend's posteriors may be from the reference's: rounding of float32 sums over rows.
inline constexpr double kPosteriorTolerance = 1e-4;
/// How much less a backend's alignment may have of the accuracy that the reference expects of its own, as a
/// share of it.
inline constexpr double kAccuracyTolerance = 5e-3;

/// Takes in all entries of a pair. What one side has left out counts as just below kSmallestPosterior.
/// `name`: of the pair, for people.
void comparePair(const PosteriorView& expected, const PosteriorView& found, const std::string& name,
                 Comparison& comparison);

/// The sum of posteriors of all pairs of residues that stand in one column.
double accuracyOf(const std::vector<std::vector<std::uint32_t>>& columns, const PosteriorSet& posteriors);

/// The share of the columns of one alignment that the other one has, too: with the same residues of the same
/// sequences.
double sharedColumns(const PosteriorAlignment& one, const PosteriorAlignment& other);

/// Takes in an alignment that reaches the accuracy `reached` by the reference's posteriors, where the
/// reference's own has `best`; also tells how many columns are the same.
void compareAccuracies(double best, double reached, const PosteriorAlignment& expected,
                       const PosteriorAlignment& found, Comparison& comparison);

// ---- posteriors

/// Holds posteriors of all pairs, which a device found by `variant` in so many seconds, against what
/// posteriors are (values, sums of rows of both directions), and those of some pairs, both directions,
/// against the cpu backend's: of all pairs where there is time for them, else of pairs of any length. Throws
/// WrongResultError, CancelledError.
void recountPosteriors(StageRecount& recount, const Sequences& sequences, const PosteriorSet& posteriors,
                       const std::string& variant, double seconds, Progress& progress);

/// Joins of a device, held against the host's: of as many as there is time for, the sum of the chain that the
/// device found is that of the heaviest one.
class RecountedJoins final : public GroupJoins {
  public:
    /// All that is handed over by reference outlives it. `variant`: the one that joins. `areSumsOfDevice`:
    /// sumsWithin is, too.
    RecountedJoins(std::unique_ptr<GroupJoins> joins, StageRecount& recount, const Sequences& sequences,
                   const PosteriorSet& posteriors, std::span<const double> weights, std::string variant,
                   bool areSumsOfDevice);
    /// What follows is of this stage: "refinement".
    void enter(std::string stage);

    std::vector<ColumnChain> heaviestChains(std::span<const GroupJoin> joins, const PlacedResidues& residues,
                                            Progress& progress) override;
    ResidueValues sumsWithin(const PlacedResidues& residues, Progress& progress) override;
    std::string note() const override { return joins_->note(); }

  private:
    /// What sumsWithin has of one residue.
    double sumAt(std::size_t x, std::size_t place, const PlacedResidues& residues) const;

    std::unique_ptr<GroupJoins> joins_;
    StageRecount& recount_;
    const Sequences& sequences_;
    const PosteriorSet& posteriors_;
    std::span<const double> weights_;
    std::string variant_;
    bool areSumsOfDevice_;
    JoinSums sums_;
    std::string stage_;
    double seconds_ = 0;  ///< that the stage has taken the device
};

/// Of expected accuracies (PosteriorRun::expectedAccuracies) that a device found in so many seconds, as many
/// as there is time for are those of the host. Throws WrongResultError.
void recountAccuracies(StageRecount& recount, const Sequences& sequences, const PosteriorSet& posteriors,
                       std::span<const double> found, const std::string& variant, double seconds);

/// A round of consistency of a device: all pairs have the entries that they had, and values of as many as
/// there is time for are the reference's. Throws WrongResultError.
void recountConsistency(StageRecount& recount, const Sequences& sequences, const PosteriorSet& before,
                        const ConsistencyRound& round, const PosteriorSet& found, const std::string& variant,
                        double seconds);

}  // namespace glycine::align
