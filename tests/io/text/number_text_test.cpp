// Numbers as text: what is written for them, and the fast way to read the short ones.
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "engine/io/text/short_number.hpp"
#include "engine/io/text/text_output.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

template <class T>
std::string written(T value) {
    char text[kNumberChars];
    return {text, writeShortest(text, value)};
}

TEST(NumberText, WholeNumbersAreWrittenAsSuch) {
    for (std::int64_t number = -11000; number <= 11000; ++number) {
        ASSERT_EQ(written(static_cast<double>(number)), std::to_string(number));
        ASSERT_EQ(written(static_cast<float>(number)), std::to_string(number));
    }
    EXPECT_EQ(written(-0.0), "0");
    EXPECT_EQ(written(-0.0F), "0");
    EXPECT_EQ(written(9007199254740992.0), "9007199254740992");
    EXPECT_EQ(written(-2147483648.0), "-2147483648");
}

TEST(NumberText, OtherNumbersReadBackToTheSame) {
    EXPECT_EQ(written(9999.5), "9999.5");
    EXPECT_EQ(written(0.1), "0.1");
    EXPECT_EQ(written(0.1F), "0.1");
    EXPECT_EQ(written(std::nan("")), "nan");
    EXPECT_EQ(written(-std::numeric_limits<float>::infinity()), "-inf");
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> spread(-20000, 20000);
    for (int k = 0; k < 10000; ++k) {
        const double value = spread(random);
        ASSERT_EQ(std::stod(written(value)), value);
    }
}

/// Compares the parser with std::from_chars. Returns whether it took the whole text.
template <class T>
bool isTaken(const std::string& text) {
    T value = 99, expected = 99;
    bool hasPoint = false;
    const char* const end = text.data() + text.size();
    if (parseShortNumber(text.data(), end, value, hasPoint) != end) return false;
    const auto [stop, error] = std::from_chars(text.data(), end, expected);
    EXPECT_TRUE(stop == end && error == std::errc{}) << text;
    EXPECT_EQ(value, expected) << text;
    EXPECT_EQ(std::signbit(value), std::signbit(expected)) << text;
    EXPECT_EQ(hasPoint, text.find('.') != std::string::npos) << text;
    return true;
}

template <class T>
class ShortNumbers : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ShortNumbers, Types);

TYPED_TEST(ShortNumbers, AreThoseOfFromChars) {
    constexpr int kDigits = std::is_same_v<TypeParam, float> ? 7 : 15;
    std::mt19937_64 random(3);
    for (int k = 0; k < 200000; ++k) {
        const int digits = 1 + static_cast<int>(random() % kDigits);
        std::string text;
        for (int d = 0; d < digits; ++d) text += static_cast<char>('0' + random() % 10);
        if (digits > 1 && k % 4 != 0) text.insert(1 + random() % static_cast<unsigned>(digits - 1), ".");
        if (k % 3 == 0) text.insert(0, "-");
        ASSERT_TRUE(isTaken<TypeParam>(text)) << text;
    }
    for (const char* text : {"0", "-0", "-0.0", "0.000001", "000.5"}) EXPECT_TRUE(isTaken<TypeParam>(text));
}

TYPED_TEST(ShortNumbers, OthersAreLeftToFromChars) {
    for (const char* text :
         {"", "-", ".5", "-.5", "5.", "1e5", "1.5e-3", "+1", " 1", "1 ", "nan", "inf", "1234567890123456",
          "0.1234567890123456", "1.2.3", "0x10", "--1", "99999999999999999999999999"})
        EXPECT_FALSE(isTaken<TypeParam>(text)) << text;
    // A number ends before what does not belong to it.
    TypeParam value = 0;
    bool hasPoint = true;
    const std::string text = "12,5";
    EXPECT_EQ(parseShortNumber(text.data(), text.data() + text.size(), value, hasPoint), text.data() + 2);
    EXPECT_EQ(value, 12);
    EXPECT_FALSE(hasPoint);
}

}  // namespace
}  // namespace glycine::io
