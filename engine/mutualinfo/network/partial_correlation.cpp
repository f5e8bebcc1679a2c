#include "engine/mutualinfo/network/partial_correlation.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/mutualinfo/device_correlation.hpp"

namespace glycine::mutualinfo {

namespace {

using Numbers = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using NumbersView = Eigen::Map<Numbers>;

Eigen::Index index(std::size_t number) {
    return static_cast<Eigen::Index>(number);
}
NumbersView viewOf(Matrix<double>& matrix) {
    return {matrix.data(), index(matrix.rows()), index(matrix.columns())};
}

/// Estimates λ. `squares`: Σ r² over all pairs in both orders.
double shrinkageOf(NumbersView rows, double squares) {
    const auto m = static_cast<double>(rows.cols());
    // The terms w of a sample assume genes of variance 1: products of rows times m − 1.
    const Eigen::ArrayXd ofSample = rows.array().square().colwise().sum().transpose();
    const double fourth = rows.array().square().square().sum();
    const double termSquares = (m - 1) * (m - 1) * (ofSample.square().sum() - fourth);
    const double variance = m / std::pow(m - 1, 3) * (termSquares - (m - 1) * (m - 1) / m * squares);
    return squares > 0 ? std::clamp(variance / squares, 0.0, 1.0) : 1;
}

}  // namespace

PartialCorrelation::PartialCorrelation(ExpressionView expression, Transform transform) {
    checkExpression(expression);
    const std::size_t n = expression.rows();
    const std::size_t m = expression.columns();
    if (m < 3) throw UsageError(fmt::format("partial correlations of {} samples; expected three or more", m));
    const std::size_t side = std::min(n, m);
    requireHostMemory(fmt::format("partial correlations of {} genes", n),
                      sizeof(double) * (2.0 * static_cast<double>(n) * static_cast<double>(m) +
                                        3.0 * static_cast<double>(side) * static_cast<double>(side)));
    StandardisedGenes genes =
        standardiseGenes(expression, {0, n}, transform, omp_get_max_threads(), silentProgress());
    if (const auto gap = std::ranges::find(genes.hasGaps, 1); gap != genes.hasGaps.end())
        throw UsageError(
            fmt::format("gene {} lacks values, which partial correlations need; fill or drop them",
                        gap - genes.hasGaps.begin() + 1));
    const NumbersView z = viewOf(genes.values);
    Eigen::MatrixXd gram = n > m ? Eigen::MatrixXd(z.transpose() * z) : Eigen::MatrixXd(z * z.transpose());
    shrinkage_ = shrinkageOf(z, gram.squaredNorm() - z.rowwise().squaredNorm().array().square().sum());
    // Without any shrinkage, exactly dependent genes have no inverse.
    constexpr double kLeast = 1e-9;
    shrinkage_ = std::max(shrinkage_, kLeast);
    rows_ = Matrix<double>(n, side, 0.0);
    if (shrinkage_ == 1) return;
    NumbersView rows = viewOf(rows_);
    if (n > m) {
        // Ω = (1 − Z (λ / (1 − λ) + Zᵀ Z)⁻¹ Zᵀ) / λ, by the matrix inversion lemma.
        gram.diagonal().array() += shrinkage_ / (1 - shrinkage_);
        rows = gram.llt().matrixL().solve(z.transpose()).transpose();
        rows.array().colwise() /= (1 - rows.rowwise().squaredNorm().array()).max(1e-15).sqrt().eval();
        return;
    }
    gram *= 1 - shrinkage_;
    gram.diagonal().setOnes();
    rows = gram.llt().matrixL().solve(Eigen::MatrixXd::Identity(index(n), index(n))).transpose();
    rows.array().colwise() /= rows.rowwise().norm().array().eval();
}

void PartialCorrelation::store(std::size_t side, pairs::PairSink& sink, Progress& progress) const {
    const Eigen::Map<const Numbers> rows(rows_.data(), index(rows_.rows()), index(rows_.columns()));
    const std::vector<pairs::PairTile> tiles = pairs::tilesBelowDiagonal(rows_.rows(), side);
    progress.begin("partial correlations", static_cast<double>(tiles.size()));
    for (const pairs::PairTile& tile : tiles) {
        Matrix<double> values(tile.rows.size(), tile.columns.size());
        viewOf(values).noalias() =
            rows.middleRows(index(tile.rows.begin), index(tile.rows.size())) *
            rows.middleRows(index(tile.columns.begin), index(tile.columns.size())).transpose();
        viewOf(values) = viewOf(values).cwiseAbs();
        sink.store(tile, std::as_const(values).view());
        progress.advance(1);
    }
}

}  // namespace glycine::mutualinfo
