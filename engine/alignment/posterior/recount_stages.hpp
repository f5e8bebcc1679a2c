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

/// The largest allowed difference between a backend's posteriors and the reference's: rounding of float32
/// sums over rows.
inline constexpr double kPosteriorTolerance = 1e-4;
/// The largest allowed loss of expected accuracy of a backend's alignment, as a share of the expected
/// accuracy of the reference's own.
inline constexpr double kAccuracyTolerance = 5e-3;

/// Compares all entries of a pair. An entry that one side lacks counts as kSmallestPosterior. `name`: the
/// pair's name in messages.
void comparePair(const PosteriorView& expected, const PosteriorView& found, const std::string& name,
                 Comparison& comparison);

/// The sum of posteriors of all residue pairs that are in one column.
double accuracyOf(const std::vector<std::vector<std::uint32_t>>& columns, const PosteriorSet& posteriors);

/// The share of columns of one alignment that the other one also has: with the same residues of the same
/// sequences.
double sharedColumns(const PosteriorAlignment& one, const PosteriorAlignment& other);

/// Compares an alignment that reaches the accuracy `reached` by the reference's posteriors with the
/// reference's own, which reaches `best`. Also reports how many columns are equal.
void compareAccuracies(double best, double reached, const PosteriorAlignment& expected,
                       const PosteriorAlignment& found, Comparison& comparison);

// ---- posteriors

/// Checks posteriors of all pairs that a device found by `variant` in `seconds` seconds. All values, and the
/// sums of rows in both directions, must be within their ranges. Some pairs are compared in both directions
/// with the cpu backend's: all pairs if time allows, else pairs of any length. Throws WrongResultError,
/// CancelledError.
void recountPosteriors(StageRecount& recount, const Sequences& sequences, const PosteriorSet& posteriors,
                       const std::string& variant, double seconds, Progress& progress);

/// A device's joins, checked on the host. For as many joins as time allows, the sum of the device's chain
/// must equal that of the heaviest chain.
class RecountedJoins final : public GroupJoins {
  public:
    /// All arguments passed by reference must outlive this object. `variant`: the variant that joins.
    /// `areSumsOfDevice`: whether sumsWithin runs on the device, too.
    RecountedJoins(std::unique_ptr<GroupJoins> joins, StageRecount& recount, const Sequences& sequences,
                   const PosteriorSet& posteriors, std::span<const double> weights, std::string variant,
                   bool areSumsOfDevice);
    /// Begins a stage, such as "refinement", for all following checks.
    void enter(std::string stage);

    std::vector<ColumnChain> heaviestChains(std::span<const GroupJoin> joins, const PlacedResidues& residues,
                                            Progress& progress) override;
    ResidueValues sumsWithin(const PlacedResidues& residues, Progress& progress) override;
    std::string note() const override { return joins_->note(); }

  private:
    /// The sum of sumsWithin for one residue.
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
    double seconds_ = 0;  ///< device time of the stage
};

/// Compares expected accuracies (PosteriorRun::expectedAccuracies) that a device found in `seconds` seconds
/// with the host's, as many as time allows. Throws WrongResultError.
void recountAccuracies(StageRecount& recount, const Sequences& sequences, const PosteriorSet& posteriors,
                       std::span<const double> found, const std::string& variant, double seconds);

/// Checks a device's round of consistency. All pairs must have the entries that they had before; the values
/// of as many pairs as time allows must equal the reference's. Throws WrongResultError.
void recountConsistency(StageRecount& recount, const Sequences& sequences, const PosteriorSet& before,
                        const ConsistencyRound& round, const PosteriorSet& found, const std::string& variant,
                        double seconds);

}  // namespace glycine::align
