// Whole numbers at both ends of what float64 and float32 hold.
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <string>

namespace glycine {
namespace {

constexpr std::int64_t kLast = std::int64_t{1} << 53;

TEST(WholeNumber, Float64HoldsEachUpToTwoToThe53) {
    for (const std::int64_t sign : {1, -1}) {
        EXPECT_TRUE(holdsExactly<double>(sign * (kLast - 1)));
        EXPECT_TRUE(holdsExactly<double>(sign * kLast));
        EXPECT_FALSE(holdsExactly<double>(sign * (kLast + 1)));
        EXPECT_TRUE(holdsExactly<double>(sign * (kLast + 2)));
    }
    EXPECT_TRUE(holdsExactly<double>(std::uint64_t{1} << 63));
    EXPECT_FALSE(holdsExactly<double>((std::uint64_t{1} << 63) + 1));
    EXPECT_TRUE(holdsExactly<double>(std::numeric_limits<std::int64_t>::min()));
    // They round up to what the type cannot hold.
    EXPECT_FALSE(holdsExactly<double>(std::numeric_limits<std::int64_t>::max()));
    EXPECT_FALSE(holdsExactly<double>(std::numeric_limits<std::uint64_t>::max()));
}

TEST(WholeNumber, Float32HoldsEachUpToTwoToThe24) {
    EXPECT_TRUE(holdsExactly<float>(std::int32_t{1} << 24));
    EXPECT_FALSE(holdsExactly<float>((std::int32_t{1} << 24) + 1));
    EXPECT_FALSE(holdsExactly<float>(std::numeric_limits<std::uint32_t>::max()));
    EXPECT_TRUE(holdsExactly<float>(std::numeric_limits<std::uint16_t>::max()));
}

bool isRounded(const std::string& text) {
    double value = 0;
    std::from_chars(text.data() + (text[0] == '+' ? 1 : 0), text.data() + text.size(), value);
    return isRoundedWholeNumber(text, value);
}

TEST(WholeNumber, TextOfDigitsMustBeExact) {
    for (const char* text :
         {"9007199254740993", "-9007199254740993", "+9007199254740993", "0009007199254740993",
          "1152921504606846977", "18446744073709551615", "123456789012345678901234567890"})
        EXPECT_TRUE(isRounded(text)) << text;
    for (const char* text :
         {"0", "-1", "9007199254740991", "9007199254740992", "9007199254740994", "-0009007199254740992",
          "1152921504606846976", "100000000000000000000", "18446744073709551616"})
        EXPECT_FALSE(isRounded(text)) << text;
}

TEST(WholeNumber, DecimalTextMayRound) {
    for (const char* text :
         {"9007199254740993.0", "9007199254740993.5", "1e23", "9.007199254740993e15", "0.1"})
        EXPECT_FALSE(isRounded(text)) << text;
}

}  // namespace
}  // namespace glycine
