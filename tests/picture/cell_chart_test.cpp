#include "engine/picture/chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

const ChartCell kEqual{CellKind::Equal, "="};
const ChartCell kNear{CellKind::Near, "≈"};
const ChartCell kWrong{CellKind::Wrong, "×"};

TEST(CellChart, KindsDifferInLightnessToo) {
    const TemporaryFolder folder;
    const auto draw = [&](const ChartCell& cell) {
        writeCellChart(folder / "a.png", {"row"}, {"column"}, {{cell}}, {});
        const Picture picture(folder / "a.png");
        double sum = 0;
        for (std::size_t y = 0; y < picture.height(); ++y)
            for (std::size_t x = 0; x < picture.width(); ++x)
                sum += 0.2126 * picture.at(x, y).red + 0.7152 * picture.at(x, y).green +
                       0.0722 * picture.at(x, y).blue;
        return sum;
    };
    const double equal = draw({CellKind::Equal, ""}), near = draw({CellKind::Near, ""}),
                 absent = draw({CellKind::Absent, ""});
    // By far more than anything beside the cell's 32 × 24 points differs.
    EXPECT_LT(equal + 32 * 24 * 60, near);
    EXPECT_LT(near + 32 * 24 * 30, absent);
}

TEST(CellChart, AnSvgHasItsWords) {
    const TemporaryFolder folder;
    writeCellChart(folder / "a.svg", {"first row", "second"}, {"a column"}, {{kEqual}, {kWrong}},
                   {.title = "title", .key = {{kNear, "the meaning"}}, .footer = {"footer"}});
    const std::string svg = readFile(folder / "a.svg");
    for (const char* text :
         {"first row", "second", "a column", "=", "×", "≈", "the meaning", "title", "footer"})
        EXPECT_THAT(svg, HasSubstr(">" + std::string(text) + "</text>"));
}

TEST(CellChart, RefusesNothing) {
    const TemporaryFolder folder;
    EXPECT_THROW(writeCellChart(folder / "a.png", {}, {"column"}, {}, {}), UsageError);
    EXPECT_THROW(writeCellChart(folder / "a.png", {"row"}, {}, {{}}, {}), UsageError);
    EXPECT_EQ(folder.fileCount(), 0u);
}

TEST(CascadeChart, FallsFromTheBestPlatformToTheWorst) {
    const TemporaryFolder folder;
    const auto draw = [&](const std::vector<double>& efficiencies) {
        writeCascadeChart(folder / "a.svg", {{"program", efficiencies, 0.5}},
                          {.title = "title", .yLabel = "efficiency"});
        return readFile(folder / "a.svg");
    };
    const std::string svg = draw({0.25, 1, 0.5});
    EXPECT_EQ(svg, draw({1, 0.5, 0.25})) << "the order does not matter";
    EXPECT_NE(svg, draw({1, 0.5, 0}));
    for (const char* text : {"program  0.50", "title", "efficiency", "100 %", "0 %", "3"})
        EXPECT_THAT(svg, HasSubstr(">" + std::string(text) + "</text>"));
    EXPECT_THAT(svg, HasSubstr("stroke-dasharray")) << "the metric's line";
}

TEST(CascadeChart, Refusals) {
    const TemporaryFolder folder;
    const auto write = [&](const std::vector<CascadeSeries>& series) {
        writeCascadeChart(folder / "a.png", series, {});
    };
    EXPECT_THROW(write({}), UsageError);
    EXPECT_THROW(write({{"a", {}, 0}}), UsageError);
    EXPECT_THAT(messageOf<UsageError>([&] {
                    write({{"a", {1, 1}, 1}, {"longer", {1, 1, 1}, 1}});
                }),
                HasSubstr("longer"));
    EXPECT_THAT(messageOf<UsageError>([&] { write({{"high", {1.1}, 1}}); }), HasSubstr("high"));
    EXPECT_EQ(folder.fileCount(), 0u);
}

}  // namespace
}  // namespace glycine::picture
