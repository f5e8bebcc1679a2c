#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/spline_basis.hpp"
#include "kernels_cuda/pairs/operand_source.hpp"

namespace glycine::mutualinfo::cuda {

/// The positions of all genes' values on the bins, as doubles (positionsOf). They are found anew whenever
/// they are asked for: as many of them as of values would not fit beside these.
class PositionOperands final : public pairs::cuda::OperandSource {
  public:
    /// `expression` outlives the operands.
    PositionOperands(ExpressionView expression, const SplineOptions& splines);
    std::size_t instances() const override { return expression_.rows(); }
    std::size_t attributes() const override { return expression_.columns(); }
    unsigned planes() const override { return 1; }
    std::size_t attributesAWord() const override { return 1; }
    std::size_t wordsAnAttribute() const override { return sizeof(double) / sizeof(std::uint32_t); }
    bool readsWholeInstances() const override { return true; }
    Block read(Range genes, Range words) const override;

    /// Whether every sample has all genes: looks at all of them.
    bool areComplete() const;
    /// Whether a gene has values and all are equal; true or false of those that have been read.
    bool isConstant(std::size_t gene) const { return isConstant_[gene] != 0; }

  private:
    /// For a block: the memory of one that nobody has any longer, where it is as large. Fresh pages from the
    /// system take as long as what is done with them.
    std::shared_ptr<Matrix<double>> matrixOf(std::size_t genes, std::size_t samples) const;

    ExpressionView expression_;
    mutable std::vector<PositionFinder> finders_;  ///< one a thread
    mutable std::array<std::shared_ptr<Matrix<double>>, 3> blocks_;
    mutable std::vector<std::uint8_t> isConstant_;
};

}  // namespace glycine::mutualinfo::cuda
