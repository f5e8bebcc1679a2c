#pragma once

/// Constants of torsion-angle dynamics, in u, Å and 100 fs, hence kJ/mol. nvcc compiles this header as C++17.
namespace glycine::structure::dynamics {

inline constexpr double kBoltzmann = 0.0083144626;
inline constexpr double kEnergyUnit = 10;  ///< kJ/mol per Å² of the target function
inline constexpr double kCoupling = 20;    ///< steps
inline constexpr double kShortestStep = 0.003;
inline constexpr double kLongestStep = 0.3;
inline constexpr double kLargestTurn = 0.6;  ///< rad per step
inline constexpr double kBodyRadius = 5;     ///< Å, of the sphere that stands for a body's mass

}  // namespace glycine::structure::dynamics
