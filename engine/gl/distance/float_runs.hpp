#pragma once

#include "engine/distance/distance_engine.hpp"
#include "engine/gl/pairs/float_passes.hpp"

namespace glycine::distance::gl {

/// Variants `scalar` and `packed` for discrete data: shaders/distance/count_symbols.frag. A symbol is a
/// float, negative if missing. A texel of the target holds the three counts of a pair.
class SymbolCounting final : public CountingRun {
  public:
    static pairs::gl::FloatLayout layout(Variant variant) { return {variant == Variant::Scalar, 1, 1}; }

    SymbolCounting(glycine::gl::GlBackend& backend, const DiscreteSource& source, CountNeeds needs,
                   const pairs::gl::PanelPlan& plan, Variant variant);

    Variant variant() const override { return variant_; }
    PairTimes times() const override { return passes_.times(); }
    std::vector<pairs::HostStage> hostStages() const override { return passes_.hostStages(); }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override;

  private:
    const DiscreteSource& source_;
    CountNeeds needs_;
    Variant variant_;
    pairs::gl::FloatPasses passes_;
};

/// Variants `scalar` and `packed` for coordinates: shaders/distance/sum_differences.frag. A texel of the
/// target holds the sums of one row with four columns.
class CoordinateSumming final : public SummingRun {
  public:
    /// In `packed`, fragments compute several rows if the dialect has multiple render targets.
    static pairs::gl::FloatLayout layout(const glycine::gl::GlCapabilities& capabilities, Variant variant);

    CoordinateSumming(glycine::gl::GlBackend& backend, CoordinateRows<float> coordinates, SumTerm term,
                      const pairs::gl::PanelPlan& plan, const pairs::gl::FloatLayout& layout);

    Variant variant() const override { return isScalar_ ? Variant::Scalar : Variant::Packed; }
    PairTimes times() const override { return passes_.times(); }
    std::vector<pairs::HostStage> hostStages() const override { return passes_.hostStages(); }
    void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override;

  private:
    CoordinateRows<float> coordinates_;
    SumTerm term_;
    bool isScalar_;
    pairs::gl::FloatPasses passes_;
};

}  // namespace glycine::distance::gl
