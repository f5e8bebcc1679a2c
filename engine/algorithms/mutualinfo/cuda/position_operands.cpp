#include "engine/algorithms/mutualinfo/cuda/position_operands.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/algorithms/mutualinfo/spline_basis.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::mutualinfo::cuda {

PositionOperands::PositionOperands(ExpressionView expression, const SplineOptions& splines)
    : expression_(expression), splines_(splines), isConstant_(expression.rows()) {}

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

pairs::cuda::OperandSource::Block PositionOperands::read(Range genes, Range words) const {
    const std::size_t intervals = SplineBasis(splines_).intervals();
    const Range samples{words.begin / wordsAnAttribute(), words.end / wordsAnAttribute()};
    const auto positions = std::make_shared<Matrix<double>>(genes.size(), samples.size());
    parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t i, std::size_t) {
        const std::size_t gene = genes.begin + i;
        const GenePositions found =
            positionsOf({expression_.row(gene), expression_.columns()}, intervals, splines_.transform);
        std::copy_n(&found.z[samples.begin], samples.size(), positions->row(i));
        isConstant_[gene] = found.isConstant ? 1 : 0;
    });
    const Block block = pairs::cuda::operandsOf(MatrixView<const double>(positions->view()))
                            ->read({0, genes.size()}, {0, words.size()});
    return {block.words, positions};
}

}  // namespace glycine::mutualinfo::cuda
