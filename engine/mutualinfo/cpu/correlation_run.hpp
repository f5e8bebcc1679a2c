#pragma once

#include <cstddef>
#include <vector>

#include "engine/mutualinfo/cpu/product_kernel.hpp"
#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo::cpu {

/// `cpu products`: genes are standardised, and r of two that lack nothing is the sum of their products. Where
/// one of them has gaps, six such sums give the moments of the samples that both have.
class CorrelationRun final : public InformationRun {
  public:
    CorrelationRun(ExpressionView expression, Transform transform, InstructionSet instructions, int threads);
    std::string_view variantName() const override { return toString(Variant::Products); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    /// Genes of one side of a tile.
    struct Genes {
        Matrix<double> values;  ///< mean 0 and sum of squares 1; NaN: missing; 0: constant
        std::vector<char> hasGaps;
        std::size_t first = 0;  ///< number of the first gene
    };
    /// Memory of one thread.
    struct Workspace;

    /// r of two genes as the reference finds it: where a gene varies so much elsewhere that standardising it
    /// has left few digits of what both have.
    double pairwise(std::size_t row, std::size_t column) const;
    Genes standardise(Range range, const Progress& progress) const;
    /// Elements of `part`, whose rows and columns are numbers within the tile's.
    void computePart(const Genes& rows, const Genes& columns, const pairs::PairTile& part,
                     MatrixView<double> values, Workspace& workspace) const;

    const ExpressionView expression_;
    const Transform transform_;
    const ProductKernel kernel_;
    const int threads_;
    Genes rows_, columns_;
    Range rowRange_{0, 0};  ///< of rows_
    pairs::PairTimes times_;
};

}  // namespace glycine::mutualinfo::cpu
