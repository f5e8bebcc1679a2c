#pragma once

#include "engine/algorithms/distance/discrete_data.hpp"
#include "engine/core/progress.hpp"

namespace glycine::distance {

/// Discrete data held in memory as bit planes: what a measurement of the computing alone starts from, since
/// reading is as quick as copying. Takes a bit for each entry and plane.
class PlaneSource final : public DiscreteSource {
  public:
    /// Reads all of `source`.
    PlaneSource(const DiscreteSource& source, Progress& progress);
    const DiscreteShape& shape() const override { return shape_; }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override;
    PlaneBlock readPlanes(Range instances, Range attributes) const override;

  private:
    DiscreteShape shape_;
    PlaneBlock planes_;
};

}  // namespace glycine::distance
