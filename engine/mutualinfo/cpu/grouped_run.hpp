#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/mutualinfo/cpu/joint_kernel.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::cpu {

/// Samples are taken in blocks of equal length: dense weights of a panel of genes over a block stay in the
/// second-level cache.
struct SampleBlocks {
    explicit SampleBlocks(std::size_t samples);
    std::size_t samples;
    std::size_t count;
    std::size_t length;
    Range block(std::size_t index) const;
};

/// The weights of a gene, block by block, in the order of their first bins. Missing samples are left out.
template <class Number>
struct GroupedGene {
    std::vector<std::uint16_t> samples;  ///< within the block; kAhead more at the end
    std::vector<Number> weights;         ///< `order` a sample
    std::vector<std::uint32_t> begins;   ///< of each block among the samples; one more at the end
    std::vector<std::uint32_t> ends;     ///< of each group within its block, block by block
    bool isConstant = false;
};

/// `cpu grouped`: one gene's sparse weights against a panel of dense ones. A sample of gene x has weight in
/// `order` bins; so many rows of the joint tables with all genes of the panel are in registers while the
/// samples of one first bin go by, and slide on to the next bin. float32 products are added in float32 over a
/// block of samples at most, then in double. Number: float or double.
template <class Number>
class GroupedRun final : public InformationRun {
  public:
    GroupedRun(ExpressionView expression, const SplineOptions& splines, InstructionSet instructions,
               int threads);
    std::string_view variantName() const override { return toString(Variant::Grouped); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    using Genes = std::vector<GroupedGene<Number>>;
    /// Memory of one thread.
    struct Workspace {
        Matrix<Number> panel;
        Matrix<double> joints;  ///< a row for each gene of a block of rows
        Matrix<double> scratch;
        std::vector<double> values;
    };

    void group(Range range, Genes& genes, const Progress& progress) const;
    GroupedGene<Number> groupGene(std::size_t index) const;
    void fillPanel(const Genes& genes, Range columns, std::size_t block, Matrix<Number>& panel) const;
    void computePart(const Genes& rows, const Genes& columns, const pairs::PairTile& part,
                     MatrixView<double> values, Workspace& workspace) const;

    const ExpressionView expression_;
    const SplineOptions splines_;
    const SplineBasis basis_;
    const JointKernel<Number> kernel_;
    const PanelShape panel_;
    const SampleBlocks blocks_;
    const int threads_;
    std::vector<Workspace> workspaces_;
    Genes rows_, columns_;
    Range rowRange_{0, 0};  ///< of rows_
    pairs::PairTimes times_;
};

}  // namespace glycine::mutualinfo::cpu
