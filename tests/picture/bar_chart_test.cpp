#include "engine/picture/chart.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"
#include "tests/picture/picture_test_support.hpp"

namespace glycine::picture {
namespace {

using test::messageOf;
using test::Picture;
using test::readFile;
using test::TemporaryFolder;
using ::testing::HasSubstr;

constexpr Color kFirst{200, 30, 40};
constexpr Color kSecond{20, 90, 200};
const std::vector<BarSeries> kSeries{{"first", kFirst}, {"second", kSecond}};

BarChartOptions barOptions() {
    BarChartOptions result;
    result.title = "title";
    result.axisLabel = "time";
    result.footer = {"footer"};
    result.valueText = [](double value) { return fmt::format("{}", value); };
    result.tickText = [](int power) { return fmt::format("1e{}", power); };
    return result;
}

/// Draws and reads back.
Picture drawn(const std::vector<BarGroup>& groups) {
    const TemporaryFolder folder;
    writeBarChart(folder / "chart.png", kSeries, groups, barOptions());
    return Picture(folder / "chart.png");
}

/// Lengths in pixels of the runs of a colour, one for each bar, from above; the key's squares are left out.
std::vector<std::size_t> barLengths(const Picture& image, Color color) {
    std::vector<std::size_t> lengths;
    std::size_t before = 0;
    for (std::size_t y = 0; y < image.height(); ++y) {
        std::size_t length = 0;
        for (std::size_t x = 0; x < image.width(); ++x) length += image.at(x, y) == color ? 1 : 0;
        if (length > 0 && before == 0) lengths.push_back(length);
        before = length;
    }
    lengths.erase(lengths.begin());
    return lengths;
}

TEST(BarChart, LengthsAreLogarithms) {
    // The axis runs from 1 to 1000; every power of ten takes a third of it.
    const Picture image = drawn({{"a", {{1000, ""}, {10, ""}}}, {"b", {{100, ""}, {2, ""}}}});
    const std::vector<std::size_t> first = barLengths(image, kFirst);
    const std::vector<std::size_t> second = barLengths(image, kSecond);
    ASSERT_EQ(first.size(), 2U);
    ASSERT_EQ(second.size(), 2U);
    const auto whole = static_cast<double>(first[0]);
    EXPECT_NEAR(static_cast<double>(first[1]), whole * 2 / 3, 1);
    EXPECT_NEAR(static_cast<double>(second[0]), whole / 3, 1);
    EXPECT_NEAR(static_cast<double>(second[1]), whole * std::log10(2) / 3, 1);
}

TEST(BarChart, TheSmallestBarCanBeSeen) {
    const Picture image = drawn({{"a", {{0.01, ""}, {10, ""}}}});
    const std::vector<std::size_t> first = barLengths(image, kFirst);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_GT(first[0], 50U);
}

TEST(BarChart, LeavesOutWhatIsAbsent) {
    const Picture both = drawn({{"a", {{5, ""}, {7, ""}}}, {"b", {{5, ""}, {7, ""}}}});
    const Picture one = drawn({{"a", {{5, ""}, {7, ""}}}, {"b", {{}, {7, ""}}}});
    const Picture noted = drawn({{"a", {{5, ""}, {7, ""}}}, {"b", {{{}, "not measured"}, {7, ""}}}});
    EXPECT_EQ(barLengths(one, kFirst).size(), 1U);
    EXPECT_EQ(barLengths(one, kSecond).size(), 2U);
    EXPECT_LT(one.height(), both.height());
    EXPECT_EQ(noted.height(), both.height());
    // A long note is not cut off.
    const Picture wide = drawn({{"a", {{5, ""}, {{}, std::string(200, 'n')}}}});
    EXPECT_GT(wide.width(), both.width());
}

TEST(BarChart, RangesStayWithinTheAxis) {
    const auto withRange = [](double low, double high) {
        Bar bar{10, ""};
        bar.range = ValueRange{low, high};
        return drawn({{"a", {bar, {}}}, {"b", {{1, ""}, {}}}, {"c", {{100, ""}, {}}}});
    };
    const Picture none = drawn({{"a", {{10, ""}, {}}}, {"b", {{1, ""}, {}}}, {"c", {{100, ""}, {}}}});
    EXPECT_NE(withRange(8, 12), none);
    EXPECT_NE(withRange(8, 12), withRange(8, 50));
    EXPECT_EQ(withRange(1e-9, 1e9).width(), none.width()) << "the axis follows the values";
}

TEST(BarChart, Refusals) {
    const TemporaryFolder folder;
    const auto write = [&](const std::vector<BarGroup>& groups) {
        writeBarChart(folder / "a.png", kSeries, groups, barOptions());
    };
    EXPECT_THROW(write({}), UsageError);
    EXPECT_THROW(write({{"a", {{}, {}}}}), UsageError);
    EXPECT_THAT(messageOf<UsageError>([&] { write({{"label", {{0.0, ""}}}}); }), HasSubstr("label"));
    EXPECT_THROW(write({{"a", {{-1.0, ""}}}}), UsageError);
    EXPECT_THROW(write({{"a", {{std::numeric_limits<double>::infinity(), ""}}}}), UsageError);
    EXPECT_THROW(write({{"a", {{std::nan(""), ""}}}}), UsageError);
    EXPECT_EQ(folder.fileCount(), 0U);
}

TEST(BarChart, AnSvgHasItsWords) {
    const TemporaryFolder folder;
    writeBarChart(folder / "chart.svg", kSeries,
                  {{"the label", {{10, ""}, {{}, "not measured"}}, "the heading"}}, barOptions());
    const std::string svg = readFile(folder / "chart.svg");
    for (const char* text : {"title", "time", "footer", "first", "second", "the label", "the heading", "10",
                             "not measured", "1e0", "1e1"})
        EXPECT_THAT(svg, HasSubstr(">" + std::string(text) + "</text>"));
}

}  // namespace
}  // namespace glycine::picture
