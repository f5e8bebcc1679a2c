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

/// Variant `blocked`: shaders/mutualinfo/blocked_information.frag. The samples of row genes are in the order
/// of their first bin, those of column genes in input order. A fragment processes all samples of its pairs.
class BlockedRun final : public InformationRun {
  public:
    /// The weights of a sample take at most two texels.
    static constexpr std::size_t kLargestOrder = 8;

    /// Compile-time settings of the shader; the results differ by rounding alone.
    struct Style {
        bool normalised = false;       ///< GlBugs::slowTexelFetch
        std::size_t genes = 4;         ///< column genes at a time if all samples are one run: 2 or 4
        std::size_t mostEntries = 40;  ///< table rows and column sums that a fragment keeps per pair
    };
    static Style bestStyle(const glycine::gl::GlCapabilities& capabilities);
    /// Returns nothing if not even the smallest piece fits.
    static std::optional<pairs::gl::PanelPlan> plan(const Style& style, const glycine::gl::GlLimits& limits,
                                                    std::size_t freeBytes, const InformationRequest& request);
    /// Bytes that eight genes at a time require, for messages about lack of memory.
    static std::size_t leastBytes(const Style& style, const InformationRequest& request);
    /// Texels per gene along one side; a texture must hold all of them.
    static std::size_t texelsOfGene(const InformationRequest& request);
    /// Upper bound on the rounds of all loops of a fragment together.
    static std::size_t rounds(const InformationRequest& request);

    BlockedRun(glycine::gl::GlBackend& backend, ExpressionView expression, const SplineOptions& splines,
               const pairs::gl::PanelPlan& plan, const Style& style);

    std::string_view variantName() const override { return toString(Variant::Blocked); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    /// List of row genes: their samples in the order of their bins, with weights.
    const glycine::gl::Texture& list(Range genes);
    void fillList(Range genes, glycine::gl::Texture& target);
    /// Panel of column genes: the places of their samples.
    const glycine::gl::Texture& panel(Range genes);
    void fillPanel(Range genes, glycine::gl::Texture& target);
    void draw(const pairs::PairTile& piece, Progress& progress);

    glycine::gl::GlBackend& backend_;
    SamplePlaces samples_;
    pairs::gl::PanelPlan plan_;
    Style style_;
    std::size_t columns_;  ///< bins of the column genes per pass
    pairs::gl::PairTexels texels_;
    glycine::gl::RenderTexture values_;
    std::optional<glycine::gl::PingPong>
        earlier_;                   ///< sums of earlier passes, if a pass takes only some bins
    pairs::gl::PanelCache panels_;  ///< panels, and lists, which have more attributes
    glycine::gl::PooledTexture places_;
    glycine::gl::PooledTexture order_;
    glycine::gl::PooledTexture ends_;
    pairs::PairTimes times_;
    glycine::gl::StageClock clock_;
};

}  // namespace glycine::mutualinfo::gl
