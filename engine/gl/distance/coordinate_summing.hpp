#pragma once

#include "engine/distance/pair_engine.hpp"
#include "engine/gl/pairs/float_passes.hpp"

namespace glycine::distance::gl {

/// Variants `scalar` and `packed` for coordinates: shaders/distance/sum_differences.frag. A texel of the
/// target holds the sums of a row with four columns.
class CoordinateSumming final : public SummingRun {
  public:
    /// `packed` computes several rows a fragment where the dialect has multiple render targets.
    static pairs::gl::FloatLayout layout(const glycine::gl::GlCapabilities& capabilities, Variant variant);

    CoordinateSumming(glycine::gl::GlBackend& backend, MatrixView<const float> coordinates, SumTerm term,
                      const pairs::gl::PanelPlan& plan, const pairs::gl::FloatLayout& layout);

    Variant variant() const override { return isScalar_ ? Variant::Scalar : Variant::Packed; }
    PairTimes times() const override { return passes_.times(); }
    void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override;

  private:
    MatrixView<const float> coordinates_;
    SumTerm term_;
    bool isScalar_;
    pairs::gl::FloatPasses passes_;
};

}  // namespace glycine::distance::gl
