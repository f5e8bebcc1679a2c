// Charts of published figures, drawn from reports made by hand, and occupancy as NVIDIA's calculator gives
// it.
#include "engine/study/figure_charts.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/occupancy.hpp"
#include "tests/test.hpp"

namespace glycine::study {
namespace {

/// A figure with rows a, b and c of two problems each, whose keys are "a 0" … "c 1".
PublishedFigure figureWith(const Json& charts) {
    PublishedFigure figure;
    figure.id = "paper-figure-1";
    figure.title = "Figure 1";
    figure.rows = [](Scale) {
        std::vector<PublishedRow> rows;
        for (const std::size_t problem : {0, 1})
            for (const char* method : {"a", "b", "c"}) {
                PublishedRow& row = rows.emplace_back();
                row.method = method;
                row.problem = problem;
                row.key = fmt::format("{} {}", method, problem);
            }
        rows[0].paperSeconds = 8;  // a 0
        rows[1].paperSeconds = 2;  // b 0
        rows[4].over = "a 1";
        rows[4].paperFactor = 3.5;
        return rows;
    };
    figure.charts = [charts](Scale) { return charts; };
    return figure;
}

Json rowOfReport(const std::string& method, double seconds) {
    Json row = Json::parse(R"({"stage": "", "verified": true})");
    row["method"] = method;
    if (seconds > 0) row["seconds"]["median"] = seconds;
    return row;
}

/// Rows in the order of an older version, which had no row c.
Json reportOf(const std::vector<Json>& rows) {
    Json report = Json::parse(R"({
        "scale": "published", "scaled": "as published", "source": "A. Author, A paper, 2001", "claims": [],
        "environment": {"build": "glycine 1", "processor": "a processor"},
        "devices": [{"backend": "gl", "device": "a card"}]
    })");
    report["rows"] = rows;
    return report;
}

Json barsOf(const char* points) {
    Json chart = Json::parse(R"({"kind": "bars", "panels": [{}]})");
    chart["panels"][0]["points"] = Json::parse(points);
    return chart;
}

using Lines = std::vector<std::vector<std::string>>;

class FigureCharts : public testing::Test {
  protected:
    DocumentChart draw(const Json& chart, const std::vector<Json>& rows) {
        const std::vector<DocumentChart> drawn =
            figureCharts(figureWith(Json::array({chart})), reportOf(rows), folder_.path());
        return drawn.empty() ? DocumentChart{} : drawn.front();
    }
    const TemporaryFolder folder_;
    std::vector<Json> rows_{rowOfReport("a", 4), rowOfReport("b", 1), rowOfReport("a", 16),
                            rowOfReport("b", 2)};
};

TEST_F(FigureCharts, LinesHaveThePublishedTimesNextToTheMeasuredOnes) {
    rows_[2]["extrapolated"] = "from smaller sizes";
    Json chart = Json::parse(R"({
        "kind": "lines", "x": "atoms",
        "panels": [{
            "heading": "left",
            "series": [
                {"name": "A", "points": [[10, "a 0"], [20, "a 1"]]},
                {"name": "C", "points": [[10, "c 0"], [20, "c 1"]]}
            ]
        }]
    })");
    const DocumentChart drawn = draw(chart, rows_);
    EXPECT_EQ(drawn.name, "paper-figure-1");
    EXPECT_EQ(drawn.data.rows,
              (Lines{{"left", "A", "10", "8", "4", ""}, {"left", "A", "20", "", "16", "yes"}}));
    EXPECT_THAT(drawn.svg,
                AllOf(HasSubstr(">Figure 1<"), HasSubstr(">left<"), HasSubstr(">atoms<"),
                      HasSubstr(">A, published<"), HasSubstr(">A, here<"), Not(HasSubstr(">C<")),
                      HasSubstr("Hollow: extrapolated"), HasSubstr("A. Author"), HasSubstr("gl: a card")));
    chart["linear"] = true;
    chart["panels"][0]["series"][0]["only"] = "published";
    EXPECT_THAT(draw(chart, rows_).svg, AllOf(HasSubstr(">A, published<"), Not(HasSubstr(">A, here<"))));
}

TEST_F(FigureCharts, SpeedUpsAreQuotients) {
    rows_[2]["rate"]["median"] = 5;
    rows_[3]["rate"]["median"] = 10;
    Json chart = Json::parse(R"({
        "kind": "bars", "y": "speed-up",
        "panels": [{
            "points": [
                ["small", ["a 0", "b 0"]], ["large", ["a 1", "b 1"]], ["other", ["b 1", "a 1"], 7],
                ["printed alone", null, 82]
            ]
        }]
    })");
    // 8 s over 2 s are printed as times, 3.5 as a factor.
    EXPECT_EQ(draw(chart, rows_).data.rows, (Lines{{"", "", "small", "4", "4", ""},
                                                   {"", "", "large", "3.5", "8", ""},
                                                   {"", "", "other", "7", "0.125", ""},
                                                   {"", "", "printed alone", "82", "", ""}}));
    chart["perWork"] = true;
    EXPECT_EQ(draw(chart, rows_).data.rows.front(),
              (std::vector<std::string>{"", "", "large", "3.5", "2", ""}));
}

TEST_F(FigureCharts, SharesAreOfTheStagesOrOfTheWhole) {
    const Json stages = Json::parse(
        R"({"kind": "shares", "parts": ["first", "second"], "points": [["ten atoms", ["a 0", "b 0"]]]})");
    EXPECT_EQ(draw(stages, rows_).data.rows, (Lines{{"", "first", "ten atoms", "0.8", "", ""},
                                                    {"", "second", "ten atoms", "0.2", "", ""},
                                                    {"", "first", "ten atoms", "", "0.8", ""},
                                                    {"", "second", "ten atoms", "", "0.2", ""}}));
    const Json rest = Json::parse(
        R"({"kind": "shares", "parts": ["first", "rest"], "points": [["all", ["b 1"], "a 1", [0.25, 0.75]]]})");
    EXPECT_EQ(draw(rest, rows_).data.rows, (Lines{{"", "first", "all", "0.25", "", ""},
                                                  {"", "rest", "all", "0.75", "", ""},
                                                  {"", "first", "all", "", "0.125", ""},
                                                  {"", "rest", "all", "", "0.875", ""}}));
}

TEST_F(FigureCharts, SayWhatIsNoGpuAndWhatIsWrong) {
    rows_[0]["softwareRenderer"] = "llvmpipe";
    rows_[1] = rowOfReport("b", 0);
    rows_[1]["verified"] = false;
    const Json chart = barsOf(R"([["A", "a 0"], ["B", "b 0"], ["C", "c 0"]])");
    EXPECT_THAT(draw(chart, rows_).svg,
                AllOf(HasSubstr(">A, published<"), HasSubstr(">A (software renderer)<"),
                      HasSubstr(">wrong result: not timed<"), Not(HasSubstr(">C<"))));
}

TEST_F(FigureCharts, WithoutAValueAreNotDrawn) {
    const Json chart = barsOf(R"([["C", "c 0"], ["A", "a 1"]])");
    EXPECT_EQ(draw(chart, {}).svg, "");
    EXPECT_EQ(folder_.fileCount(), 0U);
    EXPECT_EQ(drawFirstChart(figureWith(Json::array({chart})), reportOf({}), folder_ / "a.png"),
              "paper-figure-1 was not measured, and the publication prints no time for it");
    EXPECT_EQ(drawFirstChart(figureWith(Json::array()), reportOf({}), folder_ / "a.png"),
              "paper-figure-1 has no picture");
    EXPECT_EQ(folder_.fileCount(), 0U);
    EXPECT_THROW(draw(barsOf(R"([["A", "none"]])"), {}), std::logic_error);
    EXPECT_THROW(draw(Json::parse(R"({"kind": "pie"})"), rows_), std::logic_error);
}

constexpr MultiprocessorLimits kGtx260{.warps = 32,
                                       .blocks = 8,
                                       .threads = 512,
                                       .registers = 16384,
                                       .registersPerThread = 124,
                                       .registerUnit = 512,
                                       .givesRegistersToBlocks = true,
                                       .warpUnit = 2,
                                       .sharedBytes = 16384,
                                       .sharedBlockBytes = 16384,
                                       .sharedUnit = 512};
constexpr MultiprocessorLimits kGtx580{.warps = 48,
                                       .blocks = 8,
                                       .threads = 1024,
                                       .registers = 32768,
                                       .registersPerThread = 63,
                                       .registerUnit = 64,
                                       .warpUnit = 2,
                                       .sharedBytes = 49152,
                                       .sharedBlockBytes = 49152,
                                       .sharedUnit = 128};

// What two publications took from NVIDIA's calculator.
TEST(Occupancy, IsThatOfThePublications) {
    EXPECT_EQ(occupancyOf(kGtx260, {256, 14, 28}), 1) << "thesis, 6.2: 4 blocks, 32 warps";
    EXPECT_NEAR(occupancyOf(kGtx580, {256, 24, 0}), 0.833, 5e-4) << "Martínez-Zarzuela et al., 4.1";
}

TEST(Occupancy, EndsAtEachLimit) {
    EXPECT_EQ(occupancyOf(kGtx260, {32, 1, 0}), 8.0 / 32) << "blocks";
    EXPECT_EQ(occupancyOf(kGtx260, {512, 1, 0}), 1);
    EXPECT_EQ(occupancyOf(kGtx260, {513, 1, 0}), 0) << "threads a block";
    EXPECT_EQ(occupancyOf(kGtx260, {256, 16, 0}), 1);
    EXPECT_EQ(occupancyOf(kGtx260, {256, 17, 0}), 24.0 / 32) << "3 blocks of 4,352 registers";
    EXPECT_EQ(occupancyOf(kGtx260, {256, 125, 0}), 0) << "registers a thread";
    EXPECT_EQ(occupancyOf(kGtx260, {256, 1, 4096}), 1);
    EXPECT_EQ(occupancyOf(kGtx260, {256, 1, 4097}), 24.0 / 32) << "3 blocks of 4,608 bytes";
    EXPECT_EQ(occupancyOf(kGtx260, {256, 1, 16385}), 0) << "shared memory";
    EXPECT_EQ(occupancyOf(kGtx260, {0, 1, 0}), 0);
}

}  // namespace
}  // namespace glycine::study
