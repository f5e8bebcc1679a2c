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
    std::size_t rowSteps = 0;     ///< of the longest
    std::size_t columnSteps = 0;  ///< of the longest
    std::size_t places = 0;       ///< texels along x
    double cells = 0;             ///< of all pairs
};

/// What all variants share: pieces of tiles, batches of pairs, and the results.
///
/// States are array textures: along x the pairs of a batch, along y rows of cells (or of tiles of them),
/// after one for the border. A pass works on an anti-diagonal of all pairs and reads what the passes before
/// it have left. A fragment that has nothing to do leaves what is there, so that at the end every pair's last
/// number lies where its last pass wrote it.
class WavefrontRun : public PairwiseRun {
  public:
    /// `sequences` outlive the run.
    WavefrontRun(glycine::gl::GlBackend& backend, const Sequences& sequences, const PairScoring& scoring,
                 Variant variant, const WavefrontPlan& plan);
    std::string_view variantName() const override { return toString(variant_); }
    pairs::PairTimes times() const override { return times_; }
    std::string note() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  protected:
    using States = std::vector<glycine::gl::RenderTexture>;
    /// Where a number lies in a state.
    struct Slot {
        int layer = 0;
        int component = 0;
    };

    virtual WavefrontShape shape(NumberForm form) const = 0;
    /// Puts the letters of these sequences on the device. `scores`: what a pair of codes adds, kTableSide²
    /// texels of the number and, where they lie beside it, its identities.
    virtual void load(std::span<const std::size_t> sequences, std::vector<std::int32_t>& scores,
                      const LaneNumbers& numbers, NumberForm form) = 0;
    /// What passes are told of a pair: the texel of the first row of pairs(), of which the third and fourth
    /// number are its last row and column in the states, and that of the second row.
    virtual void describe(const SidePair& pair, std::int32_t* first, std::int32_t* second) const = 0;
    /// All passes of a batch; the pass of a diagonal d writes states[d mod their number].
    virtual void align(const PairBatch& batch, States& states, const LaneNumbers& numbers, NumberForm form,
                       TileProgress& progress) = 0;
    /// Of the result and of identities that lie beside it.
    virtual std::pair<Slot, Slot> slotsOfResult(NumberForm form) const = 0;

    std::size_t letters(std::size_t sequence) const { return sequences_.codes[sequence].size(); }
    bool isLocal() const { return scoring_.method == PairMethod::Local; }
    const glycine::gl::Texture& pairTexture() const { return *pairs_; }
    const glycine::gl::Texture& scoreTexture() const { return *scores_; }
    /// gl21: whole numbers lie in float textures, which hold them up to GlLimits::largestInteger.
    bool isLegacy() const { return backend_.dialect() == Dialect::Gl21; }
    void uploadScores(const std::vector<std::int32_t>& scores) {
        upload(*scores_, scores, scores_->extent());
    }
    /// Draws the pass over rows of `region`, within the budget; a row takes `cellsPerRow` cells.
    void draw(glycine::gl::FragmentPass& pass, const glycine::gl::Rectangle& region, double cellsPerRow);

    glycine::gl::GlBackend& backend_;
    const Sequences& sequences_;
    PairScoring scoring_;

  private:
    /// Pairs with numbers of one form.
    struct PairClass {
        NumberForm form;
        std::size_t longest;  ///< letters that the numbers have room for
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
    std::span<const MatrixView<std::int32_t>> results_;  ///< of the tile that is computed
    pairs::PairTimes times_;
    glycine::gl::StageClock clock_;
    bool isWide_ = false;  ///< some numbers did not fit together
};

}  // namespace glycine::pairwise::gl
