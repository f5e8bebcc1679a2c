#include "engine/mutualinfo/reference/weighting_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::reference {

namespace {

/// B_{i,k}(z) by equations 7 and 8 (Cox and de Boor), with 0/0 = 0. `end`: of the last interval, which is
/// closed on the right.
double spline(const SplineBasis& basis, std::size_t i, std::size_t k, double z, double end) {
    const double left = basis.knot(i);
    if (k == 1) {
        const double right = basis.knot(i + 1);
        return z == end ? (left < end && right == end) : (left <= z && z < right);
    }
    double value = 0;
    if (const double width = basis.knot(i + k - 1) - left; width > 0)
        value += (z - left) / width * spline(basis, i, k - 1, z, end);
    if (const double width = basis.knot(i + k) - basis.knot(i + 1); width > 0)
        value += (basis.knot(i + k) - z) / width * spline(basis, i + 1, k - 1, z, end);
    return value;
}

/// −Σ p log₂ p, 0 log 0 = 0.
double entropyOf(std::span<const double> probabilities) {
    double sum = 0;
    for (const double p : probabilities)
        if (p > 0) sum -= p * std::log2(p);
    return sum;
}

}  // namespace

Matrix<double> weightingMatrix(std::span<const double> values, const SplineOptions& options) {
    const SplineBasis basis(options);
    const GenePositions gene = positionsOf(values, basis.intervals(), options.transform);
    Matrix<double> weights(values.size(), basis.bins(), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(gene.z[i])) continue;
        if (gene.isConstant) {
            weights(i, 0) = 1;
            continue;
        }
        for (std::size_t j = 0; j < basis.bins(); ++j)
            weights(i, j) =
                spline(basis, j, basis.order(), gene.z[i], static_cast<double>(basis.intervals()));
    }
    return weights;
}

double entropy(const Matrix<double>& x) {
    std::vector<double> probabilities(x.columns());
    double samples = 0;
    for (std::size_t s = 0; s < x.rows(); ++s)
        for (std::size_t k = 0; k < x.columns(); ++k) {
            probabilities[k] += x(s, k);
            samples += x(s, k);
        }
    if (samples == 0) return 0;
    for (double& p : probabilities) p /= samples;
    return entropyOf(probabilities);
}

double mutualInformation(const Matrix<double>& x, const Matrix<double>& y) {
    const std::size_t bins = x.columns();
    Matrix<double> joint(bins, bins, 0.0);
    for (std::size_t s = 0; s < x.rows(); ++s)
        for (std::size_t k = 0; k < bins; ++k)
            for (std::size_t l = 0; l < bins; ++l) joint(k, l) += x(s, k) * y(s, l);
    double samples = 0;
    for (std::size_t e = 0; e < joint.size(); ++e) samples += joint.data()[e];
    if (samples == 0) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> ofX(bins), ofY(bins);
    for (std::size_t k = 0; k < bins; ++k)
        for (std::size_t l = 0; l < bins; ++l) {
            joint(k, l) /= samples;
            ofX[k] += joint(k, l);
            ofY[l] += joint(k, l);
        }
    return std::max(0.0, entropyOf(ofX) + entropyOf(ofY) - entropyOf({joint.data(), joint.size()}));
}

}  // namespace glycine::mutualinfo::reference
