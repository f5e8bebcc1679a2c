#pragma once

#include <cstddef>
#include <optional>

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/mutualinfo/sample_places.hpp"
#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/gl/pairs/panels.hpp"
#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo::gl {

/// Variant `blocked`: shaders/mutualinfo/blocked_information.frag on the samples of row genes in the order of
/// their first bin, and those of column genes in their own. A fragment goes through all samples of its pairs.
class BlockedRun final : public InformationRun {
  public:
    /// The weights of a sample lie in two texels at most.
    static constexpr std::size_t kLargestOrder = 8;

    /// What the shader is made for; the results differ by rounding alone.
    struct Style {
        bool normalised = false;  ///< GlBugs::slowTexelFetch
        std::size_t genes = 4;    ///< column genes at a time where all samples are one run: 2 or 4
        std::size_t mostEntries =
            40;  ///< that a fragment keeps of a pair: rows of its table, and sums of columns
    };
    static Style bestStyle(const glycine::gl::GlCapabilities& capabilities);
    /// Nothing when not even the smallest piece fits.
    static std::optional<pairs::gl::PanelPlan> plan(const Style& style, const glycine::gl::GlLimits& limits,
                                                    std::size_t freeBytes, const InformationRequest& request);
    /// For lack of memory: what eight genes at a time take.
    static std::size_t leastBytes(const Style& style, const InformationRequest& request);
    /// Of a gene: texels along a side, all of which a texture must hold.
    static std::size_t texelsOfGene(const InformationRequest& request);
    /// Rounds of the loops of a fragment together, at most.
    static std::size_t rounds(const InformationRequest& request);

    BlockedRun(glycine::gl::GlBackend& backend, ExpressionView expression, const SplineOptions& splines,
               const pairs::gl::PanelPlan& plan, const Style& style);

    std::string_view variantName() const override { return toString(Variant::Blocked); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    /// Of row genes: their samples in the order of their bins, with weights.
    const glycine::gl::Texture& list(Range genes);
    void fillList(Range genes, glycine::gl::Texture& target);
    /// Of column genes: the places of their samples.
    const glycine::gl::Texture& panel(Range genes);
    void fillPanel(Range genes, glycine::gl::Texture& target);
    void draw(const pairs::PairTile& piece, Progress& progress);

    glycine::gl::GlBackend& backend_;
    SamplePlaces samples_;
    pairs::gl::PanelPlan plan_;
    Style style_;
    std::size_t columns_;  ///< bins of the column genes that a pass takes
    pairs::gl::PairTexels texels_;
    glycine::gl::RenderTexture values_;
    std::optional<glycine::gl::PingPong>
        earlier_;                   ///< sums of earlier passes, where a pass takes not all bins
    pairs::gl::PanelCache panels_;  ///< and lists, which have more attributes
    glycine::gl::PooledTexture places_;
    glycine::gl::PooledTexture order_;
    glycine::gl::PooledTexture ends_;
    pairs::PairTimes times_;
    glycine::gl::StageClock clock_;
};

}  // namespace glycine::mutualinfo::gl
