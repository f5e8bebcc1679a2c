#include "engine/pairs/files/pair_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "engine/io/text/text_output.hpp"
#include "tests/special_values.hpp"

namespace glycine::pairs {
namespace {

using glycine::test::kNaN;

std::string shortest(double value, ValueType type = ValueType::Float64) {
    char buffer[io::kNumberChars];
    return {buffer, writeValue(buffer, value, type)};
}

TEST(PairValueText, WholeNumbersAsSuch) {
    EXPECT_EQ(shortest(0), "0");
    EXPECT_EQ(shortest(-0.0), "0");
    EXPECT_EQ(shortest(-17), "-17");
    EXPECT_EQ(shortest(2147483648.0, ValueType::Float32), "2147483648");
    EXPECT_EQ(shortest(1e15), "1000000000000000");
}

TEST(PairValueText, ShortestThatReadsBack) {
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

}  // namespace
}  // namespace glycine::pairs
