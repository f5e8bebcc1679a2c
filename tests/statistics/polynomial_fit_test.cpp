// Polynomials through points, by least squares.
#include "engine/statistics/polynomial_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace glycine::statistics {
namespace {

TEST(PolynomialFit, GoesThroughPointsOfItsDegree) {
    const std::vector<double> x{-1, 0, 2, 5};
    std::vector<double> y;
    for (const double place : x) y.push_back(2 - place + 3 * place * place * place);
    const PolynomialFit fit(x, y, 5);
    for (const double place : {-1.0, -0.5, 0.0, 1.0, 4.9})
        EXPECT_NEAR(fit(place), 2 - place + 3 * place * place * place, 1e-9) << place;
    EXPECT_EQ(fit(-9), fit(-1)) << "beyond the points the ends count";
    EXPECT_EQ(fit(9), fit(5));
}

TEST(PolynomialFit, IsTheLineOfLeastSquares) {
    // By hand: mean 2 and 3, slope (1 · 2 + 0 + 1 · 1) / 2 = 1.5.
    const PolynomialFit fit(std::vector<double>{1, 2, 3}, std::vector<double>{1, 4, 4}, 1);
    EXPECT_NEAR(fit(1), 1.5, 1e-12);
    EXPECT_NEAR(fit(2), 3, 1e-12);
    EXPECT_NEAR(fit(3), 4.5, 1e-12);
    const PolynomialFit mean(std::vector<double>{1, 2, 3}, std::vector<double>{1, 4, 4}, 0);
    EXPECT_NEAR(mean(1), 3, 1e-12);
}

TEST(PolynomialFit, NeedsPoints) {
    EXPECT_THROW(PolynomialFit({}, {}, 1), std::invalid_argument);
    EXPECT_EQ(PolynomialFit(std::vector<double>{4}, std::vector<double>{7}, 5)(1), 7);
}

}  // namespace
}  // namespace glycine::statistics
