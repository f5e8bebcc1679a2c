#include "engine/distance/results/distance_files.hpp"
#include "tests/special_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace glycine::distance {
namespace {

using glycine::test::kNaN;

std::string plinkNumber(double value) {
    char buffer[io::kNumberChars];
    return {buffer, writePlinkNumber(buffer, value)};
}

TEST(PlinkNumber, RoundsTheMiddleToEven) {
    EXPECT_EQ(plinkNumber(0.1234565), "0.123456");
    EXPECT_EQ(plinkNumber(0.1234575), "0.123458");
    EXPECT_EQ(plinkNumber(0.5624015), "0.562402");
    EXPECT_EQ(plinkNumber(123456.5), "123456");
    EXPECT_EQ(plinkNumber(123457.5), "123458");
    EXPECT_EQ(plinkNumber(1234565), "1.23456e+06");
    EXPECT_EQ(plinkNumber(1234575), "1.23458e+06");
    EXPECT_EQ(plinkNumber(1.00000499), "1");
    EXPECT_EQ(plinkNumber(1.00000501), "1.00001");
}

TEST(PlinkNumber, Forms) {
    EXPECT_EQ(plinkNumber(0), "0");
    EXPECT_EQ(plinkNumber(-0.0), "0");
    EXPECT_EQ(plinkNumber(1), "1");
    EXPECT_EQ(plinkNumber(-2.5), "-2.5");
    EXPECT_EQ(plinkNumber(999999), "999999");
    EXPECT_EQ(plinkNumber(999999.6), "1e+06");
    EXPECT_EQ(plinkNumber(1.4e6), "1.4e+06");
    EXPECT_EQ(plinkNumber(0.9999996), "1");
    EXPECT_EQ(plinkNumber(0.0001), "0.0001");
    EXPECT_EQ(plinkNumber(0.00001234567), "1.23457e-05");
    EXPECT_EQ(plinkNumber(5e-324), "4.94066e-324");
    EXPECT_EQ(plinkNumber(1.7976931348623157e308), "1.79769e+308");
    EXPECT_EQ(plinkNumber(kNaN), "nan");
    EXPECT_EQ(plinkNumber(-kNaN), "nan");
    EXPECT_EQ(plinkNumber(std::numeric_limits<double>::infinity()), "inf");
}

TEST(PlinkNumber, IsLikePrintfElsewhere) {
    std::mt19937_64 random(8);
    for (int k = 0; k < 100000; ++k) {
        const double value = k % 2 == 0 ? std::uniform_real_distribution<>(0, 1)(random)
                                        : std::exp(std::uniform_real_distribution<>(-40, 40)(random));
        char expected[io::kNumberChars];
        std::snprintf(expected, sizeof(expected), "%g", value);
        ASSERT_EQ(plinkNumber(value), expected);
    }
}

}  // namespace
}  // namespace glycine::distance
