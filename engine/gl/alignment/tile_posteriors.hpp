#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/gl/alignment/posterior_batch.hpp"
#include "engine/gl/framework/gl_backend.hpp"

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

/// Joins of groups whose chains passes find (shaders/align/join_tiles.frag), several joins side by side.
/// Posteriors are added up on the host (JoinSums), as sums of float32 numbers that any device must choose
/// among alike; what a device would add up itself would depend on its rounding. Of a join's columns a few
/// gain something beside each other, so that tiles without gains, most of them, bring nothing to the device.
/// Joins that textures have no room for are done on the host, and sums within columns are. The backend,
/// posteriors and weights outlive it.
std::unique_ptr<GroupJoins> joinsByTiles(glycine::gl::GlBackend& backend, const PosteriorSet& posteriors,
                                         std::span<const double> weights);

}  // namespace glycine::align::gl
