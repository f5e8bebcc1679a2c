#pragma once

#include <ostream>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/core/matrix.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

/// Bounds to test with.
namespace glycine::bounds::fixtures {

/// Upper and lower bounds of n atoms that own their memory. Copies are deep.
template <class T>
struct FilledBounds {
    Matrix<T> upper;
    Matrix<T> lower;
    explicit FilledBounds(std::size_t n) : upper(n, n, T(0)), lower(n, n, T(0)) {}
    FilledBounds(const FilledBounds& other) : upper(other.upper.clone()), lower(other.lower.clone()) {}
    FilledBounds(FilledBounds&&) = default;
    FilledBounds& operator=(FilledBounds&&) = default;
    std::size_t atoms() const { return upper.rows(); }
    BoundMatrices<T> view() { return {upper.view(), lower.view()}; }
    /// Sets the bounds of (i, j) and (j, i), in Å.
    void set(std::size_t i, std::size_t j, double lowerBound, double upperBound) {
        upper(i, j) = upper(j, i) = upperFromAngstrom<T>(upperBound);
        lower(i, j) = lower(j, i) = lowerFromAngstrom<T>(lowerBound);
    }
};

enum class Kind {
    Dense,          ///< every pair known, consistent: distances of points, widened
    Sparse,         ///< one pair in ten known, the rest at a default
    Unknown,        ///< as Sparse, the rest of the upper bounds "unknown"
    Contradictory,  ///< every pair drawn by itself: triangle inequalities broken everywhere
};
inline const Kind kAllKinds[] = {Kind::Dense, Kind::Sparse, Kind::Unknown, Kind::Contradictory};
inline std::ostream& operator<<(std::ostream& stream, Kind kind) {
    static const char* const names[] = {"Dense", "Sparse", "Unknown", "Contradictory"};
    return stream << names[static_cast<int>(kind)];
}

/// The same bounds in every format up to its rounding. `onGrid` keeps them to multiples of 2⁻¹⁰ Å: all
/// formats hold these and their sums exactly.
template <class T>
FilledBounds<T> makeBounds(std::size_t n, Kind kind, std::uint32_t seed = 1, bool onGrid = false) {
    FilledBounds<T> bounds(n);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto rounded = [&](double x) { return onGrid ? std::round(x * 1024) / 1024 : x; };
    Matrix<double> points(n, 3);
    for (std::size_t i = 0; i < 3 * n; ++i) points.data()[i] = 20 * uniform(generator);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            double square = 0;
            for (std::size_t axis = 0; axis < 3; ++axis)
                square += (points(i, axis) - points(j, axis)) * (points(i, axis) - points(j, axis));
            const double distance = std::sqrt(square);
            const double slack = uniform(generator);
            const bool known = uniform(generator) < 0.1 || j == i + 1;
            switch (kind) {
                case Kind::Dense:
                    bounds.set(i, j, rounded(std::max(0.0, distance - slack)), rounded(distance + 3 * slack));
                    break;
                case Kind::Sparse:
                    if (known)
                        bounds.set(i, j, rounded(0.95 * distance), rounded(1.05 * distance + 0.01));
                    else
                        bounds.set(i, j, 0, 40);
                    break;
                case Kind::Unknown:
                    if (known && j % 7 != 3)
                        bounds.set(i, j, rounded(0.95 * distance), rounded(1.05 * distance + 0.01));
                    else
                        bounds.set(i, j, 0, std::numeric_limits<double>::infinity());
                    break;
                case Kind::Contradictory: {
                    const double lower = rounded(10 * uniform(generator));
                    bounds.set(i, j, lower, rounded(lower + 5 * slack));
                    break;
                }
            }
        }
    return bounds;
}

/// Smooths in place; no diagnostics.
template <class T>
SmoothingReport smoothWith(Backend& backend, FilledBounds<T>& bounds, Variant variant = Variant::Default) {
    SmoothingOptions options;
    options.variant = variant;
    return smooth(backend, bounds.view(), options, silentProgress());
}

/// A copy of `input`, smoothed by the reference backend.
template <class T>
FilledBounds<T> smoothedByReference(const FilledBounds<T>& input) {
    return test::madeOnce(test::InputKey().add(input.upper).add(input.lower), [&] {
        FilledBounds<T> bounds(input);
        HostBackend reference("reference", 1);
        smoothWith(reference, bounds);
        return bounds;
    });
}

/// Largest |difference| of two matrices of equal size, in Å.
template <class T>
double largestDifference(const Matrix<T>& a, const Matrix<T>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(toAngstrom(a.data()[i]) - toAngstrom(b.data()[i])));
    return largest;
}

/// Largest finite bound of the input, in Å.
template <class T>
double largestBound(const FilledBounds<T>& bounds) {
    double largest = 0;
    for (std::size_t i = 0; i < bounds.upper.size(); ++i)
        if (!isUnknownUpper(bounds.upper.data()[i]))
            largest = std::max(largest, toAngstrom(bounds.upper.data()[i]));
    return largest;
}

template <class T>
NumberFormat formatOf() {
    return numberFormat(AnyBoundMatrices(BoundMatrices<T>()));
}

}  // namespace glycine::bounds::fixtures

namespace glycine::bounds {
using namespace fixtures;
}
