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
#include "engine/gl/alignment/consistency_passes.hpp"
#include "engine/gl/alignment/posterior_batch.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::align::gl {

/// Posteriors of all pairs, in pieces whose tables fit and batches whose edges fit. Joins of groups use
/// tiles, too, and consistency passes of its own.
class TilePosteriors final : public PosteriorRun {
  public:
    /// `sequences` must outlive the run.
    TilePosteriors(glycine::gl::GlBackend& backend, const Sequences& sequences,
                   const PosteriorPlanner& planner, const ConsistencySettings& consistency = {});
    std::string_view variantName() const override { return toString(pairwise::Variant::Blocked); }
    std::string note() const override;
    void complete(PosteriorSet& posteriors, Progress& progress) override;
    PosteriorSet applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                  Progress& progress) override;
    std::string_view consistencyOnHost() const override { return consistency_.reason(); }
    std::unique_ptr<GroupJoins> joins(const PosteriorSet& posteriors,
                                      std::span<const double> weights) override;

    /// Number of pairs that the host recomputed, and of batches whose forward sums were not all kept.
    std::size_t unsound() const { return unsound_.size(); }
    std::size_t recomputedBatches() const { return recomputedBatches_; }

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
    ConsistencyPasses consistency_;
    std::array<ModelTables, kModels> models_;
    std::vector<pairwise::gl::SidePair> unsound_;  ///< pairs whose sums exceed float32
    std::size_t recomputedBatches_ = 0;
};

/// Joins of groups whose chains passes find (shaders/align/join_tiles.frag), several joins side by side. The
/// host adds up the posteriors (JoinSums), as sums of float32 numbers from which every device chooses alike.
/// Sums made by a device would depend on its rounding. Few columns of a join gain anything together, so most
/// tiles have no gains and are never uploaded. The host computes sums within columns, and joins too large for
/// textures. The backend, posteriors and weights must outlive the joins.
std::unique_ptr<GroupJoins> joinsByTiles(glycine::gl::GlBackend& backend, const PosteriorSet& posteriors,
                                         std::span<const double> weights);

}  // namespace glycine::align::gl
