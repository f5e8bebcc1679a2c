#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/matrix.hpp"

namespace glycine::mutualinfo {

/// Expression made from a seed, for tests and measurements: the same on every machine.
struct RandomExpressionOptions {
    std::size_t genes = 0;
    std::size_t samples = 0;
    double missing = 0;  ///< share of the values that are missing
    /// The gene in the middle is constant, the one behind it has no values.
    bool hasIdleGenes = false;
    std::uint64_t seed = 1;
};
/// Every even gene is standard normal; an odd one follows the one before it, bent and with noise. Throws
/// UsageError unless there is a gene and a sample, or for a share that is not in [0, 1).
Matrix<double> randomExpression(const RandomExpressionOptions& options);

}  // namespace glycine::mutualinfo
