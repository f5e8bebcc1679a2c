#pragma once

#include <cstddef>
#include <optional>

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/mutualinfo/sample_places.hpp"
#include "engine/gl/pairs/float_passes.hpp"
#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo::gl {

/// Variants `scalar` and `packed`. The weighting matrices of genes are stacked, and pairs::gl::FloatPasses
/// computes all joint tables as one product (shaders/mutualinfo/add_products.frag). Reductions on the device
/// turn the tables into mutual information.
class StackedRun final : public InformationRun {
  public:
    /// Tables are sums of weights over samples, in float32. Splines of order 1 count samples, which float32
    /// does exactly up to 2^24.
    static constexpr std::size_t kMostSamples = std::size_t{1} << 24;

    static pairs::gl::FloatLayout layout(const glycine::gl::GlCapabilities& capabilities, Variant variant);
    /// Plans what fits; `side` is that of tables: genes times bins. Returns nothing if not even one gene
    /// fits.
    static std::optional<pairs::gl::PanelPlan> plan(const pairs::gl::FloatLayout& layout,
                                                    const glycine::gl::GlLimits& limits,
                                                    std::size_t freeBytes, const InformationRequest& request);
    /// Bytes that one pair of genes requires, for messages about lack of memory.
    static std::size_t leastBytes(const pairs::gl::FloatLayout& layout, const SplineOptions& splines);

    StackedRun(glycine::gl::GlBackend& backend, ExpressionView expression, const SplineOptions& splines,
               const pairs::gl::PanelPlan& plan, const pairs::gl::FloatLayout& layout);

    std::string_view variantName() const override;
    pairs::PairTimes times() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    void drawWeights(Range stacked, Range samples, glycine::gl::Texture& target);
    /// Reduces the tables of a piece, in genes, to numbers in values_.
    void reduce(const pairs::PairTile& piece, const glycine::gl::Texture& tables);

    glycine::gl::GlBackend& backend_;
    SamplePlaces samples_;
    bool isScalar_;
    std::size_t bins_;
    std::size_t side_;  ///< genes
    pairs::gl::FloatPasses passes_;
    bool isLegacy_;  ///< gl21: places are in float textures
    glycine::gl::PooledTexture places_;
    glycine::gl::RenderTexture rowSums_;
    glycine::gl::RenderTexture columnSums_;
    glycine::gl::RenderTexture values_;
    pairs::PairTimes times_;
    glycine::gl::StageClock clock_;
};

}  // namespace glycine::mutualinfo::gl
