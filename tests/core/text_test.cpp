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

TEST(Text, ControlCharactersBecomeVisible) {
    EXPECT_EQ(visible("Å\tplain\n"), "Å\tplain\n");
    EXPECT_EQ(visible("a\tb\n", false), "a\\x09b\\x0a");
    EXPECT_EQ(visible(std::string_view("\x1b[31m\0\b\r\a", 9)), "\\x1b[31m\\x00\\x08\\x0d\\x07");
    EXPECT_EQ(visible("\x7f"), "\\u007f");
    EXPECT_EQ(visible("\xc2\x9b"), "\\u009b") << "CSI as one character of C1";
    EXPECT_EQ(visible("\xe2\x80\xae"), "\\u202e") << "an override of the direction of writing";
    EXPECT_EQ(visible("\xe2\x81\xa6\xef\xbb\xbf\xe2\x80\x8b"), "\\u2066\\ufeff\\u200b");
    EXPECT_EQ(visible("\xf3\xa0\x80\x81"), "\\udb40\\udc01") << "a tag";
    EXPECT_EQ(visible("\x9b\xff\xc3"), "\\x9b\\xff\\xc3") << "bytes that are no UTF-8";
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
