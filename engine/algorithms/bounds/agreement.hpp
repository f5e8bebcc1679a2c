#pragma once

#include <cstddef>
#include <string>

#include "engine/algorithms/bounds/bounds.hpp"

/// When two results of smoothing agree.
namespace glycine::bounds {

/// Whether `variant` takes its sums in the order of the reference, so that its float results have the same
/// bits for consistent input (see smooth()).
bool takesReferenceOrder(Variant variant);

/// Largest difference in Å that may lie between a variant's result and the reference's; 0: bits must be
/// equal. `largest`: the largest finite bound of the input and of the result, which no sum that counts
/// exceeds.
double allowedDifference(NumberFormat format, Variant variant, bool isConsistent, std::size_t atoms,
                         double largest);

/// The largest finite bound of both matrices, in Å.
double largestFiniteBound(const AnyBoundMatrices& matrices);

struct BoundDifference {
    bool isEqual = true;  ///< every element, to the bit
    double largest = 0;   ///< Å; infinite where one result has a bound and the other none, or a NaN
    bool isUpper = true;  ///< where the largest difference was found
    std::size_t i = 0;
    std::size_t j = 0;
    /// "upper bound of (3, 17)", indices from 0.
    std::string place() const;
};
/// Compares all n × n elements. Both have the same format, size and kinds of bounds.
BoundDifference compareBounds(const AnyBoundMatrices& expected, const AnyBoundMatrices& found);

}  // namespace glycine::bounds
