#pragma once

#include <cstddef>
#include <optional>

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/mutualinfo/sample_places.hpp"
#include "engine/gl/pairs/float_passes.hpp"
#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo::gl {

/// Variants `scalar` and `packed`: weighting matrices of genes one above the other, of which
/// pairs::gl::FloatPasses makes all joint tables as one product (shaders/mutualinfo/add_products.frag).
/// Reductions turn tables into mutual information on the device.
class StackedRun final : public InformationRun {
  public:
    static pairs::gl::FloatLayout layout(const glycine::gl::GlCapabilities& capabilities, Variant variant);
    /// What fits; `side` is that of tables: genes times bins. Nothing when not even one gene does.
    static std::optional<pairs::gl::PanelPlan> plan(const pairs::gl::FloatLayout& layout,
                                                    const glycine::gl::GlLimits& limits,
                                                    std::size_t freeBytes, const InformationRequest& request);
    /// For lack of memory: what a gene beside another takes.
    static std::size_t leastBytes(const pairs::gl::FloatLayout& layout, const SplineOptions& splines);

    StackedRun(glycine::gl::GlBackend& backend, ExpressionView expression, const SplineOptions& splines,
               const pairs::gl::PanelPlan& plan, const pairs::gl::FloatLayout& layout);

    std::string_view variantName() const override;
    pairs::PairTimes times() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    void drawWeights(Range stacked, Range samples, glycine::gl::Texture& target);
    /// From the tables of a piece, in genes, to numbers in values_.
    void reduce(const pairs::PairTile& piece, const glycine::gl::Texture& tables);

    glycine::gl::GlBackend& backend_;
    SamplePlaces samples_;
    bool isScalar_;
    std::size_t bins_;
    std::size_t side_;  ///< genes
    pairs::gl::FloatPasses passes_;
    bool isLegacy_;  ///< gl21: places in float textures
    glycine::gl::PooledTexture places_;
    glycine::gl::RenderTexture rowSums_;
    glycine::gl::RenderTexture columnSums_;
    glycine::gl::RenderTexture values_;
    pairs::PairTimes times_;
    glycine::gl::StageClock clock_;
};

}  // namespace glycine::mutualinfo::gl
