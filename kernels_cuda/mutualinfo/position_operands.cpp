#include "kernels_cuda/mutualinfo/position_operands.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/core/parallel.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::cuda {

PositionOperands::PositionOperands(ExpressionView expression, const SplineOptions& splines)
    : expression_(expression),
      finders_(static_cast<std::size_t>(omp_get_max_threads()),
               PositionFinder(SplineBasis(splines).intervals(), splines.transform)),
      isConstant_(expression.rows()) {}

bool PositionOperands::areComplete() const {
    std::atomic<bool> isComplete = true;
    parallelFor(omp_get_max_threads(), expression_.rows(), [&](std::size_t gene, std::size_t) {
        const double* values = expression_.row(gene);
        if (isComplete && std::any_of(values, values + expression_.columns(),
                                      [](double value) { return std::isnan(value); }))
            isComplete = false;
    });
    return isComplete;
}

std::shared_ptr<Matrix<double>> PositionOperands::matrixOf(std::size_t genes, std::size_t samples) const {
    for (auto& block : blocks_) {
        if (block.use_count() > 1) continue;
        if (!block || block->rows() != genes || block->columns() != samples)
            block = std::make_shared<Matrix<double>>(genes, samples);
        return block;
    }
    return std::make_shared<Matrix<double>>(genes, samples);
}

pairs::cuda::OperandSource::Block PositionOperands::read(Range genes, Range words) const {
    const Range samples{words.begin / wordsAnAttribute(), words.end / wordsAnAttribute()};
    const std::shared_ptr<Matrix<double>> positions = matrixOf(genes.size(), samples.size());
    parallelFor(static_cast<int>(finders_.size()), genes.size(), [&](std::size_t i, std::size_t thread) {
        const std::size_t gene = genes.begin + i;
        const GenePositions& found = finders_[thread].find({expression_.row(gene), expression_.columns()});
        std::copy_n(&found.z[samples.begin], samples.size(), positions->row(i));
        isConstant_[gene] = found.isConstant ? 1 : 0;
    });
    const Block block = pairs::cuda::operandsOf(MatrixView<const double>(positions->view()))
                            ->read({0, genes.size()}, {0, words.size()});
    return {block.words, positions};
}

}  // namespace glycine::mutualinfo::cuda
