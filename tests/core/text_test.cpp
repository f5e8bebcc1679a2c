// Words and numbers in text: excerpts, suggestions, whole numbers.
#include <charconv>

#include "engine/core/natural_order.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

// ---- Text of users and files, in messages.

TEST(Text, ShortTextIsShownAsItIs) {
    EXPECT_EQ(excerpt(""), "");
    EXPECT_EQ(excerpt("abc"), "abc");
    EXPECT_EQ(excerpt(std::string(80, 'x')), std::string(80, 'x'));
}

TEST(Text, LongTextIsCutAndItsLengthStated) {
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

TEST(Suggestion, EditDistance) {
    EXPECT_EQ(editDistance("", ""), 0U);
    EXPECT_EQ(editDistance("abc", ""), 3U);
    EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
    EXPECT_EQ(editDistance("Fp1", "pF1"), 1U);  // a swap of neighbours
    EXPECT_EQ(editDistance("CZ", "cz"), 0U);
    EXPECT_EQ(editDistance("ca", "abc"), 3U);
}

TEST(Suggestion, NearestNames) {
    const std::vector<std::string> known = {"Fp1", "Fp2", "Cz", "Fc5.", "Oz"};
    EXPECT_THAT(nearestNames("Fc5", known), ElementsAre("Fc5."));
    EXPECT_THAT(nearestNames("Fp3", known), ElementsAre("Fp1", "Fp2"));
    EXPECT_THAT(nearestNames("Pz", known), ElementsAre("Cz", "Oz"));
    const auto part = [](std::string_view name) { return name.substr(1); };
    EXPECT_THAT(nearestNames("xc5.", known, part), ElementsAre("Fc5."));
    EXPECT_THAT(nearestNames("something else", known), IsEmpty());
    EXPECT_EQ(suggestNames("Fp3", known), "nearest: Fp1, Fp2; known: Fp1, Fp2, Cz, Fc5., Oz");
    EXPECT_EQ(suggestNames("???", known), "known: Fp1, Fp2, Cz, Fc5., Oz");
    EXPECT_EQ(suggestNames("???", {}), "there is none");
    std::vector<std::string> letters;
    for (char letter = 'a'; letter < 'u'; ++letter) letters.emplace_back(3, letter);
    EXPECT_THAT(suggestNames("???", letters), HasSubstr(", sss, ttt"));
    letters.emplace_back("uuu");
    EXPECT_EQ(suggestNames("???", letters),
              "known: aaa, bbb, ccc, ddd, eee, fff, ggg, hhh, iii, jjj, kkk, lll and 9 more");
    EXPECT_EQ(suggestNames("uux", letters), "nearest: uuu");
    EXPECT_EQ(quoteNames(known, 2), "'Fp1', 'Fp2' and 3 more");
    EXPECT_EQ(quoteNames({}), "none");
}

TEST(Wildcards, StandForText) {
    EXPECT_TRUE(matchesWildcards("*", ""));
    EXPECT_TRUE(matchesWildcards("EEG *", "eeg Fz"));
    EXPECT_TRUE(matchesWildcards("*z", "Cz"));
    EXPECT_TRUE(matchesWildcards("F?z", "FCz"));
    EXPECT_TRUE(matchesWildcards("a*b*c", "aXbYbZc"));
    EXPECT_TRUE(matchesWildcards("abc", "ABC"));
    EXPECT_FALSE(matchesWildcards("a*b", "abc"));
    EXPECT_FALSE(matchesWildcards("?", ""));
    EXPECT_FALSE(matchesWildcards("F?", "F"));
    EXPECT_FALSE(matchesWildcards("", "a"));
    EXPECT_TRUE(hasWildcard("a?"));
    EXPECT_FALSE(hasWildcard("a"));
}

TEST(Suggestion, TheFirstNameThatIsThereTwiceIsFound) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(firstRepeated(Names{}), std::nullopt);
    EXPECT_EQ(firstRepeated(Names{"a", "b", "A", ""}), std::nullopt);
    EXPECT_EQ(firstRepeated(Names{"a", "b", "c", "b", "a"}), std::pair(std::size_t{1}, std::size_t{3}));
    EXPECT_EQ(firstRepeated(Names{"a", "a", "a"}), std::pair(std::size_t{0}, std::size_t{1}));
}

// ---- Integers at both ends of the ranges of float64 and float32.

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
    // These round up to a number that the type cannot hold.
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

// ---- Orders of names.

TEST(NaturalOrder, NumbersWithinNamesCountByValue) {
    const std::vector<std::string> ordered{
        "",         "1",       "2",       "10",      "Group10", "a",          "a1b9",        "a1b10",
        "a2b1",     "group",   "group01", "group1",  "group2",  "group2 (b)", "group02 (c)", "group10",
        "group10a", "group11", "groups",  "groupx1", "é2",      "é10"};
    std::vector<std::string> sorted(ordered.rbegin(), ordered.rend());
    std::ranges::sort(sorted, NaturalOrder());
    EXPECT_EQ(sorted, ordered);
}

TEST(NaturalOrder, NumbersMayHaveAnyLength) {
    const NaturalOrder isBefore;
    EXPECT_TRUE(isBefore("x99999999999999999999999", "x100000000000000000000000"));
    EXPECT_TRUE(isBefore("x0000000000000000000000000000007", "x8"));
    EXPECT_FALSE(isBefore("x8", "x0000000000000000000000000000007"));
}

TEST(NaturalOrder, OnlyEqualNamesAreEqual) {
    const std::vector<std::string> names{"",   "0",   "00",  "a",    "a0", "a00",
                                         "a1", "a01", "a1b", "a01b", "b1", "é"};
    const NaturalOrder isBefore;
    for (const std::string& a : names)
        for (const std::string& b : names) {
            EXPECT_EQ(isBefore(a, b) || isBefore(b, a), a != b) << a << ' ' << b;
            for (const std::string& c : names)
                EXPECT_FALSE(isBefore(a, b) && isBefore(b, c) && !isBefore(a, c))
                    << a << ' ' << b << ' ' << c;
        }
}

}  // namespace
}  // namespace glycine
