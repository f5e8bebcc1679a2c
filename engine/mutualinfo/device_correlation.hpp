#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"
#include "engine/mutualinfo/information_engine.hpp"

/// Correlations computed as products of standardised genes.
namespace glycine::mutualinfo {

/// Standardised genes. The correlation of two genes without gaps is the sum of their products.
struct StandardisedGenes {
    Matrix<double> values;      ///< mean 0 and sum of squares 1; NaN: missing; 0: constant
    std::vector<char> hasGaps;  ///< per gene
    std::size_t first = 0;      ///< index of the first gene
};
/// Standardises the genes of a range. Throws MemoryError and CancelledError.
StandardisedGenes standardiseGenes(ExpressionView expression, Range genes, Transform transform, int threads,
                                   const Progress& progress);

/// Name of the stage in reports.
inline constexpr std::string_view kCorrelations = "correlations";

/// Correlations on a device, which multiplies tiles of genes without gaps. The CPU computes the other tiles.
class DeviceCorrelation : public InformationRun {
  public:
    DeviceCorrelation(ExpressionView expression, Transform transform);
    std::string_view variantName() const override { return toString(Variant::Products); }
    pairs::PairTimes times() const override { return times_; }
    std::string note() const override;
    std::vector<pairs::HostStage> hostStages() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  protected:
    const Matrix<double>& genes() const { return genes_.values; }
    /// Advances `progress` by pairs × samples, and adds the time to times_.
    virtual void multiply(const pairs::PairTile& tile, MatrixView<double> products, Progress& progress) = 0;

    pairs::PairTimes times_;

  private:
    StandardisedGenes genes_;
    std::size_t multiplied_ = 0;                 ///< tiles
    std::size_t leftToHost_ = 0;                 ///< tiles
    std::unique_ptr<InformationRun> processor_;  ///< absent if no gene has gaps
};

namespace cpu {
std::unique_ptr<InformationRun> startCorrelation(ExpressionView expression, Transform transform);
}

}  // namespace glycine::mutualinfo
