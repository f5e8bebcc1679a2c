// Bars, lines, cells and graphs.
#include "engine/picture/chart.hpp"
#include "engine/picture/graph_picture.hpp"
#include "engine/picture/scatter_plot.hpp"
#include "tests/picture/picture_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::picture {
namespace {

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

/// Draws a chart and reads it back.
Picture drawn(const std::vector<BarGroup>& groups) {
    const TemporaryFolder folder;
    writeBarChart(folder / "chart.png", kSeries, groups, barOptions());
    return Picture(folder / "chart.png");
}

/// Lengths in pixels of the runs of a colour, one per bar, from top to bottom, without the key's squares.
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
    // The axis extends from 1 to 1000, a third for every power of ten.
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
    // A long note is not truncated.
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

TEST(BarChart, HollowBarsAreOutlines) {
    const auto inked = [](bool isHollow) {
        return drawn({{"a", {{.value = 1000, .isHollow = isHollow}, {}}}, {"b", {{.value = 1}, {}}}})
            .count(kFirst);
    };
    EXPECT_LT(inked(true), inked(false) / 2);
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

TEST(ShareChart, PartsAreSharesOfOneLength) {
    const TemporaryFolder folder;
    writeShareChart(folder / "chart.png", kSeries,
                    {{"a", {0.25, 0.75}, "1 s"}, {"b", {0.5, 0.25}, "2 s"}, {"c", {}, "", "not run"}},
                    barOptions());
    const Picture image(folder / "chart.png");
    const std::vector<std::size_t> first = barLengths(image, kFirst);
    const std::vector<std::size_t> second = barLengths(image, kSecond);
    ASSERT_EQ(first.size(), 2U);
    ASSERT_EQ(second.size(), 2U);
    EXPECT_EQ(second[0], 3 * first[0]);
    EXPECT_EQ(first[1], 2 * first[0]);
    EXPECT_EQ(second[1], first[0]);
    writeShareChart(folder / "chart.svg", kSeries, {{"a", {1, 0}, "1 s"}, {"c", {}, "", "not run"}},
                    barOptions());
    const std::string svg = readFile(folder / "chart.svg");
    for (const char* text :
         {"title", "time", "footer", "first", "second", "a", "1 s", "c", "not run", "0 %", "25 %", "100 %"})
        EXPECT_THAT(svg, HasSubstr(">" + std::string(text) + "</text>"));
}

TEST(ShareChart, Refusals) {
    const TemporaryFolder folder;
    const auto write = [&](const std::vector<ShareBar>& bars) {
        writeShareChart(folder / "a.png", kSeries, bars, barOptions());
    };
    EXPECT_THROW(write({}), UsageError);
    EXPECT_THROW(write({{"a", {}, "", "not run"}}), UsageError);
    EXPECT_THAT(messageOf<UsageError>([&] { write({{"label", {0.5}}}); }), HasSubstr("label"));
    EXPECT_THROW(write({{"a", {0.5, 0.6}}}), UsageError);
    EXPECT_THROW(write({{"a", {-0.5, 0.6}}}), UsageError);
    EXPECT_THROW(write({{"a", {0.5, std::nan("")}}}), UsageError);
    EXPECT_EQ(folder.fileCount(), 0U);
}

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

/// The mean position of all pixels of a colour left of the legend.
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
    const std::size_t plot = 730;  // the legend begins after it
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
    // Less than three powers of ten on the x axis, but more on the y axis.
    EXPECT_THAT(round, AllOf(HasSubstr(">200<"), HasSubstr(">500<"), HasSubstr(">1000<"),
                             HasSubstr(">0.1 s<"), HasSubstr(">10 s<"), Not(HasSubstr(">2 s<"))));
    wanted.xTicks = {128, 4090, 4096};
    writeLineChart(folder / "a.svg", series, wanted);
    // A label too close to the previous one is left out.
    EXPECT_THAT(readFile(folder / "a.svg"), AllOf(HasSubstr(">128<"), HasSubstr(">4090<"),
                                                  Not(HasSubstr(">4096<")), Not(HasSubstr(">200<"))));
}

TEST(LineChart, LinearAxesBeginAtZero) {
    const TemporaryFolder folder;
    LineChartOptions wanted = lineOptions();
    wanted.isLinear = true;
    writeLineChart(folder / "a.png", {{"first", {{0, 0}}}, {"second", {{100, 10}}}, {"third", {{200, 20}}}},
                   wanted);
    const Picture picture(folder / "a.png");
    const std::size_t plot = 730;
    const Point first = middleOf(picture, seriesColor(0), plot);
    const Point second = middleOf(picture, seriesColor(1), plot);
    const Point third = middleOf(picture, seriesColor(2), plot);
    EXPECT_NEAR(third.x - second.x, second.x - first.x, 5) << "the frame covers half of the first mark";
    EXPECT_NEAR(second.y - third.y, first.y - second.y, 5);
    writeLineChart(folder / "a.svg", {{"first", {{100, 10}, {200, 20}}}}, wanted);
    EXPECT_THAT(readFile(folder / "a.svg"),
                AllOf(HasSubstr(">0 s<"), HasSubstr(">5 s<"), HasSubstr(">15 s<"), HasSubstr(">150<")));
    EXPECT_THAT(messageOf<UsageError>([&] {
                    writeLineChart(folder / "b.svg", {{"the series", {{-1, 1}}}}, wanted);
                }),
                AllOf(HasSubstr("the series"), HasSubstr("below 0 on a linear axis")));
}

TEST(LineChart, PanelsShareALegendAndLogarithmicAxes) {
    const TemporaryFolder folder;
    const auto panel = [](const std::string& heading, double time) {
        return LinePanel{.heading = heading,
                         .xLabel = "atoms",
                         .series = {{.name = "cpu", .points = {{10, time}, {20, 2 * time}}}}};
    };
    const auto draw = [&](std::vector<LinePanel> panels, bool isLinear) {
        LineChartOptions wanted = lineOptions();
        wanted.isLinear = isLinear;
        writeLinePanels(folder / "a.svg", std::move(panels), wanted);
        return readFile(folder / "a.svg");
    };
    const auto count = [](const std::string& svg, const std::string& text) {
        std::size_t found = 0;
        for (std::size_t at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1)) ++found;
        return found;
    };
    const std::vector<LinePanel> panels{panel("short", 1), panel("long", 1000), panel("empty", 1)};
    std::vector<LinePanel> two = panels;
    two.back().series.front().points.clear();
    const std::string shared = draw(two, false);
    EXPECT_EQ(count(shared, ">cpu<"), 1U);
    EXPECT_EQ(count(shared, ">1000 s<"), 2U) << "a tick of both";
    EXPECT_THAT(shared, AllOf(HasSubstr(">short<"), HasSubstr(">long<"), Not(HasSubstr(">empty<"))));
    EXPECT_EQ(count(draw(two, true), ">1000 s<"), 1U) << "linear axes are each panel's own";
    EXPECT_THROW(draw({LinePanel{}}, false), UsageError);
}

// Dashes and hollow marks tell apart what has the same colour.
TEST(LineChart, DashesAndHollowMarks) {
    const TemporaryFolder folder;
    const auto inked = [&](bool isDashed, bool isHollow) {
        writeLineChart(folder / "a.png",
                       {{.name = "a",
                         .points = {{10, 1}, {1000, 100}},
                         .isHollow = {isHollow, isHollow},
                         .isDashed = isDashed}},
                       lineOptions());
        return Picture(folder / "a.png").count(seriesColor(0));
    };
    EXPECT_LT(inked(true, false), inked(false, false));
    EXPECT_LT(inked(false, true), inked(false, false));
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
    // The margin far exceeds the differences outside the cell's 32 × 24 pixels.
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

/// An SVG's title of each bar, part, cell and point, which a browser shows under the pointer.
TEST(Charts, AnSvgHasItsValues) {
    const TemporaryFolder folder;
    const fs::path path = folder / "a.svg";
    const auto hasValues = [&](const std::vector<std::string>& values) {
        const std::string svg = readFile(path);
        for (const std::string& value : values)
            EXPECT_THAT(svg, HasSubstr("pointer-events=\"all\"><title>" + value + "</title></rect>"));
        std::size_t count = 0;
        for (std::size_t at = svg.find("<title>"); at != svg.npos; at = svg.find("<title>", at + 1)) ++count;
        EXPECT_EQ(count, values.size());
    };
    writeBarChart(path, kSeries, {{"a", {{10, "", ValueRange{9, 11}}, {{}, "not measured"}}}}, barOptions());
    hasValues({"a, first: 10 (9 … 11)"});
    writeShareChart(path, kSeries, {{"a", {0.25, 0.75}, "1 s"}, {"c", {}, "", "not run"}}, barOptions());
    hasValues({"a, first: 25 % of 1 s", "a, second: 75 % of 1 s"});
    writeCellChart(path, {"row"}, {"one", "other", "none"},
                   {{kEqual, {CellKind::Near, "≈", "within 1e-6"}, ChartCell{}}}, {});
    hasValues({"row, one: =", "row, other: within 1e-6"});
    writeCascadeChart(path, {{"program", {0.5, 1}, 0.5}}, {.title = "title", .yLabel = "efficiency"});
    hasValues({"program, platform 1: efficiency 100 %, harmonic mean so far 100 %",
               "program, platform 2: efficiency 50 %, harmonic mean so far 66.7 %"});
    writeLineChart(path, {{"cpu & gl", {{128, 10}}, {{1, 100}}}}, lineOptions());
    hasValues({"cpu &amp; gl; atoms: 128; 10 s (1 s … 100 s)"});
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

// ---- Graphs: positions by Graphviz, and the drawing.

/// A wheel, a separate chain, and an isolated node.
std::vector<NodeLink> links() {
    std::vector<NodeLink> result;
    for (std::size_t spoke = 1; spoke < 12; ++spoke) result.push_back({0, spoke});
    for (std::size_t n = 12; n < 19; ++n) result.push_back({n, n + 1});
    return result;
}
std::vector<NodeSize> sizes() {
    std::vector<NodeSize> result(21, {40, 24});
    result[0] = {90, 50};
    return result;
}

TEST(GraphLayout, NoNodeLiesAboveAnother) {
    const std::vector<NodeSize> nodes = sizes();
    const std::vector<Point> places = layOutGraph(nodes, links());
    ASSERT_EQ(places.size(), nodes.size());
    for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const bool isApart =
                std::abs(places[a].x - places[b].x) >= (nodes[a].width + nodes[b].width) / 2 - 0.1 ||
                std::abs(places[a].y - places[b].y) >= (nodes[a].height + nodes[b].height) / 2 - 0.1;
            EXPECT_TRUE(isApart) << a << " and " << b;
        }
}

TEST(GraphLayout, LinkedNodesAreNearAndPlacesAreTheSameEachTime) {
    const std::vector<Point> places = layOutGraph(sizes(), links());
    const auto distance = [&](std::size_t a, std::size_t b) {
        return std::hypot(places[a].x - places[b].x, places[a].y - places[b].y);
    };
    // The ends of a chain of eight are farther apart than neighbours.
    for (std::size_t n = 12; n < 19; ++n) EXPECT_LT(distance(n, n + 1), distance(12, 19) / 2);
    const std::vector<Point> again = layOutGraph(sizes(), links());
    for (std::size_t n = 0; n < places.size(); ++n) {
        EXPECT_EQ(places[n].x, again[n].x);
        EXPECT_EQ(places[n].y, again[n].y);
    }
    EXPECT_TRUE(layOutGraph({}, {}).empty());
    EXPECT_EQ(layOutGraph(std::vector<NodeSize>(1, {10, 10}), {}).size(), 1U);
}

/// Pictures in which the second of two groups of one colour has each of the rounds.
template <class Draw>
void expectRoundsToDiffer(const Draw& draw) {
    const TemporaryFolder folder;
    std::vector<Picture> pictures;
    for (std::size_t round = 0; round < kRounds; ++round) {
        draw(folder / "a.png", round);
        pictures.emplace_back(folder / "a.png");
        for (std::size_t k = 0; k < round; ++k) EXPECT_FALSE(pictures[k] == pictures[round]) << k << round;
    }
}

TEST(ScatterPlot, GroupsOfOneColourHaveMarkers) {
    constexpr Color kGroup{1, 200, 77};
    expectRoundsToDiffer([&](const fs::path& path, std::size_t round) {
        writeScatterPlot(path, {.points = {{0, 0}, {1, 1}}, .signs = {{kGroup}, {kGroup, round}}});
    });
    expectRoundsToDiffer([&](const fs::path& path, std::size_t round) {
        writeScatterPlot(path,
                         {.points = {{0, 0}, {1, 1}}, .key = {{"first", kGroup}, {"second", kGroup, round}}});
    });
}

/// Words of an SVG file: where they begin and how long they are, in pixels.
struct SvgText {
    double x = 0, y = 0, length = 0;
};

SvgText textIn(const std::string& svg, const std::string& text) {
    const std::size_t end = svg.find(">" + text + "</text>");
    if (end == svg.npos) throw std::runtime_error("no text: " + text);
    const std::string tag = svg.substr(svg.rfind("<text", end), end - svg.rfind("<text", end));
    SvgText found;
    std::sscanf(tag.c_str() + tag.find("translate("), "translate(%lf %lf)", &found.x, &found.y);
    std::sscanf(tag.c_str() + tag.find("textLength="), "textLength=\"%lf\"", &found.length);
    if (tag.find("middle") != tag.npos) found.x -= found.length / 2;
    return found;
}

TEST(ScatterPlot, NamesKeepApartAndWithinThePlot) {
    const TemporaryFolder folder;
    // Three points in one place, and one at the right border.
    const std::string longName(40, 'm');
    writeScatterPlot(folder / "a.svg", {.points = {{0, 0}, {0, 0}, {0, 0}, {1, 1}},
                                        .names = {"one of three", "two of three", "all three", longName}});
    const std::string svg = readFile(folder / "a.svg");
    const std::string names[] = {"one of three", "two of three", "all three"};
    for (const std::string& a : names)
        for (const std::string& b : names) {
            const SvgText first = textIn(svg, a), second = textIn(svg, b);
            const bool isApart = first.x + first.length <= second.x || second.x + second.length <= first.x ||
                                 std::abs(first.y - second.y) >= 8;
            EXPECT_EQ(isApart, a != b) << a << ", " << b;
        }
    constexpr double kPlotEnd = 28 + 84 + 600;
    EXPECT_THAT(svg, Not(HasSubstr(longName))) << "longer than 240 pixels";
    const std::size_t cut = svg.find("mmm…");
    ASSERT_NE(cut, svg.npos);
    const std::size_t begin = svg.rfind('>', cut) + 1;
    const SvgText shortened = textIn(svg, svg.substr(begin, svg.find('<', cut) - begin));
    EXPECT_LE(shortened.length, 240);
    EXPECT_LE(shortened.x + shortened.length, kPlotEnd);
    EXPECT_GT(shortened.x, kPlotEnd - 300);
}

TEST(GraphPicture, LongNamesAreShortenedAndLinesEndAtNames) {
    const TemporaryFolder folder;
    const std::string longName(80, 'm');
    const auto draw = [&](const char* name, double weight) {
        writeGraphPicture(folder / name, {{longName}, {"middle"}, {"end"}}, {{0, 1, 1}, {1, 2, weight}},
                          {.weightKind = "distance"});
    };
    draw("a.svg", 1);
    const std::string svg = readFile(folder / "a.svg");
    EXPECT_THAT(svg, AllOf(Not(HasSubstr(longName)), HasSubstr("mmm…mmm"), HasSubstr(">distance 1.00<")));
    draw("b.svg", 2);
    EXPECT_THAT(readFile(folder / "b.svg"), HasSubstr(">distance from 1.00 to 2.00<"));
    // After the lines, each name gets a white background.
    const std::size_t line = svg.rfind("stroke:rgb(69");
    ASSERT_NE(line, svg.npos);
    std::size_t backgrounds = 0;
    for (std::size_t at = line; (at = svg.find("fill:rgb(100%,100%,100%)", at)) != svg.npos; ++at)
        ++backgrounds;
    EXPECT_EQ(backgrounds, 3U);
}

TEST(GraphPicture, GroupsOfOneColourHaveMarkers) {
    constexpr Color kGroup{1, 200, 77};
    expectRoundsToDiffer([&](const fs::path& path, std::size_t round) {
        writeGraphPicture(path,
                          {{"first", false, GroupSign{kGroup}}, {"second", false, GroupSign{kGroup, round}}},
                          {{0, 1, 1}}, {.nodeKind = "instance"});
    });
}

TEST(GraphPicture, ShowsNodesEdgesAndWhatTheyMean) {
    const TemporaryFolder folder;
    const std::vector<GraphNode> nodes{{"a<b>", true}, {"second"}, {"third"}};
    const GraphPictureOptions options{.title = "a title",
                                      .footer = {"a line"},
                                      .nodeKind = "gene",
                                      .markedKind = "regulator",
                                      .weightKind = "score",
                                      .isDirected = true};
    writeGraphPicture(folder / "g.svg", nodes, {{0, 1, 0.25}, {0, 2, 1.5}}, options);
    const std::string svg = readFile(folder / "g.svg");
    EXPECT_THAT(svg, AllOf(HasSubstr("a&lt;b>"), HasSubstr("second"), HasSubstr("a title"),
                           HasSubstr("a line"), HasSubstr("regulator"), HasSubstr("gene (area: its edges)"),
                           HasSubstr("score from 0.250 to 1.50")));
    writeGraphPicture(folder / "again.svg", nodes, {{0, 1, 0.25}, {0, 2, 1.5}}, options);
    EXPECT_EQ(readFile(folder / "again.svg"), svg);
    // Without a marked node, the key does not name them; an undirected edge has no arrowhead.
    writeGraphPicture(folder / "plain.svg", {{"first"}, {"second"}}, {{0, 1, 1}},
                      {.markedKind = "regulator"});
    EXPECT_THAT(readFile(folder / "plain.svg"), Not(HasSubstr("regulator")));
    for (const char* name : {"g.png", "g.pdf"}) {
        writeGraphPicture(folder / name, nodes, {{0, 1, 1}}, options);
        EXPECT_GT(readFile(folder / name).size(), 1000U);
    }
    // An empty graph also makes a picture.
    writeGraphPicture(folder / "empty.svg", {}, {}, options);
    EXPECT_THAT(readFile(folder / "empty.svg"), HasSubstr("a title"));
}

}  // namespace
}  // namespace glycine::picture
