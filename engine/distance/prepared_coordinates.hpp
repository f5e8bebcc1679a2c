#pragma once

#include "engine/distance/distance.hpp"

namespace glycine::distance {

/// What is done to coordinates before differences are taken.
enum class Preparation {
    None,         ///< nothing that differences would show
    Standardise,  ///< rows are shifted to mean 0 and scaled to length 1, in double: then 1 − r = |a − b|² / 2
    Normalise,  ///< rows are scaled to length 1, in double
    Rank,       ///< numbers become their places among the different numbers of their column
};

/// Coordinates as an engine takes them, in the precision of the computation.
///
/// Where float64 numbers become float32 ones, they are centred first: of each attribute its median is taken
/// off, in double, which no difference shows. A median is a number of the data, so that numbers on a grid
/// (whole numbers, seconds) stay on it, and few outliers do not move it. What is rounded then is the distance
/// from the centre and not from 0.
/// Where the squares of the largest differences would leave the range of the precision at one of its ends, or
/// come near enough to it for smaller ones to vanish, all are multiplied by a power of two, which changes no
/// digit; distances are divided by it afterwards.
class PreparedCoordinates {
  public:
    /// `input` outlives this; its numbers are used where they are if nothing must be done to them. Throws
    /// InputError naming the first row (from 1) without variance (Standardise) or length (Normalise), or the
    /// first number that leaves the range of float32.
    PreparedCoordinates(CoordinateView input, Precision precision, Preparation preparation);

    CoordinateView view() const { return view_; }
    /// What the coordinates were multiplied by: a power of two, 1 as a rule.
    double unit() const { return unit_; }
    /// Of a copy of its own; 0 where the input is used where it is, as it is where unit() is 1.
    static double bytes(CoordinateView input, Precision precision, Preparation preparation);
    const CoordinateRounding& rounding() const { return rounding_; }

  private:
    template <class From>
    void standardise(MatrixView<const From> input, Precision precision, bool isShifted);
    template <class From, class To>
    void rank(MatrixView<const From> input, Matrix<To> ranks);
    void centre(MatrixView<const double> input);
    void scale(MatrixView<const double> input);

    CoordinateMatrix own_;
    CoordinateView view_;
    CoordinateRounding rounding_;
    double unit_ = 1;
};

}  // namespace glycine::distance
