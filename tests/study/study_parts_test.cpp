// Parts of a study: its folder, its visits, its documents, options of configurations.
#include "engine/study/configuration_options.hpp"
#include "engine/study/reports/document.hpp"
#include "engine/study/reports/study_charts.hpp"
#include "engine/study/statistics.hpp"
#include "engine/study/study_folder.hpp"
#include "engine/study/study_steps.hpp"
#include "tests/study/fake_subject.hpp"
#include "tests/study/markup_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::study {
namespace {

class StudyFolderTest : public ::testing::Test {
  protected:
    StudyFolder open(bool restart = false) const {
        return StudyFolder(folder.path(), "version: 1\n", {"first", "second"}, restart);
    }
    std::string refusal() const {
        return messageOf<UsageError>([this] { open(true); });
    }

    TemporaryFolder folder;
    std::filesystem::path step = folder / "steps/first.json";
};

TEST_F(StudyFolderTest, GoesOnWhereItWas) {
    open().keep(0, {{"seconds", 1}});
    StudyFolder again = open();
    EXPECT_TRUE(again.isDone(0));
    EXPECT_FALSE(again.isDone(1));
    EXPECT_EQ(again.load(0)["seconds"], 1);
}

TEST_F(StudyFolderTest, FilesOfTheUserAreRefusedAndUntouched) {
    std::filesystem::create_directory(folder / "steps");
    writeFile(step, "my notes");
    EXPECT_THAT(refusal(),
                HasSubstr("first.json is there already, and no journal of a stopped study lists it"));
    EXPECT_EQ(readFile(step), "my notes");
    EXPECT_FALSE(std::filesystem::exists(folder / "steps/journal"));
}

TEST_F(StudyFolderTest, LinksAreNotFollowed) {
    open().keep(0, {{"seconds", 1}});
    writeFile(folder / "victim", "the user's");
    std::filesystem::remove(step);
    std::filesystem::create_symlink(folder / "victim", step);
    EXPECT_THAT(refusal(), HasSubstr("first.json is a symbolic link"));
    std::filesystem::remove(step);
    StudyFolder running = open();
    std::filesystem::create_symlink(folder / "victim", step);
    EXPECT_THROW(running.keep(0, {{"seconds", 2}}), UsageError);
    EXPECT_EQ(readFile(folder / "victim"), "the user's");
}

// ---- Whole commands

Json wholeRow(const std::string& backend, double kernel) {
    Json row{{"algorithm", "fake"}, {"name", "all pairs"}, {"backend", backend}};
    row["device"] = {{"backend", backend}, {"device", backend == "gl" ? "llvmpipe" : "a processor"}};
    for (const std::string_view group : kEndToEndGroups) row["groups"][std::string(group)] = 0.5;
    row["groups"]["kernel"] = kernel;
    row["copy"] = {{"bytes", 10}, {"seconds", 0.25}};
    return row;
}

TEST(WholeRuns, HaveAChartOfTheirShares) {
    StudyReport report;
    report.steps.push_back({.id = "commands-fake", .kind = "commands", .algorithm = "fake", .isDone = true});
    report.steps.back().result["rows"] = {wholeRow("cpu", 4.5), wholeRow("gl", 0.5)};
    report.steps.back().result["rows"].push_back(
        {{"algorithm", "fake"}, {"name", "all pairs"}, {"backend", "cuda"}, {"skipped", "none here"}});
    const std::vector<EndToEndTimes> rows = report.endToEndRuns();
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].wall(), 8);
    EXPECT_EQ(rows[0].copySeconds, 0.25);
    EXPECT_FALSE(rows[0].isSoftware);
    EXPECT_TRUE(rows[1].isSoftware);
    EXPECT_EQ(rows[2].skipped, "none here");
    const TemporaryFolder folder;
    const std::vector<DocumentChart> charts = endToEndCharts(folder.path(), "fake", report);
    ASSERT_EQ(charts.size(), 1U);
    EXPECT_EQ(charts[0].name, "commands-fake");
    EXPECT_EQ(charts[0].data.head.at(4), "kernel s");
    EXPECT_EQ(charts[0].data.rows.size(), 2U);
    EXPECT_THAT(charts[0].data.rows[0], testing::ElementsAre("all pairs", "cpu", "8", "0.25", "4.5", "0.5",
                                                             "0.5", "0.5", "0.5", "0.5", "0.5", "0.5"));
    for (const char* text : {"all pairs, cpu", "all pairs, gl (software renderer)", "not run: none here",
                             "8.00 s", "4.00 s", "kernel"})
        EXPECT_THAT(charts[0].svg, HasSubstr(">" + std::string(text) + "</text>"));
    EXPECT_TRUE(endToEndCharts(folder.path(), "other", report).empty());
    report.steps.back().result["rows"][0]["groups"].erase("kernel");
    EXPECT_THAT(messageOf<InputError>([&] { report.endToEndRuns(); }),
                HasSubstr("at /steps/0/result/rows/0: key 'kernel' not found"));
}

TEST(WholeRuns, OfABackendThatIsWrongAreNotTimed) {
    test::registerFakeSubject();
    StudyStep step{.id = "validation-fake", .kind = StepKind::Validation};
    step.subject = SubjectRegistry::instance().subjects().front().get();
    const auto row = [](const std::string& backend, const std::string& variant, bool agrees) {
        return Json{{"backend", backend}, {"variant", variant}, {"agrees", agrees}, {"inputs", 2}};
    };
    StudyFindings findings(1, {});
    findings.take(
        step, {{"rows", {row("cpu", "quick", true), row("cpu", "wrong", false), row("gl", "packed", true)}}});
    EXPECT_EQ(findings.refusalOfCommands(step, "cpu"), "cpu/wrong disagrees with the reference");
    EXPECT_EQ(findings.refusalOfCommands(step, "gl"), "");
    EXPECT_EQ(findings.refusalOfCommands(step, "cp"), "");
}

// ---- Several visits to a measurement: only their medians count as independent.

using Samples = std::vector<double>;

TEST(Visits, TheirMediansAreIndependentAndNotTheirSamples) {
    // The samples of each visit agree closely, but the visits differ.
    const Statistics all = summarizeVisits(
        {{1.00, 1.01, 1.02}, {1.20, 1.21, 1.22}, {0.90, 0.91, 0.92}, {1.1, 1.1, 1.1}, {1, 1, 1}});
    EXPECT_EQ(all.count, 15u);
    EXPECT_EQ(all.minimum, 0.9);
    EXPECT_EQ(all.maximum, 1.22);
    EXPECT_EQ(all.median, 1.01);
    EXPECT_EQ(all.interval.low, 0.91) << "of five medians the smallest …";
    EXPECT_EQ(all.interval.high, 1.21) << "… and the largest";
    EXPECT_DOUBLE_EQ(all.interval.confidence, 0.9375);
    EXPECT_EQ(all.visits, (std::vector<std::size_t>{3, 3, 3, 3, 3}));
    EXPECT_EQ(statisticsFrom(toJson(all)).visits, all.visits);
    Json damaged = toJson(all);
    damaged["visits"] = {3, 3, 3, 3, 4};
    EXPECT_EQ(messageOf<InputError>([&] { statisticsFrom(damaged); }),
              "the report says 16 samples of measured times in all visits, but lists 15");
}

TEST(Visits, FewOfThemOnlyWidenTheInterval) {
    const Statistics one = summarizeVisits({{}, {1, 2, 3}});
    EXPECT_EQ(one.interval.low, 1);
    EXPECT_EQ(one.interval.high, 3);
    EXPECT_TRUE(one.visits.empty());
    const Statistics two = summarizeVisits({{1.0, 1.1, 1.2, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1}, {3}});
    EXPECT_EQ(two.interval.high, 3) << "the other visit's median is in it";
    EXPECT_LE(two.interval.low, 1.1);
    EXPECT_EQ(summarizeVisits({}).count, 0u);
}

Json jsonRow(const char* variant, std::size_t size, const Samples& seconds, double share = 0) {
    Json json{{"size", size},       {"dimensions", {{{"name", "items"}, {"extent", size}}}},
              {"items", size},      {"backend", "cpu"},
              {"variant", variant}, {"numberFormat", "f"}};
    json["verified"] = true;
    const Statistics statistics = summarize(seconds);
    json["seconds"]["total"] = toJson(statistics);
    json["rates"]["total"] = {{"best", 6 / statistics.minimum}, {"median", 6 / statistics.median}};
    if (share > 0) json["ceiling"] = {{"share", share}};
    json["ratioToFirst"] = 1.0;
    return json;
}

Json jsonReport(std::vector<Json> rows, const char* busy = "", double others = 0) {
    return {{"rows", std::move(rows)},
            {"load", {{"othersDuring", others}}},
            {"noise", {{"loop", 0.0}}},
            {"busy", busy}};
}

TEST(Visits, AreMergedRowByRow) {
    Json first =
        jsonReport({jsonRow("a", 1, {4, 4, 4}, 0.5), jsonRow("b", 1, {2, 2, 2}), jsonRow("a", 2, {8, 8, 8})});
    mergeVisit(first, jsonReport({jsonRow("b", 1, {3, 3}), jsonRow("a", 1, {2, 2}, 0.75)}, "others", 0.5));
    mergeVisit(first, jsonReport({jsonRow("b", 1, {2, 2}), jsonRow("a", 1, {6, 6}, 0.4)}));
    const Json& a = first["rows"][0];
    EXPECT_EQ(a["seconds"]["total"]["samples"], (Samples{4, 4, 4, 2, 2, 6, 6}));
    EXPECT_EQ(a["seconds"]["total"]["interval"], (Samples{2, 6}));
    EXPECT_EQ(a["seconds"]["total"]["median"], 4.0);
    EXPECT_EQ(a["rates"]["total"], (Json{{"best", 3.0}, {"median", 1.5}}));
    EXPECT_EQ(a["ceiling"]["share"], 0.75);
    const Json& b = first["rows"][1];
    EXPECT_EQ(b["ratioToFirst"], 1.0) << "both have taken two seconds at least";
    EXPECT_EQ(b["ratioInterval"], (Samples{2.0 / 3, 3})) << "4/2, 2/3 and 6/2";
    EXPECT_EQ(b["ratioUndecided"], true);
    EXPECT_FALSE(first["rows"][2]["seconds"]["total"].contains("visits")) << "no visit had it";
    EXPECT_EQ(first["busy"], "others") << "of one visit, and so of all";
}

TEST(Visits, WhatOneFindsWrongHasNoTime) {
    Json first = jsonReport({jsonRow("a", 1, {4, 4, 4}, 0.5), jsonRow("b", 1, {2, 2, 2})});
    Json wrong = jsonRow("a", 1, {4, 4});
    wrong["verified"] = false;
    wrong["check"] = "differs";
    wrong.erase("seconds");
    mergeVisit(first, jsonReport({wrong, jsonRow("b", 1, {2, 2})}));
    EXPECT_FALSE(first["rows"][0].contains("seconds"));
    EXPECT_FALSE(first["rows"][0].contains("ceiling"));
    EXPECT_EQ(first["rows"][0]["check"], "differs (in a later visit)");
    EXPECT_EQ(first["rows"][1]["ratioToFirst"], 0.0) << "the first of its size has no time any more";
    EXPECT_EQ(first["rows"][1]["seconds"]["total"]["count"], 5);
}

Document sample() {
    Document document{"A < B & \"C\""};
    document.section("First <section>");
    document.paragraph("5 > 3 | a_b");
    document.warning("<script>alert(1)</script>");
    document.table("Caption", {{"name", "value"}, {{"x,y", "1"}, {"quote\"", "<2>"}}, {false, true}},
                   "numbers");
    document.table("Nothing", {{"name"}});
    document.chart(
        {"one",
         "Title",
         "Caption.",
         "<?xml version=\"1.0\"?>\n<svg><g id=\"a\"/><use xlink:href=\"#a\"/><path fill=\"url(#a)\"/></svg>",
         {{"x"}, {{"1"}}}});
    document.chart({"two", "Title", "", "<svg><g id=\"a\"/></svg>", {{"x"}, {{"1"}}}});
    return document;
}

TEST(StudyDocument, HtmlIsWellFormedAndNeedsNothingElse) {
    const std::string html = toHtml(sample());
    EXPECT_EQ(test::firstMarkupFault(html), "");
    EXPECT_EQ(test::firstReference(html), "");
    EXPECT_THAT(html, AllOf(HasSubstr("&lt;script&gt;"), HasSubstr("A &lt; B &amp; &quot;C&quot;"),
                            HasSubstr("<td class=\"number\" data-value=\"2\">&lt;2&gt;</td>"),
                            Not(HasSubstr("Nothing")), Not(HasSubstr("<?xml"))));
    // Two charts with the same internal names.
    EXPECT_THAT(html, AllOf(HasSubstr("id=\"one-a\""), HasSubstr("href=\"#one-a\""), HasSubstr("url(#one-a)"),
                            HasSubstr("id=\"two-a\"")));
}

TEST(StudyDocument, TheChecksFindFaults) {
    EXPECT_EQ(test::firstMarkupFault("<a><b></a></b>"), "</a> ends <b>");
    EXPECT_EQ(test::firstMarkupFault("<a><b></b>"), "<a> has no end");
    EXPECT_NE(test::firstMarkupFault("<a>1 > 2</a>"), "");
    EXPECT_EQ(test::firstMarkupFault("<a x=\">\"/>"), "");
    EXPECT_NE(test::firstReference("<img src=\"x\" />"), "");
    EXPECT_EQ(test::firstReference("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), "");
}

TEST(StudyDocument, MarkdownAndCsv) {
    const std::string text = toMarkdown(sample());
    EXPECT_THAT(
        text, AllOf(HasSubstr("## First \\<section>"), HasSubstr("5 > 3 \\| a\\_b"), HasSubstr("| x,y | 1 |"),
                    HasSubstr("|---|--:|"), HasSubstr("![Title](charts/one.svg)")));
    EXPECT_EQ(toCsv({{"name", "value"}, {{"x,y", "1"}, {"quote\"", "2"}}}),
              "name,value\n\"x,y\",1\n\"quote\"\"\",2\n");
}

}  // namespace
}  // namespace glycine::study

namespace glycine::study::test {
namespace {

// ---- The configurations of validate and bench, as selected by their options.

/// Two backends with variants.
struct TwoBackends final : Algorithm {
    TwoBackends()
        : Algorithm(
              "twice", "", "",
              []() -> std::vector<VariantInfo> {
                  return {{"reference", "serial", "", "", {"float32"}, {}, true},
                          {"cpu", "fast", "", "", {"float32", "float64"}, {}, true},
                          {"cpu", "slow", "", "", {"float32"}, {}, false}};
              },
              [](Backend&, const Configuration&, const Dimensions&) { return Support::yes(); }) {}
};

class ConfigurationOptions : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { registerFakeBackends(); }
    static std::vector<std::string> labels(const std::vector<Configuration>& configurations) {
        std::vector<std::string> result;
        for (const Configuration& configuration : configurations) result.push_back(configuration.label());
        return result;
    }
    std::vector<std::string> compare(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& formats = {}) {
        Options options;
        StudyOptions chosen;
        addValidationOptions(options, chosen, algorithm_);
        options.parse(arguments);
        return labels(configurationsToCompare(options, chosen, algorithm_, formats));
    }
    std::vector<std::string> time(const std::vector<std::string>& arguments, bool leavesVariant = false) {
        Options options;
        StudyOptions chosen;
        addTimingOptions(options, chosen, algorithm_, leavesVariant);
        options.parse(arguments);
        return labels(configurationsToTime(options, chosen, algorithm_, leavesVariant, {"float32"}));
    }
    TwoBackends algorithm_;
};

TEST_F(ConfigurationOptions, CompareEverythingButTheReference) {
    EXPECT_THAT(compare({}),
                ElementsAre("cpu/fast float32", "cpu/fast float64", "cpu/slow float32", "gl", "cuda"));
    EXPECT_THAT(compare("--backend reference,cpu --variant slow,serial"_args),
                ElementsAre("reference/serial float32", "cpu/slow float32"));
    EXPECT_THAT(compare("--precision float64 --backend cpu"_args), ElementsAre("cpu/fast float64"));
    EXPECT_THROW(compare("--variant quick"_args), UsageError);
    EXPECT_THROW(compare("--dialects hlsl"_args), UsageError);
    EXPECT_THROW(compare("--backend reference --threads 2"_args), UsageError);
    EXPECT_THROW(compare("--dialect es300"_args), UsageError) << "--dialects stands for it";
}

TEST_F(ConfigurationOptions, CompareInTheFormatsThatTheInputHas) {
    EXPECT_THAT(compare("--backend cpu"_args, {"float64"}), ElementsAre("cpu/fast float64"));
    EXPECT_THAT(compare("--backend cpu --precision float32,float64"_args, {"float64"}),
                ElementsAre("cpu/fast float64"));
    try {
        compare("--precision float32"_args, {"float64"});
        FAIL() << "nothing was thrown";
    } catch (const UsageError& error) {
        EXPECT_THAT(
            error.what(),
            HasSubstr("nothing to compare: --precision float32 is not what the input holds, float64"));
    }
}

TEST_F(ConfigurationOptions, TimeWhatWasNamed) {
    EXPECT_THAT(time({}), ElementsAre("cpu/fast float32", "gl", "cuda"));
    EXPECT_THAT(time({}, true), ElementsAre("cpu/default float32", "gl", "cuda"));
    EXPECT_THAT(time("--variant serial"_args), ElementsAre("reference/serial float32"));
    EXPECT_THAT(time("--variant slow,fast"_args, true), ElementsAre("cpu/slow float32", "cpu/fast float32"));
    EXPECT_THAT(time("--backend reference,cpu"_args, true),
                ElementsAre("reference/default float32", "cpu/default float32"));
    EXPECT_THROW(time("--backend cpu --dialect es300"_args), UsageError);
    EXPECT_THROW(time("--repeats 0"_args), UsageError);
}

}  // namespace
}  // namespace glycine::study::test
