// Openings of hand-made reports: the answer, then ratios, agreement, conditions.
#include "engine/study/reports/answer.hpp"

#include <fmt/format.h>

#include <regex>

#include "engine/core/embedded_files.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/reports/study_document.hpp"
#include "tests/study/hand_made_report.hpp"
#include "tests/study/markup_test_support.hpp"

namespace glycine::study::test {
namespace {

/// cpu/dense is exact and fastest, cpu/sparse and gl differ by rounding, the reference is timed.
Json sampleReport(double others = 0) {
    Json json = reportOf(
        "a machine",
        {{"cpu", "sparse", 3}, {"cpu", "dense", 1}, {"gl", "packed", 2}, {"reference", "serial", 40}},
        others);
    addValidation(json, {comparedRow("cpu", "dense"), comparedRow("cpu", "sparse", 1, 2.5e-7),
                         comparedRow("gl", "packed", 0, 9.5e-7)});
    return json;
}

std::vector<Answer> answersOf(const Json& json) {
    const StudyReport report = parsed(json);
    return study::answersOf(report.times(), report.comparisons());
}

/// Fails unless all texts are on the page, in this order.
void expectOrder(const std::string& page, const std::vector<std::string>& texts) {
    std::size_t last = 0;
    for (const std::string& text : texts) {
        const std::size_t at = page.find(text);
        ASSERT_NE(at, page.npos) << text;
        EXPECT_LE(last, at) << text << " comes too early";
        last = at;
    }
}

TEST(Answers, NameTheFastestItsRatiosAndItsAgreement) {
    const std::vector<Answer> answers = answersOf(sampleReport());
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].subject(), "x float32, 8 atoms");
    EXPECT_EQ(answers[0].text(),
              "Fastest here: cpu/dense, 1.00 s, 2 × over gl/packed, 40 × over "
              "reference/serial, agrees exactly.");
    ASSERT_TRUE(answers[0].second);
    EXPECT_EQ(answers[0].second->row.contender.application(), "gl/packed");
    EXPECT_TRUE(answers[0].cautions.empty());
}

TEST(Answers, SayWhatIsUndecidedAndHowFarResultsAgree) {
    // The intervals of both variants of cpu overlap.
    Json json = reportOf("a", {{"cpu", "sparse", 1}, {"cpu", "dense", 1.01}, {"gl", "packed", 2}});
    addValidation(json, {comparedRow("cpu", "sparse", 1, 2.5e-7)});
    EXPECT_EQ(answersOf(json)[0].text(),
              "Fastest here: cpu/sparse, 1.00 s, undecided (1.01 ×) against cpu/dense, 2 × over "
              "gl/packed, agrees to 2.5e-07 m.");
    // Without a validation, the check of the timed result is what is known.
    EXPECT_EQ(answersOf(reportOf("a", {{"cpu", "dense", 1}}))[0].text(),
              "Fastest here: cpu/dense, 1.00 s, the only backend with a time, verified: by hand.");
    EXPECT_TRUE(answersOf(reportOf("a", {{"cpu", "dense"}})).empty()) << "nothing has a time";
}

TEST(Answers, AreOfTheLargestInputThatSeveralBackendsHave) {
    Json json = reportOf("a", {{"cpu", "dense", 1}, {"gl", "packed", 2}});
    Json& rows = json["steps"][0]["result"]["rows"];
    const auto addSize = [&rows](int index, int atoms) {
        Json row = rows[static_cast<std::size_t>(index)];
        row["atoms"] = row["size"] = atoms;
        rows.push_back(row);
    };
    addSize(0, 16), addSize(1, 16), addSize(0, 32);
    const std::vector<Answer> all = answersOf(json);
    EXPECT_EQ(all.size(), 3U);
    const std::vector<Answer> headlines = headlinesOf(all);
    ASSERT_EQ(headlines.size(), 1U);
    EXPECT_EQ(headlines[0].subject(), "x float32, 16 atoms");
}

TEST(Answers, HaveABusyMachineNextToTheTimes) {
    const Answer answer = answersOf(sampleReport(0.1))[0];
    EXPECT_THAT(answer.text(),
                HasSubstr("agrees exactly (busy machine: times may be too long by up to 11 %)."));
    EXPECT_THAT(answer.cautions, ElementsAre("BUSY MACHINE: times may be too long by up to 11 %"));
    Json cut = sampleReport();
    cut["steps"][1]["result"]["rows"][1]["cutShort"] = "1 of 3 rounds";
    EXPECT_THAT(answersOf(cut)[0].cautions, ElementsAre("cpu/dense: 1 of 3 rounds"));
}

TEST(StudyPage, OpensWithTheAnswer) {
    const TemporaryFolder folder;
    const Document document = describeStudy(parsed(sampleReport()), folder.path());
    const std::string answer =
        "Fastest here: cpu/dense, 1.00 s, 2 × over gl/packed, 40 × over "
        "reference/serial, agrees exactly.";
    const std::string html = toHtml(document);
    EXPECT_THAT(
        html, HasSubstr("<h1>Glycine study: a machine</h1>\n<ul class=\"answers\">\n<li><strong>x float32, 8 "
                        "atoms.</strong> " +
                        answer + "</li>\n"));
    EXPECT_THAT(
        toMarkdown(document),
        StartsWith("# Glycine study: a machine\n\n- **x float32, 8 atoms.** " + answer +
                   "\n- **Agreement with the serial reference.** 3 configurations: 1 equal to the bit, 2 "
                   "within their tolerance, 0 wrong.\n\n## Ratios\n"));
    const Fields text = document.answers();
    ASSERT_EQ(text.size(), 2U);
    EXPECT_EQ(text[0], (std::pair<std::string, std::string>("x float32, 8 atoms", answer)));
}

TEST(StudyPage, HasRatiosThenAgreementThenConditions) {
    const TemporaryFolder folder;
    Json json = sampleReport(0.1);
    json["scale"] = "quick";
    json["steps"][0]["result"]["rows"].push_back(comparedRow("gl", "wrong", 0, 1, false));
    const Document document = describeStudy(parsed(json), folder.path());
    for (const std::string& page : {toHtml(document), toMarkdown(document)}) {
        const std::string body = page.substr(page.find("Fastest here"));
        expectOrder(body,
                    {"Fastest here: cpu/dense", "The fastest configuration on each input",
                     "The best configuration of each backend", "WRONG: gl/wrong", "All times of x",
                     "A quick study", "BUSY MACHINE during 1 step", "Every configuration computes inputs"});
        // Beside the figures it is a note; the warning comes after them.
        EXPECT_THAT(body, HasSubstr("BUSY MACHINE: times may be too long by up to 11 %"));
        EXPECT_EQ(page.find("BUSY MACHINE during"), page.rfind("BUSY MACHINE during")) << "once";
        EXPECT_EQ(page.substr(0, page.find("Fastest here")).find("BUSY"), page.npos);
    }
    const std::string html = toHtml(document);
    expectOrder(html, {"class=\"answers\"", "<nav", "<h2 id=\"s1\">Ratios", "<h2 id=\"s2\">Agreement",
                       ">Times of x</h2>", ">Conditions and warnings</h2>", ">Machine and program</h2>"});
    EXPECT_EQ(firstMarkupFault(html), "");
    EXPECT_EQ(firstReference(html), "");
}

TEST(StudyPage, OfAQuietMachineSaysSo) {
    const TemporaryFolder folder;
    EXPECT_THAT(toMarkdown(describeStudy(parsed(sampleReport()), folder.path())),
                AllOf(HasSubstr("None: the machine was quiet"), Not(HasSubstr("caution"))));
}

TEST(ComparisonPage, AnswersForEachMachine) {
    const TemporaryFolder folder;
    RowByHand cuda{"cuda", "tiled", 0.1};
    cuda.digest = "00000000000000bb";
    cuda.samples = {1, 2.002};
    const std::vector<StudyReport> reports{parsed(sampleReport(0.1)),
                                           parsed(reportOf("another", {{"cpu", "dense", 2}, cuda}))};
    const Document document = describeComparison(reports, folder.path());
    EXPECT_THAT(
        toMarkdown(document),
        StartsWith(
            "# Glycine studies of 2 machines\n\nA: a machine. B: another.\n\n- **x float32, 8 atoms.** "
            "Fastest on A: cpu/dense, 1.00 s, 2 × over gl/packed, 40 × over reference/serial, agrees exactly "
            "(busy machine: times may be too long by up to 11 %). On B: cuda/tiled, 100 ms, 20 × over "
            "cpu/dense, verified: by hand. A takes 10 × as long as B. Results: within 0.001 of the value, in "
            "the elements kept.\n\n## Ratios\n"));
    const std::string html = toHtml(document);
    expectOrder(html, {"Fastest on A", "<nav", ">Ratios</h2>", "The fastest configuration of each machine",
                       ">Results: what agrees</h2>", ">Performance portability</h2>",
                       ">Conditions and warnings</h2>", "BUSY MACHINE during 1 step", ">Machines</h2>"});
    EXPECT_EQ(firstMarkupFault(html), "");
}

TEST(BenchText, OpensWithTheAnswer) {
    BenchReport report;
    report.algorithm = "x";
    report.sizeLabel = "atoms";
    const auto add = [&report](const char* backend, std::vector<double> samples) {
        MeasuredRow& row = report.rows.emplace_back();
        row.configuration.backend = backend;
        row.configuration.variant = "v";
        row.configuration.numberFormat = "float32";
        row.dimensions = {{"atoms", 1024}};
        row.check = "2 rows exact";
        row.total.seconds = summarize(std::move(samples));
    };
    add("cpu", {2, 4, 2, 2, 2});
    add("gl", {1, 2, 1, 1, 1});
    report.conditions.othersDuring = 0.43;
    std::ostringstream out;
    report.print(out, 0);
    // Round by round the ratio is exactly 2, however much the rounds differ.
    EXPECT_THAT(
        out.str(),
        StartsWith("x float32, 1,024 atoms  Fastest here: gl/v, 1.00 s, 2 × over cpu/v, "
                   "verified: 2 rows exact (busy machine: times may be too long by up to 75 %).\n\natoms"));
    expectOrder(out.str(),
                {"Fastest here", "ratio  verified", "BUSY MACHINE: other programs used 43 %", "build"});
}

TEST(SortableTables, OrderByQuantities) {
    const auto value = [](std::string_view text) { return sortValue(text).value_or(-1); };
    EXPECT_DOUBLE_EQ(value("17.3 ms"), 0.0173);
    EXPECT_DOUBLE_EQ(value("812 ns"), 812e-9);
    EXPECT_DOUBLE_EQ(value("1.00 µs, cpu/dense"), 1e-6);
    EXPECT_DOUBLE_EQ(value("3 min 07 s"), 187);
    EXPECT_DOUBLE_EQ(value("2 h 05 min"), 7500);
    EXPECT_DOUBLE_EQ(value("1.24 s … 2 s"), 1.24);
    EXPECT_DOUBLE_EQ(value("1,234,567"), 1234567);
    EXPECT_DOUBLE_EQ(value("1,024 atoms"), 1024);
    EXPECT_DOUBLE_EQ(value("3, 4"), 3);
    EXPECT_DOUBLE_EQ(value("9.5e-07"), 9.5e-7);
    EXPECT_DOUBLE_EQ(value("undecided (1.02 ×)"), 1.02);
    EXPECT_DOUBLE_EQ(value("≈ 2.00 s, by a fit"), 2);
    EXPECT_DOUBLE_EQ(value("10.3 % of add+min float32"), 10.3);
    EXPECT_DOUBLE_EQ(*sortValue("-3.5"), -3.5);
    for (const char* none : {"–", "", "yes", "WRONG"}) EXPECT_FALSE(sortValue(none)) << none;
}

TEST(SortableTables, HaveTheirOrderOnThePage) {
    Document document{"Title"};
    document.table("Caption", {{"name", "time"}, {{"a", "2 ms"}, {"b", "–"}}, {false, true}});
    document.table("One row", {{"name"}, {{"a"}}});
    const std::string html = toHtml(document);
    EXPECT_THAT(html,
                AllOf(HasSubstr("<table class=\"sortable\" aria-label=\"Caption\">"),
                      HasSubstr("<td class=\"number\" data-value=\"0.002\">2 ms</td>"),
                      HasSubstr("<td class=\"number\">–</td>"), HasSubstr("<table aria-label=\"One row\">"),
                      HasSubstr("<th scope=\"col\" class=\"number\">time</th>")));
    // Pages are also XML.
    EXPECT_EQ(embeddedResources().at("pages/report.js").find_first_of("<>&"), std::string_view::npos);
}

/// Contrast of two colours by WCAG 2.1, from 1 to 21.
double contrast(const std::string& one, const std::string& other) {
    const auto luminance = [](const std::string& hex) {
        double sum = 0;
        const double weights[] = {0.2126, 0.7152, 0.0722};
        for (std::size_t k = 0; k < 3; ++k) {
            const double channel = std::stoi(hex.substr(1 + 2 * k, 2), nullptr, 16) / 255.0;
            sum += weights[k] *
                   (channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4));
        }
        return sum;
    };
    const auto [low, high] = std::minmax({luminance(one), luminance(other)});
    return (high + 0.05) / (low + 0.05);
}

TEST(StudyPage, IsReadableInLightAndInDark) {
    const std::string html = toHtml(Document{"Title"});
    std::size_t at = 0;
    for (const char* scheme : {"light", "dark"}) {
        at = html.find(":root", at + 1);
        ASSERT_NE(at, html.npos) << scheme;
        const std::string block = html.substr(at, html.find('}', at) - at);
        const auto color = [&](const std::string& name) {
            std::smatch found;
            EXPECT_TRUE(std::regex_search(block, found, std::regex("--" + name + ": (#[0-9a-f]{6})")))
                << name;
            return found[1].str();
        };
        for (const char* ground : {"page", "answer", "caution"})
            for (const char* text : {"ink", "faint", "link"})
                EXPECT_GE(contrast(color(text), color(ground)), 4.5)
                    << text << " on " << ground << ", " << scheme;
    }
}

}  // namespace
}  // namespace glycine::study::test
