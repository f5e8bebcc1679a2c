#pragma once

/// Limits of one pair by the tetrangle inequality (tetrangle.hpp), for host and device code.
namespace glycine::bounds {

/// Of the squared distance, Å².
struct TetrangleLimit {
    double upper;  ///< infinite: none
    double lower;
};

// Arrangements of four points in a plane that count.
/// Å, heights of i and j next to the line through k and l: flatter quadruples are triangles within rounding.
inline constexpr double kLeastTetrangleHeight = 0.01;
/// Å, of the weights of k and l where those of i and j are heights.
inline constexpr double kLeastTetrangleWeight = 1e-6;

}  // namespace glycine::bounds
