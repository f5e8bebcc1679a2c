// Text of users and files, as messages show it.
#include "engine/core/text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace glycine {
namespace {

TEST(Text, ShortTextIsShownAsItIs) {
    EXPECT_EQ(excerpt(""), "");
    EXPECT_EQ(excerpt("abc"), "abc");
    EXPECT_EQ(excerpt(std::string(80, 'x')), std::string(80, 'x'));
}

TEST(Text, LongTextIsCutAndItsLengthTold) {
    const std::string eighty(80, 'x');
    EXPECT_EQ(excerpt(std::string(81, 'x')), fmt::format("{}… (81 bytes)", eighty));
    EXPECT_EQ(excerpt(std::string(50000, 'x')), fmt::format("{}… (50000 bytes)", eighty));
}

TEST(Text, CharactersStayWhole) {
    std::string text, eighty;
    for (int k = 0; k < 90; ++k) text += "Å";
    for (int k = 0; k < 80; ++k) eighty += "Å";
    EXPECT_EQ(excerpt(eighty), eighty);
    EXPECT_EQ(excerpt(text), fmt::format("{}… (180 bytes)", eighty));
    const std::string noCharacters(50000, '\x80');
    EXPECT_LT(excerpt(noCharacters).size(), 400U);
}

TEST(Text, Digits) {
    for (const char* digits : {"0", "9", "0123456789", "18446744073709551616"})
        EXPECT_TRUE(isDigits(digits)) << digits;
    for (const char* text : {"", "-1", "1.5", "1e3", "12 ", "a", "/", ":", "\xd9\xa1"})
        EXPECT_FALSE(isDigits(text)) << text;
}

TEST(Text, EndingsOfPacking) {
    EXPECT_EQ(withoutPacking("a.vcf.gz"), "a.vcf");
    EXPECT_EQ(withoutPacking("a.vcf.bgz"), "a.vcf");
    EXPECT_EQ(withoutPacking("A.VCF.GZ"), "A.VCF");
    EXPECT_EQ(withoutPacking("a.vcf"), "a.vcf");
    EXPECT_EQ(withoutPacking("gz"), "gz");
    EXPECT_EQ(withoutPacking(""), "");
}

}  // namespace
}  // namespace glycine
