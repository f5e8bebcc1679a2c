#pragma once

#include "kernels_cuda/mutualinfo/information_kernels.hpp"

/// Positions of values on the bins, and splines at these positions, in device code.
namespace glycine::cuda {

/// The position of a gene in sample s of the block.
__device__ inline double positionAt(const PositionBlock& block, unsigned s, unsigned gene) {
    const std::uint32_t low = *block.words.at(2 * std::size_t(s), gene);
    const std::uint32_t high = *block.words.at(2 * std::size_t(s) + 1, gene);
    return __hiloint2double(int(high), int(low));
}

/// Whether there is a value. False for NaN and for the contents of a window's padding.
__device__ inline bool isPlaced(double z, const mutualinfo::SplineShape& splines) {
    return z >= 0 && z <= splines.intervals();
}

/// Computes the `order` splines that may be non-zero at z, and returns the index of the first of them.
///
/// Source: C. de Boor, "On calculating with B-splines", J. Approximation Theory 6 (1972): the triangular
/// scheme.
__device__ inline unsigned evaluateSplines(const mutualinfo::SplineShape& splines, double z,
                                           double* weights) {
    // min, because the last interval is closed on the right.
    const unsigned interval = min(unsigned(z), splines.intervals() - 1);
    const unsigned last = interval + splines.order - 1;
    weights[0] = 1;
    for (unsigned degree = 1; degree < splines.order; ++degree) {
        double carried = 0;
        for (unsigned j = 0; j < degree; ++j) {
            const double right = splines.knot(last + j + 1) - z;
            const double left = z - splines.knot(last + j + 1 - degree);
            const double share = weights[j] / (right + left);
            weights[j] = carried + right * share;
            carried = left * share;
        }
        weights[degree] = carried;
    }
    return interval;
}

}  // namespace glycine::cuda
