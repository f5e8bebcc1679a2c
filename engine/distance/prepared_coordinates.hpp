#pragma once

#include "engine/distance/distance.hpp"

namespace glycine {
class ProcessTeam;
}

namespace glycine::distance {

/// Transformation of coordinates before differences are taken.
enum class Preparation {
    None,         ///< nothing that affects differences
    Standardise,  ///< rows are shifted to mean 0 and scaled to length 1, in double; then 1 − r = |a − b|² / 2
    Normalise,  ///< rows are scaled to length 1, in double
    Rank,       ///< numbers become their ranks among the distinct numbers of their column
};

/// Coordinates in the form and precision that an engine uses.
///
/// If float64 numbers become float32, they are centred first: the median of each attribute is subtracted, in
/// double, which changes no difference. A median is a number of the data, so numbers on a grid (whole
/// numbers, seconds) stay on it, and few outliers do not move it. Rounding then affects the distance from the
/// centre instead of the distance from 0.
///
/// If the squares of the largest differences would overflow or underflow, or come close enough for smaller
/// ones to vanish, all coordinates are multiplied by a power of two. This changes no digit, and distances are
/// divided by it afterwards.
class PreparedCoordinates {
  public:
    /// `input` must outlive this object; its numbers are used in place if they need no change. Throws
    /// InputError naming the first row (from 1) without variance (Standardise) or length (Normalise), or the
    /// first number outside the range of float32. If all processes of a `team` call it for the same input,
    /// each reads its part of the rows, unless the preparation needs whole columns: ranks, and float64
    /// numbers that become float32.
    PreparedCoordinates(CoordinateView input, Precision precision, Preparation preparation,
                        ProcessTeam* team = nullptr);

    CoordinateView view() const { return view_; }
    /// The power of two by which the coordinates were multiplied, usually 1.
    double unit() const { return unit_; }
    /// Bytes of the copy; 0 if the input is used in place, assuming that unit() is 1.
    static double bytes(CoordinateView input, Precision precision, Preparation preparation);
    const CoordinateRounding& rounding() const { return rounding_; }

  private:
    template <class From>
    void standardise(CoordinateRows<From> input, Precision precision, bool isShifted, ProcessTeam* team);
    template <class From, class To>
    void rank(CoordinateRows<From> input, Matrix<To> ranks);
    void centre(CoordinateRows<double> input);
    void scale(CoordinateRows<double> input);

    CoordinateMatrix own_;
    CoordinateView view_;
    CoordinateRounding rounding_;
    double unit_ = 1;
};

}  // namespace glycine::distance
