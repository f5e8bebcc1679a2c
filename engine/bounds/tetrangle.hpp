#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/cpu/tetrangle_kernel.hpp"
#include "engine/bounds/tetrangle_limit.hpp"
#include "engine/core/instruction_set.hpp"

/// The tetrangle inequality: no four points in space have distances whose Cayley-Menger determinant has the
/// wrong sign.
///
/// The limits of d_ij are exact for one quadruple: at an extreme, four points that no triangle holds alone
/// lie in a plane, Σ w = 0 and Σ w r = 0, and −w_a w_b are the multipliers of d²_ab: bounds of the other five
/// distances are lower ones where w_a w_b > 0, else upper ones. (Cf. P. L. Easthope, T. F. Havel, Bull. Math.
/// Biol. 51 (1989), 173-194, who distinguish the cases by geometry.)
///
/// A sweep finds the tightest limit of each pair from the bounds as they were before the sweep, so that the
/// result depends on no order; a backend does this (SmoothingEngine::tetrangleLimits). The bounds are then
/// tightened on the host, outward by 10⁻⁵ Å, which the rounding of limits in double precision stays below.
namespace glycine::bounds {

/// Limit of atoms: a sweep evaluates n⁴/4 limits, which would take days for more.
inline constexpr std::size_t kMaxTetrangleAtoms = 1500;
/// Å; least gain that changes a bound.
inline constexpr double kLeastTetrangleGain = 1e-4;

/// Smoothed bounds in double precision: row-major n × n.
struct TetrangleBounds {
    /// Requires lower bounds.
    explicit TetrangleBounds(const AnyBoundMatrices& matrices);
    cpu::SquaredBounds row(std::size_t i) const {
        return {&upper[i * atoms], &lower[i * atoms], &halfPerUpper[i * atoms], &halfPerLower[i * atoms]};
    }
    std::size_t atoms;
    std::vector<double> upper, lower;                ///< squares, Å²; NaN: unknown
    std::vector<double> halfPerUpper, halfPerLower;  ///< 1 / 2 of the bounds, 1/Å; NaN: of 0 or unknown
};

/// Limits of one pair on the processor, to the bit those of the reference.
class PairTetrangles {
  public:
    /// `bounds` must outlive it.
    PairTetrangles(const TetrangleBounds& bounds, InstructionSet instructions);
    /// The pair's own bounds; the upper one infinite if unknown.
    TetrangleLimit start(std::size_t i, std::size_t j) const;
    /// By all quadruples of the pair: n²/2 steps. Requires i ≠ j.
    TetrangleLimit ofAll(std::size_t i, std::size_t j) const;
    /// By one quadruple more; four different atoms, k < l.
    void tighten(std::size_t i, std::size_t j, std::size_t k, std::size_t l, TetrangleLimit& limit) const;

  private:
    const TetrangleBounds& bounds_;
    cpu::TetrangleKernel kernel_;
};

/// Seconds for PairTetrangles::ofAll on one core with AVX2.
double secondsForPairTetrangles(std::size_t atoms);

/// Limits of all pairs i < j: elements (i, j) of matrices; the other elements hold anything.
struct TetrangleLimits {
    explicit TetrangleLimits(std::size_t atoms) : upper(atoms, atoms), lower(atoms, atoms) {}
    Matrix<double> upper;  ///< Å², infinite: no limit
    Matrix<double> lower;  ///< Å²
    /// Å: a limit may be looser than the reference's by this much, and never tighter. 0: equal bits.
    double slack = 0;
    std::string note{};  ///< what the backend reports; may be empty
};

/// Whether some limit in `found` is tighter than that in `expected`, or no number.
bool isTighterAnywhere(const TetrangleLimits& found, const TetrangleLimits& expected);

/// Finds the limits on `backend`. Throws as checkTetrangles, UnavailableError if the backend cannot take the
/// bounds, CancelledError, DeviceError.
TetrangleLimits findTetrangleLimits(Backend& backend, const AnyBoundMatrices& matrices, Progress& progress);

/// Result of one sweep.
struct TetrangleSweep {
    std::size_t upper = 0;  ///< pairs i < j whose upper bound was tightened
    std::size_t lower = 0;
    double largestGain = 0;  ///< Å
};

/// Tightens bounds by limits that were found for them.
TetrangleSweep tightenBy(const TetrangleLimits& limits, const AnyBoundMatrices& matrices);

/// Largest difference in Å of bounds that limits with this slack and the reference's have tightened: a gain
/// just below the least one changes nothing. 0 without slack.
double allowedTetrangleDifference(double slack);

/// Throws UnavailableError for more than kMaxTetrangleAtoms, UsageError without lower bounds.
void checkTetrangles(const AnyBoundMatrices& matrices);

}  // namespace glycine::bounds
