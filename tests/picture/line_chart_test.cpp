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
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

LineChartOptions lineOptions() {
    LineChartOptions result;
    result.title = "title";
    result.xLabel = "atoms";
    result.yLabel = "time";
    result.footer = {"footer"};
    result.xText = [](double value) { return fmt::format("{:g}", value); };
    result.yText = [](double value) { return fmt::format("{:g} s", value); };
    return result;
}

/// The middle of all pixels of a colour left of the legend.
Point middleOf(const Picture& picture, Color color, std::size_t right) {
    Point sum;
    double count = 0;
    for (std::size_t y = 0; y < picture.height(); ++y)
        for (std::size_t x = 0; x < right; ++x)
            if (picture.at(x, y) == color) {
                sum.x += static_cast<double>(x);
                sum.y += static_cast<double>(y);
                ++count;
            }
    return {sum.x / count, sum.y / count};
}

TEST(LineChart, BothAxesAreLogarithmic) {
    const TemporaryFolder folder;
    writeLineChart(folder / "a.png",
                   {{"first", {{10, 1}}}, {"second", {{100, 10}}}, {"third", {{1000, 100}}}}, lineOptions());
    const Picture picture(folder / "a.png");
    const std::size_t plot = 730;  // the legend begins behind it
    const Point first = middleOf(picture, seriesColor(0), plot);
    const Point second = middleOf(picture, seriesColor(1), plot);
    const Point third = middleOf(picture, seriesColor(2), plot);
    EXPECT_GT(second.x - first.x, 200);
    EXPECT_GT(first.y - second.y, 150);
    EXPECT_NEAR(third.x - second.x, second.x - first.x, 1.5);
    EXPECT_NEAR(second.y - third.y, first.y - second.y, 1.5);
}

TEST(LineChart, ALineJoinsItsPoints) {
    const TemporaryFolder folder;
    const auto draw = [&](const std::vector<LineSeries>& series) {
        writeLineChart(folder / "a.png", series, lineOptions());
        return Picture(folder / "a.png").count(seriesColor(0));
    };
    EXPECT_GT(draw({{"a", {{10, 1}, {1000, 100}}}}), 2 * draw({{"a", {{10, 1}}}}));
}

TEST(LineChart, NamesTicksAndLegend) {
    const TemporaryFolder folder;
    LineChartOptions wanted = lineOptions();
    const std::vector<LineSeries> series{{"cpu & gl", {{128, 0.01}, {4096, 20}}}, {"nothing", {}}};
    writeLineChart(folder / "a.svg", series, wanted);
    const std::string round = readFile(folder / "a.svg");
    EXPECT_THAT(round, AllOf(HasSubstr(">cpu &amp; gl<"), Not(HasSubstr(">nothing<")), HasSubstr(">atoms<"),
                             HasSubstr(">time<"), HasSubstr(">title<"), HasSubstr(">footer<")));
    // Less than three powers of ten on the x axis, more on the y axis.
    EXPECT_THAT(round, AllOf(HasSubstr(">200<"), HasSubstr(">500<"), HasSubstr(">1000<"),
                             HasSubstr(">0.1 s<"), HasSubstr(">10 s<"), Not(HasSubstr(">2 s<"))));
    wanted.xTicks = {128, 4090, 4096};
    writeLineChart(folder / "a.svg", series, wanted);
    // A label has no room beside the one before it.
    EXPECT_THAT(readFile(folder / "a.svg"), AllOf(HasSubstr(">128<"), HasSubstr(">4090<"),
                                                  Not(HasSubstr(">4096<")), Not(HasSubstr(">200<"))));
}

TEST(LineChart, APointAloneHasAxes) {
    const TemporaryFolder folder;
    writeLineChart(folder / "a.pdf", {{"a", {{5, 5}}}}, lineOptions());
    EXPECT_GT(readFile(folder / "a.pdf").size(), 1000U);
}

TEST(LineChart, Refusals) {
    const TemporaryFolder folder;
    const auto write = [&](Point point) {
        writeLineChart(folder / "a.png", {{"the series", {point}}}, lineOptions());
    };
    EXPECT_THAT(messageOf<UsageError>([&] { write({0, 1}); }), HasSubstr("the series"));
    EXPECT_THROW(write({1, -1}), UsageError);
    EXPECT_THROW(write({1, std::numeric_limits<double>::infinity()}), UsageError);
    EXPECT_THROW(write({std::nan(""), 1}), UsageError);
    EXPECT_THROW(writeLineChart(folder / "a.png", {{"a", {}}}, lineOptions()), UsageError);
    EXPECT_EQ(folder.fileCount(), 0U);
}

}  // namespace
}  // namespace glycine::picture
