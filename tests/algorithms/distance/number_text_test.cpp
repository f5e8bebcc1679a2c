#include "engine/algorithms/distance/results/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace glycine::distance {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string shortest(double value, ValueType type = ValueType::Float64) {
    char buffer[kNumberChars];
    return {buffer, writeShortest(buffer, value, type)};
}

std::string plinkNumber(double value) {
    char buffer[kNumberChars];
    return {buffer, writePlinkNumber(buffer, value)};
}

TEST(NumberText, WholeNumbersAsSuch) {
    EXPECT_EQ(shortest(0), "0");
    EXPECT_EQ(shortest(-0.0), "0");
    EXPECT_EQ(shortest(-17), "-17");
    EXPECT_EQ(shortest(2147483648.0, ValueType::Float32), "2147483648");
    EXPECT_EQ(shortest(1e15), "1000000000000000");
}

TEST(NumberText, ShortestThatReadsBack) {
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(0.1F, ValueType::Float32), "0.1");
    EXPECT_EQ(shortest(0.1F), "0.10000000149011612");
    EXPECT_EQ(shortest(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(shortest(1e300), "1e+300");
    EXPECT_EQ(shortest(kNaN), "nan");
    EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-inf");
    std::mt19937_64 random(7);
    for (int k = 0; k < 20000; ++k) {
        const double value = std::exp(std::uniform_real_distribution<>(-80, 80)(random));
        EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
        const auto single = static_cast<float>(value);
        EXPECT_EQ(std::strtof(shortest(single, ValueType::Float32).c_str(), nullptr), single);
    }
}

TEST(NumberText, PlinkRoundsTheMiddleToEven) {
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

TEST(NumberText, PlinkForms) {
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

TEST(NumberText, PlinkIsLikePrintfElsewhere) {
    std::mt19937_64 random(8);
    for (int k = 0; k < 100000; ++k) {
        const double value = k % 2 == 0 ? std::uniform_real_distribution<>(0, 1)(random)
                                        : std::exp(std::uniform_real_distribution<>(-40, 40)(random));
        char expected[kNumberChars];
        std::snprintf(expected, sizeof(expected), "%g", value);
        ASSERT_EQ(plinkNumber(value), expected);
    }
}

}  // namespace
}  // namespace glycine::distance
