// Principal coordinates: points reproduce their own distances, with both eigenvalue solvers.
#include "engine/statistics/principal_coordinates.hpp"

#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"
#include "tests/test.hpp"

namespace glycine::statistics {
namespace {

/// Squared distances of random points with `dimensions` dimensions, the k-th narrower by 2ᵏ.
Matrix<double> squaresOfPoints(std::size_t points, std::size_t dimensions) {
    RandomSequence random(3);
    Matrix<double> places(points, dimensions), squares(points, points, 0);
    for (std::size_t i = 0; i < points; ++i)
        for (std::size_t k = 0; k < dimensions; ++k)
            places(i, k) = random.uniform() / static_cast<double>(std::size_t{1} << k);
    for (std::size_t i = 0; i < points; ++i)
        for (std::size_t j = 0; j < points; ++j)
            for (std::size_t k = 0; k < dimensions; ++k)
                squares(i, j) += std::pow(places(i, k) - places(j, k), 2);
    return squares;
}

// 20 points use the dense solver, 610 the block Krylov solver.
TEST(PrincipalCoordinates, DistancesComeBack) {
    for (const std::size_t points : {20, 610}) {
        const Matrix<double> squares = squaresOfPoints(points, 3);
        const PrincipalCoordinates found =
            coordinatesOfDistances(squaresOfPoints(points, 3), 4, silentProgress());
        double worst = 0, shares = 0;
        for (std::size_t i = 0; i < points; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                double square = 0;
                for (std::size_t k = 0; k < 4; ++k)
                    square += std::pow(found.coordinates(i, k) - found.coordinates(j, k), 2);
                worst = std::max(worst, std::abs(square - squares(i, j)));
            }
        EXPECT_LT(worst, 1e-8) << points;
        for (std::size_t k = 0; k < 3; ++k) shares += found.shares[k];
        EXPECT_NEAR(shares, 1, 1e-9);
        EXPECT_GT(found.eigenvalues[0], 2 * found.eigenvalues[1]);
        EXPECT_GT(found.eigenvalues[1], 2 * found.eigenvalues[2]);
        EXPECT_NEAR(found.eigenvalues[3], 0, 1e-9 * found.eigenvalues[0]);
    }
}

TEST(PrincipalCoordinates, StopsWithinARound) {
    for (const std::size_t points : {20, 610}) {
        int checks = 0;
        Progress progress({}, [&checks] { return ++checks == 30; });
        EXPECT_THROW(coordinatesOfDistances(squaresOfPoints(points, 3), 4, progress), CancelledError);
        EXPECT_EQ(checks, 30) << points;
    }
}

TEST(PrincipalCoordinates, ComponentsByHand) {
    Matrix<double> symmetric(2, 2, 1);
    symmetric(0, 0) = symmetric(1, 1) = 2;  // eigenvalues 3 and 1
    const PrincipalCoordinates found = componentsOf(symmetric, 1, silentProgress());
    EXPECT_NEAR(found.eigenvalues[0], 3, 1e-15);
    EXPECT_NEAR(found.shares[0], 0.75, 1e-15);
    EXPECT_NEAR(found.coordinates(1, 0), std::sqrt(0.5), 1e-15);
}

TEST(PrincipalCoordinates, OfEqualInstancesAreZero) {
    const PrincipalCoordinates found = coordinatesOfDistances(Matrix<double>(3, 3, 0.0), 2, silentProgress());
    EXPECT_THAT(found.shares, ElementsAre(0, 0));
    EXPECT_THAT(found.eigenvalues, ElementsAre(0, 0));
}

TEST(PrincipalCoordinates, Refusals) {
    const auto coordinates = [](double value, std::size_t dimensions) {
        Matrix<double> squares(3, 3, 1);
        squares(2, 1) = value;
        return coordinatesOfDistances(std::move(squares), dimensions, silentProgress());
    };
    EXPECT_THROW(coordinates(1, 3), UsageError);
    EXPECT_THROW(coordinates(1, 0), UsageError);
    EXPECT_THAT(messageOf<UsageError>([&] { coordinates(NAN, 1); }), HasSubstr("instances 3 and 2"));
}

}  // namespace
}  // namespace glycine::statistics
