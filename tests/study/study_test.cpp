// glycine study and glycine report, end to end, on an algorithm whose run times the test specifies and which
// has a wrong variant.
#include "engine/study/reports/study_report.hpp"
#include "tests/study/fake_subject.hpp"
#include "tests/study/markup_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::study::test {
namespace {

class Study : public ::testing::Test {
  protected:
    void SetUp() override {
        script() = {};
        script().seconds = {{"quick", {0.5}}, {"slow", {4}}, {"packed", {1}}, {"quick/1", {1}}};
        registerFakeSubject();
    }
    StudyOutcome study(std::vector<std::string> arguments, const std::string& name = "study") {
        arguments.insert(arguments.end(), {"-o", (folder_ / name).string(), "--repeats", "3"});
        if (std::ranges::find(arguments, "--longest-run") == arguments.end())
            arguments.insert(arguments.end(), {"--longest-run", "100"});
        if (std::ranges::find(arguments, "--visits") == arguments.end())
            arguments.insert(arguments.end(), {"--visits", "1"});
        return runCommand(declareStudy, arguments);
    }
    std::string text(const std::string& file) { return readFile(folder_ / file); }
    Json json(const std::string& file = "study/report.json") { return Json::parse(text(file)); }
    static long runsOf(const std::string& variant) {
        return std::count(script().log.begin(), script().log.end(), variant);
    }
    static const Json& step(const Json& report, const std::string& id) {
        return *std::ranges::find(report.at("steps"), Json(id), [](const Json& one) { return one.at("id"); });
    }

    TemporaryFolder folder_;
};

TEST_F(Study, TimesWhatAgreedAndNothingElse) {
    const StudyOutcome outcome = study("fake --quick"_args);
    EXPECT_EQ(outcome.exitCode, 1) << "a variant is wrong: " << outcome.error;
    // Both inputs of the validation, and no further run.
    EXPECT_EQ(runsOf("wrong"), 2);
    EXPECT_GT(runsOf("quick"), 2);
    const Json report = json();
    EXPECT_EQ(report["schema"], (Json{{"name", "glycine-study"}, {"version", 1}}));
    for (const Json& row : step(report, "times-fake-small")["result"]["rows"]) {
        const std::string variant = row["variant"];
        const bool isRefused = variant == "declines" && row["size"] == 2;
        EXPECT_EQ(row.contains("seconds"), variant != "wrong" && row["backend"] != "cuda" && !isRefused)
            << variant;
        if (variant == "wrong") {
            EXPECT_EQ(row["skipped"], "disagrees with the reference");
        }
        if (row["backend"] == "cuda") {
            EXPECT_EQ(row["skipped"], "not compared with the reference: none here");
        }
    }
    EXPECT_EQ(report["absent"][0], (Json{{"backend", "cuda"}, {"reason", "none here"}}));
    EXPECT_EQ(step(report, "figures-fake-figure-1")["result"]["claims"][0]["verdict"], "holds");

    const std::string html = text("study/report.html");
    EXPECT_EQ(firstMarkupFault(html), "");
    EXPECT_EQ(firstReference(html), "");
    EXPECT_THAT(html, AllOf(HasSubstr("WRONG: cpu/wrong float32 of fake disagrees"), HasSubstr("<svg"),
                            HasSubstr("the new one is twice as fast"), HasSubstr("backend cuda")));
    EXPECT_THAT(text("study/report.md"), AllOf(HasSubstr("charts/scaling-fake-float32.svg"),
                                               HasSubstr("WRONG: cpu/wrong"), Not(HasSubstr("<svg"))));
    EXPECT_THAT(text("study/tables/p3.csv"),
                AllOf(HasSubstr("problem,application,platform,fom\n"),
                      HasSubstr("\"fake float32, 2 items\",cpu/quick,\"fake cpu; fake gl\",0.5\n"),
                      Not(HasSubstr("wrong"))));
}

TEST_F(Study, AStoppedStudyGoesOn) {
    script().cancelledBy = "slow";
    script().runsBefore = 4;  // the two runs of the validation, and the first round of the times
    const StudyOutcome stopped = study("fake --quick"_args);
    EXPECT_EQ(stopped.exitCode, 130);
    EXPECT_THAT(stopped.error, AllOf(HasSubstr("2 steps are finished"), HasSubstr("resumes there")));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "study" / "report.html"));

    script().cancelledBy.clear();
    script().log.clear();
    EXPECT_EQ(study("fake --quick"_args).exitCode, 1);
    EXPECT_EQ(runsOf("wrong"), 0) << "its validation was done";
    EXPECT_GT(runsOf("slow"), 0);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "study" / "report.html"));

    // Another call: nothing is left to do.
    script().log.clear();
    const std::string before = json()["steps"].dump();
    EXPECT_EQ(study("fake --quick"_args).exitCode, 1);
    EXPECT_TRUE(script().log.empty());
    EXPECT_EQ(json()["steps"].dump(), before);

    // A modified result is measured again.
    std::ofstream(folder_ / "study" / "steps" / "validation-fake.json", std::ios::app) << "\n";
    EXPECT_EQ(study("fake --quick"_args).exitCode, 1);
    EXPECT_EQ(runsOf("wrong"), 2);
}

TEST_F(Study, OtherOptionsAreAnotherStudy) {
    ASSERT_EQ(study("fake --quick"_args).exitCode, 1);
    const StudyOutcome other = study("fake --quick --seed 2"_args);
    EXPECT_EQ(other.exitCode, 2);
    EXPECT_THAT(other.error, AllOf(HasSubstr("--seed was 1, is 2 now"), HasSubstr("--restart")));
    EXPECT_EQ(study("fake --quick --seed 2 --restart"_args).exitCode, 1);
    EXPECT_THAT(study("fake --quick --seed 2 --pass-budget 9"_args).error, HasSubstr("pass-budget was"));
    EXPECT_EQ(study("fake --quick --seed 2 --label x"_args).exitCode, 1) << "a name alone";
}

TEST_F(Study, RefusesWrongUse) {
    EXPECT_THAT(study({"fale"}).error,
                HasSubstr("unknown algorithm 'fale'; nearest: fake, all; known: fake, all"));
    EXPECT_THAT(study("fake --without claims"_args).error, HasSubstr("figures"));
    EXPECT_THAT(study("fake --without validation"_args).error,
                HasSubstr("only results that were compared with the reference are timed"));
    EXPECT_THAT(study("fake --backend metal"_args).error, HasSubstr("unknown backend 'metal'"));
    EXPECT_THAT(study("fake --up-to huge"_args).error, HasSubstr("large"));
    EXPECT_THAT(study("fake --up-to small --input x"_args).error,
                HasSubstr("--up-to is for generated inputs; x is a file"));
    EXPECT_THAT(study("fake --seed 2 --without figures"_args).error,
                HasSubstr("--seed is for published figures; this study has none"));
    EXPECT_THAT(study("all --input /nonexistent"_args).error, HasSubstr("/nonexistent"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "study")) << "nothing was begun";
}

TEST_F(Study, LongRunsAreNotFollowedByLargerOnes) {
    ASSERT_EQ(study("fake --longest-run 2"_args).exitCode, 1);
    const Json report = json();
    for (const Json& row : step(report, "times-fake-small")["result"]["rows"])
        if (row["variant"] == "slow") {
            const bool isFirst = row["size"] == 1;
            EXPECT_EQ(row.contains("seconds"), isFirst);
            EXPECT_EQ(row.value("beyondLimit", false), !isFirst);
            if (!isFirst) {
                EXPECT_THAT(row["skipped"].get<std::string>(), HasSubstr("took 4.00 s for 1"));
            }
        }
}

TEST_F(Study, CeilingsAreMeasuredWithTheOptionsOfTheStudy) {
    script().ceiling = -1;
    ASSERT_EQ(study("fake --quick --threads 3"_args).exitCode, 1);
    EXPECT_EQ(step(json(), "ceilings")["reason"], "no probe can be reached");
    script().ceiling = 13.5;
    // A step that failed is tried again, without --restart.
    ASSERT_EQ(study("fake --quick --threads 3"_args).exitCode, 1);
    const Json result = step(json(), "ceilings")["result"];
    EXPECT_EQ(script().measured, std::vector<int>{3});
    EXPECT_EQ(result["measured"][0]["ceilings"][0]["value"]["count"], quickCeilings().repeats);
    EXPECT_THAT(text("study/report.html"),
                AllOf(HasSubstr("What the devices can do"), HasSubstr("13.5 G/s"), HasSubstr("by registers"),
                      HasSubstr("not measured: no clock")));
}

TEST_F(Study, CeilingsAreMeasuredOnce) {
    script().ceiling = 13.5;
    script().cancelledBy = "slow";
    script().runsBefore = 4;
    ASSERT_EQ(study("fake --quick"_args).exitCode, 130) << "in the times";
    EXPECT_EQ(script().measured.size(), 1u);
    script().cancelledBy.clear();
    ASSERT_EQ(study("fake --quick"_args).exitCode, 1);
    EXPECT_EQ(script().measured.size(), 1u) << "those of the first call are taken";
    const Json report = json();
    EXPECT_DOUBLE_EQ(step(report, "times-fake-small")["result"]["rows"][0]["ceiling"]["rate"].get<double>(),
                     13.5);
    EXPECT_TRUE(step(report, "figures-fake-figure-1")["result"]["rows"][0].contains("ceiling"));
    // Without the step of ceilings, the first step that needs one measures it for all.
    ASSERT_EQ(study("fake --quick --without ceilings"_args, "other").exitCode, 1);
    EXPECT_EQ(script().measured.size(), 2u);
}

TEST_F(Study, AResultAboveItsCeilingRaisesItEverywhere) {
    script().ceiling = 10;
    script().amount = 20;  // at least 2 s, within the 0.25 s that have work
    ASSERT_EQ(study("fake --quick"_args, "a").exitCode, 1);
    script().amount = 1;
    ASSERT_EQ(study("fake --quick"_args, "b").exitCode, 1);
    const std::string raised = "raised from 10.0 to 80.0 G/s by cpu/quick float32 on fake, problem 1";
    const std::string report = text("a/report.md");
    EXPECT_THAT(
        report,
        AllOf(HasSubstr("The ceiling \"add+min float32\" of cpu was " + raised + ":"),
              HasSubstr("The ceiling \"add+min float32\" of cpu, 1 thread, was raised"),
              HasSubstr("| cpu | add+min float32 | 80.0 G/s | 10.0 |"),
              HasSubstr(
                  "raised by cpu/quick float32 on fake, problem 1: the probe found 10.0 G/s; by registers")));
    for (const char* file : {"a/report.html", "a/tables/times-fake.csv"})
        EXPECT_THAT(text(file), AllOf(HasSubstr("100 % of add+min float32, raised by cpu/quick"),
                                      Not(HasSubstr("800 %"))))
            << file;
    EXPECT_THAT(text("a/charts/ceilings-fake.svg"), HasSubstr("add+min float32, raised by cpu/quick"));
    EXPECT_THAT(text("a/tables/times.csv"), HasSubstr("ceiling raised by"));
    EXPECT_THAT(text("b/report.html"), Not(HasSubstr("raised by cpu")));
    const Json json = this->json("a/report.json");
    for (const Json& step : json["steps"])
        for (const Json& row : step["result"].value("rows", Json::array()))
            if (row.contains("ceiling")) {
                EXPECT_LE(row["ceiling"]["share"], 1.0) << step["id"];
                // In all steps; the ceiling for one thread is separate.
                EXPECT_EQ(row["ceiling"]["rate"], row.contains("threads") ? 40.0 : 80.0) << row.dump();
                EXPECT_EQ(row["ceiling"]["probed"], 10.0);
            }
    const Json& measured = step(json, "ceilings")["result"]["measured"][0]["ceilings"][0];
    EXPECT_EQ(measured["best"], 80.0);
    EXPECT_EQ(measured["probed"], 10.0);
    EXPECT_EQ(measured["raisedBy"], "cpu/quick float32 on fake, problem 1");
    ASSERT_EQ(runCommand(declareReport,
                         {(folder_ / "a" / "report.json").string(), (folder_ / "b" / "report.json").string(),
                          "-o", (folder_ / "both").string()})
                  .exitCode,
              0);
    EXPECT_THAT(text("both/comparison.md"),
                HasSubstr("On fake cpu; fake gl: The ceiling \"add+min float32\" of cpu was " + raised));
    const Json comparison = this->json("both/comparison.json");
    EXPECT_EQ(comparison["machines"][0]["raisedCeilings"].size(), 2U);
    EXPECT_EQ(comparison["machines"][0]["raisedCeilings"][0]["ceiling"], "add+min float32");
    EXPECT_EQ(comparison["machines"][0]["raisedCeilings"][0]["probed"], 10.0);
    EXPECT_TRUE(comparison["machines"][1]["raisedCeilings"].empty());
    for (const Json& line : comparison["portability"])
        if (line["application"] == "cpu/quick") {
            EXPECT_NEAR(line["architecturalEfficiency"][0].get<double>(), 1, 1e-9);
            EXPECT_NEAR(line["architecturalEfficiency"][1].get<double>(), 0.4, 1e-9);
        }
}

// As earlier versions wrote them: shares above 1, marked only by a text.
TEST_F(Study, OlderReportsAreRaisedWhenTheyAreRead) {
    script().ceiling = 10;
    script().amount = 1;
    ASSERT_EQ(study("fake --quick --without figures"_args).exitCode, 1);
    Json report = json();
    for (Json& step : report["steps"]) {
        if (step["kind"] != "times") continue;
        for (Json& row : step["result"]["rows"])
            if (row.contains("ceiling") && row["variant"] == "quick") {
                row["ceiling"].erase("threads");
                row["ceiling"]["work"] = 20.;
                row["ceiling"]["leastSeconds"] = 2.;
                row["ceiling"]["share"] = 8.;
                row["ceiling"]["wrong"] = "above its ceiling";
            }
    }
    const StudyReport read = parseStudyReport(report, "old.json");
    ASSERT_EQ(read.raised.all().size(), 1U);
    for (const TimedRow& row : read.times()) EXPECT_LE(row.ceilingShare, 1) << row.problem();
    EXPECT_THAT(read.raised.all().begin()->second.text(),
                HasSubstr("raised from 10.0 to 80.0 G/s by cpu/quick float32 on fake, "));
}

TEST_F(Study, ASoftwareRendererIsNoGpu) {
    script().hasGpuRow = script().isSoftware = true;
    ASSERT_EQ(study("fake --quick"_args).exitCode, 1);
    EXPECT_EQ(json()["devices"].back()["softwareRenderer"], true);
    const std::string untestable = "there is no GPU, the renderer is software (fake gl)";
    for (const char* file : {"study/report.html", "study/tables/claims.csv"})
        EXPECT_THAT(text(file), AllOf(HasSubstr(untestable), Not(HasSubstr("shaders are what")))) << file;
    for (const char* file : {"study/report.html", "study/report.md"})
        EXPECT_THAT(text(file), HasSubstr("fake gl; fake driver; a software renderer, no GPU")) << file;
    EXPECT_THAT(text("study/tables/figure-fake-figure-1.csv"),
                HasSubstr("gl/packed gl33 (software renderer)"));
    EXPECT_THAT(
        text("study/charts/variants-fake-float32.svg"),
        AllOf(HasSubstr(">gl (software renderer)<"), HasSubstr("gl: fake gl, a software renderer: no GPU")));
    EXPECT_THAT(text("study/charts/scaling-fake-float32.svg"), HasSubstr("a software renderer: no GPU"));
    // In a report without this information, the renderer's name decides.
    Json old = json();
    old["devices"].back().erase("softwareRenderer");
    old["devices"].back()["device"] = "llvmpipe (LLVM 15.0.6, 256 bits)";
    const StudyReport read = parseStudyReport(old, "old.json");
    EXPECT_THAT(read.devices.back().second, HasSubstr("a software renderer, no GPU"));
    const std::string before = (folder_ / "old.json").string();
    std::ofstream(before) << old;
    ASSERT_EQ(runCommand(declareReport, {before, (folder_ / "study" / "report.json").string(), "-o",
                                         (folder_ / "both").string()})
                  .exitCode,
              0);
    EXPECT_THAT(text("both/comparison.html"),
                HasSubstr("llvmpipe (LLVM 15.0.6, 256 bits); fake driver; a software renderer, no GPU"));
}

TEST_F(Study, ShortStepsAreVisitedAgain) {
    ASSERT_EQ(study("fake --without ceilings,figures --visits 4"_args).exitCode, 1);
    const Json report = json();
    const Json& rows = step(report, "times-fake-small")["result"]["rows"];
    EXPECT_EQ(report["steps"].size(), 2u) << "visits are part of their step";
    EXPECT_EQ(rows[0]["seconds"]["total"]["visits"], (std::vector<int>{3, 2, 2, 2}));
    EXPECT_EQ(rows[0]["seconds"]["half"]["count"], 9);
    EXPECT_EQ(runsOf("wrong"), 2) << "a row without a time is not measured later";
    EXPECT_TRUE(std::filesystem::exists(folder_ / "study" / "steps" / "times-fake-small-visit-4.json"));
    EXPECT_EQ(readStudyReport(folder_ / "study" / "report.json").times()[0].seconds.visits.size(), 4u);
    // The next call makes up for an interrupted visit.
    script().log.clear();
    std::filesystem::remove(folder_ / "study" / "steps" / "times-fake-small-visit-3.json");
    ASSERT_EQ(study("fake --without ceilings,figures --visits 4"_args).exitCode, 1);
    EXPECT_EQ(runsOf("slow"), 2 * 3) << "of two inputs, a round that is dropped and two others";
}

TEST_F(Study, AFigureEndsAtItsLimit) {
    script().outlasting = "slow";
    script().runsBefore = 4;  // two runs of the validation, the dropped round, and the first one
    const auto call = "fake --figures quick --without times,ceilings --figure-limit 500"_args;
    ASSERT_EQ(study(call).exitCode, 1);
    const Json report = json();
    const Json figure = step(report, "figures-fake-figure-1");
    EXPECT_EQ(figure["result"]["scale"], "quick");
    EXPECT_EQ(figure["result"]["rows"][0]["cutShort"],
              "1 of 3 rounds: the limit of 8 min 20 s a figure was reached (--figure-limit)");
    EXPECT_EQ(figure["result"]["rows"][0]["seconds"]["count"], 1);
    EXPECT_THAT(figure["cutShort"].get<std::string>(), HasSubstr("problem 1 of 1 and later not complete"));
    EXPECT_THAT(text("study/report.html"), HasSubstr("problem 1 of 1 and later not complete"));
    // This is the study's own limit, and therefore a result.
    script().log.clear();
    ASSERT_EQ(study(call).exitCode, 1);
    EXPECT_TRUE(script().log.empty());
    EXPECT_EQ(json()["steps"].dump(), report["steps"].dump());
}

TEST_F(Study, ABudgetEndsACallAndTheNextOneGoesOn) {
    script().outlasting = "slow";
    script().runsBefore = 4;
    const StudyOutcome first =
        study("fake --quick --without ceilings --enough 99 --visits 3 --budget 500"_args);
    ASSERT_EQ(first.exitCode, 1);
    EXPECT_THAT(first.out, HasSubstr("1 of 3 steps are complete; the same command continues"));
    Json report = json();
    const Json times = step(report, "times-fake-small");
    ASSERT_EQ(times["status"], "done") << first.error;
    ASSERT_TRUE(times.contains("cutShort")) << first.error;
    EXPECT_EQ(times["result"]["rows"][1]["cutShort"],
              "1 of 3 rounds: the budget of 8 min 20 s was used up (--budget)");
    EXPECT_TRUE(times["result"]["rows"][0].contains("seconds")) << "what was timed is shown";
    EXPECT_THAT(times["cutShort"].get<std::string>(), HasSubstr("input 1 of 2 and later not complete"));
    EXPECT_EQ(step(report, "figures-fake-figure-1")["reason"],
              "the budget of 8 min 20 s was used up (--budget)");

    script().log.clear();
    ASSERT_EQ(study("fake --quick --without ceilings --enough 99 --visits 3 --budget 1000"_args).exitCode, 1);
    EXPECT_EQ(runsOf("wrong"), 0) << "the validation was complete";
    report = json();
    EXPECT_FALSE(step(report, "times-fake-small").contains("cutShort"));
    EXPECT_EQ(step(report, "times-fake-small")["result"]["rows"][1]["seconds"]["total"]["count"], 7)
        << "three and, in later visits, two each";
    EXPECT_EQ(step(report, "figures-fake-figure-1")["status"], "done");
}

TEST_F(Study, TheReportKeepsItsSchema) {
    if (const std::string lack = lackOfProgram("python3"); !lack.empty()) GTEST_SKIP() << lack;
    if (std::system("python3 -c 'import jsonschema' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "needs: python3-jsonschema";
    script().ceiling = 13.5;
    ASSERT_EQ(study("fake --quick"_args).exitCode, 1);
    const std::string check = "python3 " GLYCINE_SOURCE_DIR "/scripts/check_study_report.py ";
    const std::string report = (folder_ / "study" / "report.json").string();
    EXPECT_EQ(std::system((check + report).c_str()), 0);
    EXPECT_EQ(std::system((check + GLYCINE_SOURCE_DIR "/tests/study/study_version_1.json.gz").c_str()), 0);
    // The schema does reject a wrong report.
    Json spoilt = json();
    spoilt["steps"][2]["result"].erase("noise");
    std::ofstream(report) << spoilt;
    EXPECT_NE(std::system((check + report + " >/dev/null").c_str()), 0);
}

TEST_F(Study, ReportsOfTwoMachinesAreMerged) {
    ASSERT_EQ(study("fake --quick --label first"_args, "a").exitCode, 1);
    script().seconds = {{"quick", {2}}, {"slow", {4}}, {"packed", {0.25}}, {"quick/1", {1}}};
    script().result = 1.5000015;
    ASSERT_EQ(study("fake --quick --label second"_args, "b").exitCode, 1);
    const StudyOutcome merged = runCommand(
        declareReport, {(folder_ / "a" / "report.json").string(), (folder_ / "b" / "report.json").string(),
                        "-o", (folder_ / "both").string()});
    ASSERT_EQ(merged.exitCode, 0) << merged.error;
    const Json comparison = json("both/comparison.json");
    EXPECT_EQ(comparison["machines"][1]["name"], "second");
    // Scripted times have no spread; only the test machine's load widens the intervals.
    for (const Json& line : comparison["times"])
        if (line["application"] == "cpu/quick") {
            EXPECT_EQ(line["toFirst"][1]["ratio"], 4.0);
        }
    // quick: on the first machine, 0.5 s is the best; on the second, 2 s compares with 0.25 s: 2 / (1 + 8).
    for (const Json& line : comparison["portability"]) {
        if (line["application"] == "cpu/quick") {
            EXPECT_NEAR(line["byApplication"].get<double>(), 2.0 / 9, 1e-12);
        }
        if (line["application"] == "cpu/wrong") {
            EXPECT_EQ(line["byApplication"], 0.0);
        }
    }
    for (const Json& line : comparison["agreement"]) {
        EXPECT_EQ(line["equalToTheBit"], 0);
        EXPECT_NEAR(line["largestDifference"].get<double>(), 1e-6, 1e-9);
    }
    const std::string html = text("both/comparison.html");
    EXPECT_EQ(firstMarkupFault(html), "");
    EXPECT_EQ(firstReference(html), "");
    EXPECT_THAT(html, AllOf(HasSubstr("Performance portability, fake float32, 2 items"), HasSubstr("1e-06")));

    EXPECT_THAT(runCommand(declareReport, {(folder_ / "nothing.json").string()}).error,
                HasSubstr("cannot be read"));
}

TEST_F(Study, AReportOfOneStudyIsItsPage) {
    ASSERT_EQ(study("fake --quick"_args).exitCode, 1);
    const std::filesystem::path alone = folder_ / "alone.json";
    std::filesystem::copy_file(folder_ / "study/report.json", alone);
    const auto report = [](const std::filesystem::path& file, const std::filesystem::path& folder) {
        const StudyOutcome outcome = runCommand(declareReport, {file.string(), "-o", folder.string()});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        return outcome.out;
    };
    const std::string out = report(alone, folder_ / "page");
    EXPECT_THAT(out, AllOf(HasSubstr("Fastest here"), HasSubstr("page/report.html"),
                           HasSubstr("page/report.json"), Not(HasSubstr("comparison"))));
    for (const char* file :
         {"report.html", "report.md", "report.json", "charts/variants-fake-float32.svg", "tables/times.csv"})
        EXPECT_EQ(text(std::string("page/") + file), text(std::string("study/") + file)) << file;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "page/comparison.html"));

    // In the study's own folder, the page is written again; the report is not.
    std::filesystem::remove(folder_ / "study/report.html");
    const std::string spaced = text("study/report.json") + "\n\n";
    std::ofstream(folder_ / "study/report.json") << spaced;
    EXPECT_THAT(report(folder_ / "study/report.json", folder_ / "study"), Not(HasSubstr("report.json")));
    EXPECT_EQ(text("study/report.json"), spaced);
    EXPECT_EQ(text("study/report.html"), text("page/report.html"));

    std::ofstream(alone) << R"({"schema": {"name": "glycine-study", "version": 1}})";
    const StudyOutcome broken =
        runCommand(declareReport, {alone.string(), "-o", (folder_ / "none").string()});
    EXPECT_THAT(broken.error, HasSubstr("alone.json: at /: "));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
}

}  // namespace
}  // namespace glycine::study::test
