#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/pairwise/wavefront_plan.hpp"
#include "engine/pairwise/lane_numbers.hpp"

namespace glycine::pairwise::gl {

/// Pairs that are aligned side by side.
struct PairBatch {
    std::span<const SidePair> pairs;
    std::size_t rowSteps = 0;     ///< of the longest pair
    std::size_t columnSteps = 0;  ///< of the longest pair
    std::size_t places = 0;       ///< texels along x
    double cells = 0;             ///< cells of all pairs
};

/// Common part of all variants: pieces of tiles, batches of pairs, and results.
///
/// States are array textures. The pairs of a batch lie along x. Rows of cells, or of tiles of cells, lie
/// along y, after one row for the border. A pass processes an anti-diagonal of all pairs and reads the output
/// of earlier passes. A fragment without work keeps the texel, so that every pair's last number ends up where
/// its last pass wrote it.
class WavefrontRun : public PairwiseRun {
  public:
    /// `sequences` must outlive the run.
    WavefrontRun(glycine::gl::GlBackend& backend, const Sequences& sequences, const PairScoring& scoring,
                 Variant variant, const WavefrontPlan& plan);
    std::string_view variantName() const override { return toString(variant_); }
    pairs::PairTimes times() const override { return times_; }
    std::string note() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  protected:
    using States = std::vector<glycine::gl::RenderTexture>;
    /// Position of a number in a state.
    struct Slot {
        int layer = 0;
        int component = 0;
    };

    virtual WavefrontShape shape(NumberForm form) const = 0;
    /// Uploads the letters of these sequences. `scores` holds the score of each pair of codes: kTableSide²
    /// texels of the number and, in the form Beside, of its identities.
    virtual void load(std::span<const std::size_t> sequences, std::vector<std::int32_t>& scores,
                      const LaneNumbers& numbers, NumberForm form) = 0;
    /// Describes a pair to the passes by two texels of pairs(), one per row. The third and fourth number of
    /// the first texel are the pair's last row and column in the states.
    virtual void describe(const SidePair& pair, std::int32_t* first, std::int32_t* second) const = 0;
    /// Runs all passes of a batch. The pass of diagonal d writes states[d mod states.size()].
    virtual void align(const PairBatch& batch, States& states, const LaneNumbers& numbers, NumberForm form,
                       TileProgress& progress) = 0;
    /// Slots of the result and of separate identities.
    virtual std::pair<Slot, Slot> slotsOfResult(NumberForm form) const = 0;

    std::size_t letters(std::size_t sequence) const { return sequences_.codes[sequence].size(); }
    bool isLocal() const { return scoring_.method == PairMethod::Local; }
    const glycine::gl::Texture& pairTexture() const { return *pairs_; }
    const glycine::gl::Texture& scoreTexture() const { return *scores_; }
    /// gl21: integers are stored in float textures, exact up to GlLimits::largestInteger.
    bool isLegacy() const { return backend_.dialect() == Dialect::Gl21; }
    void uploadScores(const std::vector<std::int32_t>& scores) {
        upload(*scores_, scores, scores_->extent());
    }
    /// Draws the pass over rows of `region`, within the budget; a row costs `cellsPerRow` cells.
    void draw(glycine::gl::FragmentPass& pass, const glycine::gl::Rectangle& region, double cellsPerRow);

    glycine::gl::GlBackend& backend_;
    const Sequences& sequences_;
    PairScoring scoring_;

  private:
    /// Pairs with the same form of numbers.
    struct PairClass {
        NumberForm form;
        std::size_t longest;  ///< largest number of letters that the form allows
        std::vector<SidePair> pairs{};
    };
    glycine::gl::TextureFormat format() const {
        return isLegacy() ? glycine::gl::TextureFormat::RGBA32F : glycine::gl::TextureFormat::RGBA32I;
    }
    void upload(glycine::gl::Texture& texture, const std::vector<std::int32_t>& numbers,
                const glycine::gl::Rectangle& region);
    void alignClass(const PairClass& some, const pairs::PairTile& tile, TileProgress& progress);
    void alignBatch(const PairBatch& batch, const pairs::PairTile& tile, const LaneNumbers& numbers,
                    NumberForm form, TileProgress& progress);

    Variant variant_;
    WavefrontPlan plan_;
    std::size_t pairsPerTexel_ = 1;
    glycine::gl::PooledTexture scores_;
    glycine::gl::PooledTexture pairs_;
    glycine::gl::RenderTexture found_;
    std::span<const MatrixView<std::int32_t>> results_;  ///< of the current tile
    pairs::PairTimes times_;
    glycine::gl::StageClock clock_;
    bool isWide_ = false;  ///< some numbers did not fit together
};

}  // namespace glycine::pairwise::gl
