#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/gl/alignment/posterior_batch.hpp"

namespace glycine::align::gl {

/// Posteriors of all pairs, in pieces whose tables fit and batches whose edges do; joins by tiles, too.
/// Consistency is the host's.
class TilePosteriors final : public PosteriorRun {
  public:
    /// `sequences` outlive the run.
    TilePosteriors(glycine::gl::GlBackend& backend, const Sequences& sequences,
                   const PosteriorPlanner& planner);
    std::string_view variantName() const override { return toString(pairwise::Variant::Blocked); }
    std::string note() const override;
    void complete(PosteriorSet& posteriors, Progress& progress) override;
    PosteriorSet madeConsistent(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                Progress& progress) override;
    std::unique_ptr<GroupJoins> joins(const PosteriorSet& posteriors,
                                      std::span<const double> weights) override;

    /// Pairs that the host computed again, and batches whose forward sums were not all kept.
    std::size_t unsound() const { return unsound_.size(); }
    std::size_t stretched() const { return stretched_; }

  private:
    void computePiece(const pairs::PairTile& piece, PosteriorSet& result, Progress& progress);
    std::pair<PosteriorLayout, std::size_t> nextBatch(std::span<const pairwise::gl::SidePair> pairs) const;
    void computeBatch(const LetterTables& letters, const PosteriorLayout& layout,
                      std::span<const pairwise::gl::SidePair> pairs, PosteriorSet& result,
                      Progress& progress);
    void computeOnHost(PosteriorSet& result, Progress& progress);
    std::size_t letters(std::size_t sequence) const { return sequences_.codes[sequence].size(); }

    glycine::gl::GlBackend& backend_;
    const Sequences& sequences_;
    PosteriorPlanner planner_;
    std::array<ModelTables, kModels> models_;
    std::vector<pairwise::gl::SidePair> unsound_;  ///< sums that float32 does not hold
    std::size_t stretched_ = 0;
};

}  // namespace glycine::align::gl
