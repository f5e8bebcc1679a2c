// The metric and the comparison of machines, on hand-made reports.
#include "engine/study/reports/portability.hpp"

#include "engine/io/text/byte_source.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/reports/comparison.hpp"
#include "engine/study/reports/study_document.hpp"
#include "tests/study/hand_made_report.hpp"

namespace glycine::study {
namespace {

using test::parsed;
using test::reportOf;
using test::RowByHand;
using ::testing::Optional;

const Portability& of(const std::vector<Portability>& all, const std::string& application) {
    for (const Portability& one : all)
        if (one.application == application) return one;
    throw std::runtime_error("no " + application);
}

TEST(Portability, IsTheHarmonicMean) {
    EXPECT_DOUBLE_EQ(performancePortability(std::vector<double>{0.5, 1}), 2.0 / 3);
    // 3 / (1 + 4 + 10).
    EXPECT_DOUBLE_EQ(performancePortability(std::vector<double>{1, 0.25, 0.1}), 0.2);
    EXPECT_DOUBLE_EQ(performancePortability(std::vector<double>{0.7}), 0.7);
    EXPECT_EQ(performancePortability(std::vector<double>{1, 0}), 0) << "not supported on one platform";
    EXPECT_EQ(performancePortability(std::vector<double>{}), 0);
}

TEST(Portability, ByHand) {
    // On A cpu takes 4 s, gl 2 s; on B cpu takes 3 s, gl 6 s and cuda 1 s.
    const std::vector<StudyReport> reports{
        parsed(reportOf("A", {{"cpu", "dense", 4, 0.8}, {"gl", "packed", 2, 0.1}, {"gl", "old", 8}}, 0,
                        {"cuda"})),
        parsed(reportOf(
            "B",
            {{"cpu", "dense", 3, 0.4}, {"gl", "packed", 6, 0.2}, {"cuda", "tiled", 1, 0.5}, {"gl", "old"}}))};
    const std::vector<Portability> all = portabilities(reports);
    // 2/4 and 1/3: 2 / (2 + 3).
    EXPECT_THAT(of(all, "cpu/dense").applicationEfficiency, ElementsAre(Optional(0.5), Optional(1.0 / 3)));
    EXPECT_DOUBLE_EQ(of(all, "cpu/dense").byApplication().value(), 0.4);
    // 2 / (1/0.8 + 1/0.4).
    EXPECT_DOUBLE_EQ(of(all, "cpu/dense").byArchitecture().value(), 2 / 3.75);
    // 1 and 1/6: 2 / 7.
    EXPECT_DOUBLE_EQ(of(all, "gl/packed").byApplication().value(), 2.0 / 7);
    EXPECT_EQ(of(all, "gl (best variant)").byApplication(), of(all, "gl/packed").byApplication());
    EXPECT_EQ(of(all, "cuda/tiled").byApplication(), 0) << "A has none";
    EXPECT_EQ(of(all, "gl/old").byApplication(), 0) << "B refused it";
    EXPECT_FALSE(of(all, "gl/old").byArchitecture()) << "no ceiling is known on A";
    EXPECT_EQ(of(all, "cuda/tiled").problem, "x float32, 8 atoms");
}

TEST(Portability, AShareOfWhatLaunchesTakeIsNoEfficiency) {
    Json json = reportOf("A", {{"cpu", "dense", 4, 0.8}, {"gl", "packed", 2, 0.1}});
    json["steps"][0]["result"]["rows"][1]["ceiling"]["unit"] = "µs";
    const std::vector<StudyReport> reports{parsed(json)};
    const std::vector<Portability> all = portabilities(reports);
    EXPECT_EQ(of(all, "cpu/dense").byArchitecture(), 0.8);
    EXPECT_FALSE(of(all, "gl/packed").byArchitecture());
    EXPECT_EQ(of(all, "gl/packed").byApplication(), 1);
}

TEST(Portability, DimensionsAreThoseOfTheRow) {
    Json json = reportOf("A", {{"cpu", "dense", 4}});
    Json& row = json["steps"][0]["result"]["rows"][0];
    row["dimensions"] = {{{"name", "samples"}, {"extent", 3}}, {{"name", "atoms"}, {"extent", 8}}};
    EXPECT_EQ(parsed(json).times()[0].problem(), "x float32, 3 samples × 8 atoms");
    row.erase("dimensions");
    EXPECT_EQ(parsed(json).times()[0].problem(), "x float32, 8 atoms") << "an older report";
}

TEST(Portability, UnrequestedBackendsAreUnknown) {
    RowByHand slow{"gl", "packed"};
    slow.isBeyondLimit = true;
    Json second = reportOf("B", {{"cpu", "dense", 3}, slow});
    second["devices"].erase(2);
    const std::vector<StudyReport> reports{
        parsed(reportOf("A", {{"cpu", "dense", 4}, {"gl", "packed", 2}, {"cuda", "tiled", 1}})),
        parsed(second)};
    const std::vector<Portability> all = portabilities(reports);
    EXPECT_FALSE(of(all, "gl/packed").byApplication()) << "the study's own limit";
    EXPECT_FALSE(of(all, "cuda/tiled").byApplication()) << "the study named other backends";
    EXPECT_TRUE(of(all, "cpu/dense").byApplication());
}

TEST(Portability, FiguresOfMerit) {
    const std::vector<StudyReport> reports{parsed(reportOf("A", {{"cpu", "dense", 4}, {"gl", "packed"}})),
                                           parsed(reportOf("A", {{"cpu", "dense", 0.25}}))};
    const DocumentTable table = figuresOfMerit(reports);
    EXPECT_THAT(table.head, ElementsAre("problem", "application", "platform", "fom"));
    EXPECT_THAT(table.rows, ElementsAre(ElementsAre("x float32, 8 atoms", "cpu/dense", "A", "4"),
                                        ElementsAre("x float32, 8 atoms", "cpu/dense", "A (2)", "0.25")));
}

TEST(StudyComparison, RatiosAreUndecidedWhereIntervalsOverlap) {
    const auto ratio = [](double others) {
        RowByHand slow{"gl", "packed", 1.1};
        slow.spread = 0.02;
        const StudyReport report = parsed(reportOf("A", {{"cpu", "dense", 1}, slow}, others));
        const std::vector<TimedRow> rows = report.times();
        return timeRatio(rows[1], rows[0]).value();
    };
    const TimeRatio quiet = ratio(0);
    EXPECT_FALSE(quiet.isUndecided);
    EXPECT_DOUBLE_EQ(quiet.value, 1.1);
    EXPECT_DOUBLE_EQ(quiet.interval.low, 1.1 * 0.98 / 1.01);
    EXPECT_DOUBLE_EQ(quiet.interval.high, 1.1 * 1.02 / 0.99);
    EXPECT_EQ(quiet.text(), "1.1 × (1.07 … 1.13)");
    // Other programs used a tenth of the processors: times may be too long by a ninth.
    const TimeRatio busy = ratio(0.1);
    EXPECT_TRUE(busy.isUndecided);
    EXPECT_TRUE(busy.isDisturbed);
    EXPECT_EQ(busy.text(), "undecided (1.1 ×)");
    // One hundredth changes nothing: 1.078 / 1.0101 compared with 1.01 · 1.0101.
    EXPECT_FALSE(ratio(0.01).isUndecided);
}

/// Marks that a reader of the page sees.
TEST(StudyComparison, ABusyMachineIsMarkedOnThePage) {
    const auto page = [](double others) {
        const TemporaryFolder folder;
        RowByHand slow{"gl", "packed", 1.1};
        slow.spread = 0.02;
        Json json = reportOf("A", {{"cpu", "dense", 1}, slow}, others);
        test::addValidation(json, {test::comparedRow("cpu", "dense")});
        return toHtml(describeStudy(parsed(json), folder.path()));
    };
    EXPECT_THAT(page(0.1), AllOf(HasSubstr("BUSY MACHINE during 1 step: times-x (others)"),
                                 HasSubstr("undecided (1.1 ×)"), HasSubstr("too long by up to 11 %")));
    EXPECT_THAT(page(0), AllOf(Not(HasSubstr("BUSY")), Not(HasSubstr("undecided (")), HasSubstr(">1.1 ×<")));
}

TEST(StudyComparison, ABusyMachineDecidesFewerClaims) {
    FigureClaim claim;
    claim.verdict = "holds";
    claim.value = 2;
    claim.interval = {1.9, 2.1, 0.9375};
    claim.low = 1.5;
    EXPECT_EQ(claim.certainVerdict(), "holds");
    claim.disturbance = 0.2;
    EXPECT_EQ(claim.certainVerdict(), "holds") << "1.9 / 1.2 is above 1.5";
    claim.disturbance = 0.3;
    EXPECT_EQ(claim.certainVerdict(), "undecided (busy machine)");
    claim.high = 2.2;
    claim.disturbance = 0.1;
    EXPECT_EQ(claim.certainVerdict(), "undecided (busy machine)") << "2.1 · 1.1 is above 2.2";
}

TEST(StudyComparison, ResultsOfTwoMachines) {
    RowByHand other{"gl", "packed", 1};
    other.digest = "00000000000000bb";
    other.samples = {1, 2.002};
    const std::vector<StudyReport> reports{parsed(reportOf("A", {{"cpu", "dense", 1}, {"gl", "packed", 1}})),
                                           parsed(reportOf("B", {{"cpu", "dense", 2}, other}))};
    const std::vector<MachinePair> pairs = machinePairs(reports);
    ASSERT_EQ(pairs.size(), 2u);
    EXPECT_EQ(pairs[0].equal, 1u);
    EXPECT_EQ(pairs[1].equal, 0u);
    EXPECT_NEAR(pairs[1].largestDifference, 0.002 / 2.002, 1e-12);
}

TEST(StudyReports, HaveCeilingsAndEnergy) {
    const std::vector<StudyReport> reports{parsed(reportOf("A", {{"cpu", "dense", 1, 0.5}}))};
    const TimedRow row = reports.front().times().front();
    EXPECT_EQ(row.ceiling, "adds");
    EXPECT_EQ(row.energy, "1.25 J package-0");
    EXPECT_THAT(timesTable(reports).rows.front(), Contains("1.25 J package-0"));
}

TEST(StudyReports, RefuseWhatIsNone) {
    const Json good = reportOf("A", {{"cpu", "dense", 1}});
    EXPECT_EQ(parsed(good).times().front().seconds.median, 1);
    const auto refusal = [&](const std::function<void(Json&)>& spoil) {
        Json json = good;
        spoil(json);
        return messageOf<InputError>([&] { parseStudyReport(json, "r.json"); });
    };
    EXPECT_THAT(refusal([](Json& json) { json["schema"]["version"] = 2; }),
                HasSubstr("r.json: version 2 of glycine-study; this program reads 1 to 1"));
    EXPECT_THAT(refusal([](Json& json) { json["schema"]["name"] = "other"; }), HasSubstr("another name"));
    EXPECT_THAT(refusal([](Json& json) { json.erase("schema"); }), HasSubstr("it has no \"schema\""));
    EXPECT_THAT(refusal([](Json& json) { json["steps"][0].erase("status"); }), HasSubstr("at /steps/0"));
    EXPECT_THAT(
        refusal([](Json& json) { json["steps"][0]["result"]["rows"][0]["seconds"]["total"].erase("min"); }),
        StartsWith("r.json: at /steps/0/result/rows/0: key 'min' not found; expected the report.json"));
}

const fs::path kOfVersion1 = GLYCINE_SOURCE_DIR "/tests/study/study_version_1.json.gz";

TEST(StudyReports, DamageAnywhereIsOneErrorWithItsPlace) {
    Json good = readStudyJson(kOfVersion1);
    // A row of each list is enough.
    for (Json& step : good["steps"])
        for (const char* list : {"rows", "claims", "measured", "devices"})
            if (step.contains("result") && step["result"].contains(list) && step["result"][list].size() > 1)
                step["result"][list].erase(step["result"][list].begin() + 1, step["result"][list].end());
    const auto expectReadOrRefused = [](const Json& damaged, const std::string& where) {
        try {
            parseStudyReport(damaged, "r.json");
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), AllOf(StartsWith("r.json: "), Not(HasSubstr("json.exception"))))
                << where;
        } catch (const std::exception& error) {
            ADD_FAILURE() << where << ": " << error.what();
        }
    };
    const Json leaves = good.flatten();
    for (const auto& [where, value] : leaves.items())
        for (const Json& other : {Json(), Json(7), Json("text"), Json::array()}) {
            Json damaged = good;
            damaged[Json::json_pointer(where)] = other;
            expectReadOrRefused(damaged, where);
        }
}

/// Reports of the first version stay readable, whatever later versions add.
TEST(StudyReports, OfVersion1AreRead) {
    const StudyReport report = readStudyReport(kOfVersion1);
    EXPECT_EQ(report.label, "two cores");
    EXPECT_THAT(report.algorithms(), ElementsAre("bounds"));
    const std::vector<TimedRow> times = report.times();
    ASSERT_FALSE(times.empty());
    EXPECT_EQ(times.front().problem(), "bounds float32, 64 atoms");
    EXPECT_TRUE(times.front().hasTime());
    EXPECT_EQ(times.front().digest.size(), 16u);
    EXPECT_FALSE(report.comparisons().empty());
    EXPECT_FALSE(report.claims().empty());
}

TEST(StudyReports, WithTwoMembersOfANameAreRefused) {
    const TemporaryFolder folder;
    const auto refusal = [&](const std::string& text) {
        writeFile(folder / "report.json", text);
        return messageOf<InputError>([&] { readStudyReport(folder / "report.json"); });
    };
    EXPECT_THAT(refusal(R"({"label": "a", "steps": [{"id": 1, "id": 2}]})"),
                HasSubstr("report.json: an object has two members 'id'; expected each name once"));
    EXPECT_THAT(refusal(R"({"a": {"b": 1}, "b": 2, "a": 3})"), HasSubstr("two members 'a'"));
    // The same name in different objects is no duplicate.
    EXPECT_THAT(refusal(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})"), Not(HasSubstr("two members")));
    EXPECT_THAT(refusal("{\n\n"), HasSubstr("report.json: line 3: is not JSON; expected the report.json"));
    EXPECT_THAT(refusal("{\n\"a\": 1 2}"), HasSubstr("report.json: line 2: is not JSON"));
    EXPECT_THAT(refusal("[1e999]"), HasSubstr("report.json: is not JSON"));
}

TEST(StudyReports, MayBePackedByGzip) {
    const TemporaryFolder folder;
    const fs::path plain = folder / "report.json", cut = folder / "cut.json.gz";
    writeFile(plain, io::readText(kOfVersion1));
    const StudyReport report = readStudyReport(kOfVersion1), expected = readStudyReport(plain);
    EXPECT_EQ(report.label, expected.label);
    ASSERT_EQ(report.times().size(), expected.times().size());
    EXPECT_EQ(report.times().front().digest, expected.times().front().digest);

    const std::string bytes = readFile(kOfVersion1);
    writeFile(cut, bytes.substr(0, bytes.size() / 2));
    const std::string message = messageOf<InputError>([&] { readStudyReport(cut); });
    EXPECT_THAT(message, AllOf(HasSubstr(cut.string() + ": truncated gzip data: it ends after"),
                               Not(HasSubstr("\n"))));
}

TEST(ResultDigest, DoesNotDependOnTheOrder) {
    ResultDigester forwards, backwards, other, swapped;
    for (int i = 0; i < 100; ++i) {
        forwards.take(0, 1, static_cast<std::size_t>(i), i * 0.5F);
        backwards.take(0, 1, static_cast<std::size_t>(99 - i), static_cast<float>(99 - i) * 0.5F);
        other.take(0, 1, static_cast<std::size_t>(i), i == 50 ? 25.000002F : static_cast<float>(i) * 0.5F);
        swapped.take(0, 1, static_cast<std::size_t>(i),
                     static_cast<float>(i == 3   ? 4
                                        : i == 4 ? 3
                                                 : i) *
                         0.5F);
    }
    EXPECT_EQ(forwards.digest(), backwards.digest());
    EXPECT_NE(forwards.digest().bits, other.digest().bits);
    EXPECT_NE(forwards.digest().bits, swapped.digest().bits);
    EXPECT_EQ(forwards.digest().elements, 100u);
    EXPECT_EQ(forwards.digest().samples.size(), 32u);
    EXPECT_EQ(forwards.digest().text().size(), 16u);
}

TEST(Comparison, NamesEachReportByLettersOfItsOwn) {
    EXPECT_EQ(reportLetter(0), "A");
    EXPECT_EQ(reportLetter(25), "Z");
    EXPECT_EQ(reportLetter(26), "AA");
    EXPECT_EQ(reportLetter(27 * 26 - 1), "ZZ");
    EXPECT_EQ(reportLetter(27 * 26), "AAA");
}

}  // namespace
}  // namespace glycine::study
