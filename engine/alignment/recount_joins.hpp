#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/alignment/posterior/join_gains.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/stage_recount.hpp"

namespace glycine::align {

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
    std::vector<double> sumsWithin(const PlacedResidues& residues, std::size_t width,
                                   Progress& progress) override;
    std::string note() const override { return joins_->note(); }

  private:
    double sumOfColumn(const PlacedResidues& residues, std::size_t column) const;

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
