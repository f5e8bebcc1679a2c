#pragma once

/// Constants of the dynamics of torsion angles, in u, Å and 100 fs, hence kJ/mol. Read by nvcc, too, which
/// knows C++17.
namespace glycine::structure::dynamics {

inline constexpr double kBoltzmann = 0.0083144626;
inline constexpr double kEnergyUnit = 10;  ///< kJ/mol of the target function's 1 Å²
inline constexpr double kCoupling = 20;    ///< steps
inline constexpr double kShortestStep = 0.003;
inline constexpr double kLongestStep = 0.3;
inline constexpr double kLargestTurn = 0.6;  ///< rad a step
inline constexpr double kBodyRadius = 5;     ///< Å, of the spheres that are a body's mass

}  // namespace glycine::structure::dynamics
