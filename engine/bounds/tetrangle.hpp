#pragma once

#include <cstddef>

#include "engine/bounds/bounds.hpp"
#include "engine/core/instruction_set.hpp"

namespace glycine::bounds {

/// Limit of atoms: a sweep evaluates n⁴/4 limits, which would take days for more.
inline constexpr std::size_t kMaxTetrangleAtoms = 1500;
/// Å; least gain that changes a bound.
inline constexpr double kLeastTetrangleGain = 1e-4;

/// Result of one sweep.
struct TetrangleSweep {
    std::size_t upper = 0;  ///< pairs i < j whose upper bound was tightened
    std::size_t lower = 0;
    double largestGain = 0;  ///< Å
};

/// Tightens smoothed bounds once by the tetrangle inequality: no four points in space have distances whose
/// Cayley-Menger determinant has the wrong sign. Each pair takes the best limit of all its quadruples with
/// the bounds as they were before the sweep, so that the result depends on no order. Outward by 10⁻⁵ Å, which
/// rounding stays below. The processor's threads, whatever the backend that smooths before and after.
///
/// The limits of d_ij are exact for one quadruple: at an extreme, four points that no triangle holds alone
/// lie in a plane, Σ w = 0 and Σ w r = 0, and −w_a w_b are the multipliers of d²_ab: bounds of the other five
/// distances are lower ones where w_a w_b > 0, else upper ones. (Cf. P. L. Easthope, T. F. Havel, Bull. Math.
/// Biol. 51 (1989), 173-194, who tell the cases apart by geometry.)
///
/// Throws as checkTetrangles.
TetrangleSweep tightenByTetrangles(const AnyBoundMatrices& matrices, InstructionSet instructions,
                                   Progress& progress);

/// Throws UnavailableError for more than kMaxTetrangleAtoms, UsageError without lower bounds.
void checkTetrangles(const AnyBoundMatrices& matrices);

}  // namespace glycine::bounds
