// validate, bench and reproduce on an algorithm whose run times the test specifies.
#include "engine/command/time_limit.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/reports/comparison.hpp"
#include "engine/study/reports/study_document.hpp"
#include "tests/study/fake_subject.hpp"
#include "tests/test.hpp"

namespace glycine::study::test {
namespace {

class StudyCommands : public ::testing::Test {
  protected:
    void SetUp() override { script() = {}; }
    static StudyOutcome validate(const std::vector<std::string>& arguments) {
        static const FakeSubject subject;
        return runCommand([](Options& options) { return declareValidate(subject, options); }, arguments);
    }
    static StudyOutcome bench(const std::vector<std::string>& arguments) {
        static const FakeSubject subject;
        return runCommand([](Options& options) { return declareBench(subject, options); }, arguments);
    }
    static StudyOutcome reproduce(const std::vector<std::string>& arguments) {
        registerFakeSubject();
        return runCommand(declareReproduce, arguments);
    }
};

TEST_F(StudyCommands, ValidateComparesEverythingButTheReference) {
    const StudyOutcome outcome = validate({"--json"});
    EXPECT_EQ(outcome.exitCode, 1) << "one variant is wrong";
    const Json json = outcome.json();
    std::vector<std::string> labels;
    for (const Json& row : json["rows"])
        labels.push_back(row["backend"].get<std::string>() + "/" + row["variant"].get<std::string>() +
                         (row.contains("dialect") ? " " + row["dialect"].get<std::string>() : ""));
    EXPECT_THAT(labels, ElementsAre("cpu/quick", "cpu/slow", "cpu/wrong", "cpu/late", "cpu/declines",
                                    "gl/packed gl33", "gl/packed es300", "gl/packed gl21", "cuda/"));
    EXPECT_EQ(json["agrees"], false);
    EXPECT_EQ(json["rows"][0]["inputs"], 2);
    EXPECT_EQ(json["rows"][0]["equalToTheBit"], 2);
    EXPECT_EQ(json["rows"][0]["seconds"], 2.0);
    EXPECT_EQ(json["rows"][2]["disagreements"][1]["input"], "problem 2");
    EXPECT_EQ(json["rows"][2]["worst"]["largestDifference"], 3.0);
    EXPECT_EQ(json["rows"][4]["declined"][0], "problem 2: too large");
    EXPECT_EQ(json["rows"][8]["skipped"], "none here");
    EXPECT_EQ(json["settings"]["input"], "none");
    EXPECT_EQ(json["settings"]["reference"], "serial, 4.00 s for 2 inputs in the number formats compared");
    EXPECT_EQ(json["unit"], "m");
    EXPECT_EQ(script().mostOpenGl, 1);
}

TEST_F(StudyCommands, ValidateChecksEachRunAtOnce) {
    EXPECT_EQ(validate("--variant quick --sizes 5,6"_args).exitCode, 0);
    EXPECT_THAT(script().log, ElementsAre("quick", "check quick", "quick", "check quick"));
}

TEST_F(StudyCommands, ValidateHasRoomForOtherRows) {
    const Json json = validate("--variant quick --sizes 1,2,3 --json"_args).json();
    ASSERT_EQ(json["rows"].size(), 2u);
    EXPECT_EQ(json["rows"][1]["backend"], "a = b");
    EXPECT_EQ(json["settings"]["a = b"], "compared");
}

TEST_F(StudyCommands, ValidatePassesOverWhatNoProblemIsAbout) {
    const StudyOutcome outcome = validate("--backend reference,cpu --variant serial,quick --json"_args);
    EXPECT_EQ(outcome.json()["rows"][0]["skipped"], "none of these inputs is for it");
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(validate("--backend reference"_args).error, "nothing was compared: no configuration could run");
    EXPECT_EQ(validate("--precision half"_args).exitCode, 2);
}

TEST_F(StudyCommands, BenchTakesTurns) {
    script().seconds = {{"quick", {1}}, {"slow", {2}}};
    const StudyOutcome outcome =
        bench("--backend cpu --variant slow,quick --repeats 2 --sizes 9 --json"_args);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_THAT(script().log,
                ElementsAre("slow", "check slow", "quick", "check quick",  // the round that is dropped
                            "slow", "quick",                               //
                            "slow", "check slow", "quick", "check quick"));
    const Json json = outcome.json();
    EXPECT_EQ(json["rows"][0]["variant"], "slow");
    EXPECT_EQ(json["rows"][0]["size"], 9);
    EXPECT_EQ(json["rows"][1]["ratioToFirst"], 2.0);
    EXPECT_EQ(json["rows"][1]["check"], "all exact");
    EXPECT_EQ(json["rows"][1]["note"], "a note");
    EXPECT_EQ(json["rows"][1]["rates"]["half"]["best"], 2.0);
    EXPECT_EQ(json["rows"][1]["rates"]["total"]["best"], 2.0);
}

TEST_F(StudyCommands, BenchKeepsEverySample) {
    script().seconds = {{"quick", {9, 1, 3, 2}}};
    const Json json = bench("--variant quick --repeats 3 --sizes 1 --json"_args).json();
    const Json& total = json["rows"][0]["seconds"]["total"];
    EXPECT_EQ(total["samples"], (std::vector<double>{1, 3, 2}))
        << "in the order of the rounds, without the first";
    EXPECT_EQ(total["min"], 1.0);
    EXPECT_EQ(total["median"], 2.0);
    EXPECT_EQ(total["interval"], (std::vector<double>{1, 3}));
    EXPECT_EQ(json["rows"][0]["seconds"]["half"]["samples"][1], 1.5);
    EXPECT_EQ(json["noise"]["runSpread"], 1.0);
    EXPECT_EQ(json["noise"]["loopSeconds"].size(), 4u);
    for (const char* key : {"averageBefore", "othersBefore", "othersDuring"})
        EXPECT_TRUE(json["load"].contains(key));
    EXPECT_TRUE(json.contains("busy"));
}

TEST_F(StudyCommands, BenchWarmsUpShortRuns) {
    script().seconds = {{"quick", {0.001}}, {"slow", {2}}};
    bench("--variant quick,slow --repeats 1 --sizes 1"_args);
    // One untimed run, then twenty of 1 ms, which form one turn.
    std::vector<std::string> expected{"quick", "check quick", "slow", "check slow", "quick"};
    expected.insert(expected.end(), 20, "quick");
    expected.insert(expected.end(), {"check quick", "slow", "check slow"});
    EXPECT_EQ(script().log, expected);
}

TEST_F(StudyCommands, ATurnOfShortRunsCountsWithItsMedian) {
    // The dropped run, an untimed one, then a turn of three: 8 and 2 ms are less than 20 ms; with 16 ms, the
    // sum is more.
    script().seconds = {{"quick", {0.001, 0.001, 0.008, 0.002, 0.016}}};
    const Json json = bench("--variant quick --repeats 1 --sizes 1 --json"_args).json();
    const Json& seconds = json["rows"][0]["seconds"];
    EXPECT_EQ(seconds["total"]["samples"], (std::vector<double>{0.008}));
    EXPECT_EQ(seconds["half"]["samples"], (std::vector<double>{0.004})) << "stages are those of the same run";
}

TEST_F(StudyCommands, BenchReportsUndecidedRatios) {
    script().seconds = {{"quick", {1, 1.0, 1.2, 1.0, 1.2}}, {"slow", {1, 1.1, 1.1, 1.1, 1.1}}};
    const auto arguments = "--variant quick,slow --repeats 4 --sizes 1"_args;
    EXPECT_THAT(bench(arguments).out, HasSubstr("undecided (0.909 ×)"));
    script().seconds["slow"] = {1, 2.1, 2.2, 2.1, 2.2};
    EXPECT_THAT(bench(arguments).out, AllOf(HasSubstr("0.476 ×"), Not(HasSubstr("undecided ("))));
    // Two rounds suffice for a factor of three, but not for less.
    script().seconds = {{"quick", {1}}, {"slow", {1.5}}};
    EXPECT_THAT(bench("--variant quick,slow --repeats 2 --sizes 1"_args).out, HasSubstr("undecided ("));
    script().seconds = {{"quick", {1}}, {"slow", {3}}};
    EXPECT_THAT(bench("--variant quick,slow --repeats 2 --sizes 1"_args).out, Not(HasSubstr("undecided (")));
}

TEST_F(StudyCommands, BenchGivesNoTimeForAWrongResult) {
    const StudyOutcome outcome = bench("--variant wrong,quick --repeats 2 --sizes 1"_args);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.out, HasSubstr("WRONG: differs by up to 3 m, 0.5 allowed, at element 7"));
    EXPECT_THAT(script().log,
                ElementsAre("wrong", "check wrong", "quick", "check quick", "quick", "quick", "check quick"))
        << "it does not run again";
    const Json json = bench("--variant wrong,quick --sizes 1 --json"_args).json();
    EXPECT_FALSE(json["rows"][0].contains("seconds"));
    EXPECT_EQ(json["rows"][0]["verified"], false);
}

TEST_F(StudyCommands, BenchGoesOnWithoutThoseThatRefuse) {
    const StudyOutcome outcome =
        bench("--backend cpu,cuda --variant late,declines,quick --sizes 2 --json"_args);
    EXPECT_EQ(outcome.exitCode, 0);
    const Json json = outcome.json();
    EXPECT_EQ(json["rows"][0]["skipped"], "out of memory") << "in the middle of the rounds";
    EXPECT_EQ(json["rows"][1]["skipped"], "too large");
    EXPECT_EQ(json["rows"][2]["seconds"]["total"]["count"], 5);
    EXPECT_EQ(bench("--backend cuda"_args).error, "nothing was timed: no configuration could run");
}

TEST_F(StudyCommands, BenchEndsWhenItIsCancelled) {
    script().cancelledBy = "slow";
    const StudyOutcome outcome = bench("--variant quick,slow"_args);
    EXPECT_EQ(outcome.exitCode, CancelledError().exitCode());
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(script().log, ElementsAre("quick", "check quick", "slow"));
}

TEST_F(StudyCommands, BenchLeavesTheVariantToTheBackend) {
    const Json json = bench("--sizes 1 --json"_args).json();
    ASSERT_EQ(json["rows"].size(), 3u);
    EXPECT_EQ(json["rows"][0]["variant"], "quick") << "what \"default\" became";
    EXPECT_EQ(json["rows"][1]["dialect"], "gl33");
    EXPECT_EQ(json["rows"][2]["skipped"], "none here");
}

TEST_F(StudyCommands, ContestsHoldOneContextAtATime) {
    registerFakeBackends();
    FakeProblem problem(1);
    std::vector<MeasuredRow> contenders;
    for (const auto dialect : {Dialect::Gl33, Dialect::Es300, Dialect::Gl33})
        contenders.push_back({.configuration = {"gl", "packed", dialect, "float32"}});
    contenders.push_back({.configuration = {"cpu", "quick", {}, "float32"}});
    BackendPool backends{BackendOptions{}};
    ConditionsMeter meter;
    std::ostringstream out;
    CommandContext context(out, out, false);
    runContest(problem, contenders, backends, {.repeats = 1}, meter, context);
    EXPECT_EQ(script().mostOpenGl, 1);
    for (const MeasuredRow& contender : contenders) EXPECT_TRUE(contender.hasTime()) << contender.skipped;
    EXPECT_THAT(problem.scopes, Each(CheckScope::Sampled));
}

TEST_F(StudyCommands, LongRunsAreRepeatedLess) {
    registerFakeBackends();
    script().seconds = {{"slow", {10}}, {"quick", {1}}};
    FakeProblem problem(1);
    std::vector<MeasuredRow> contenders{{.configuration = {"cpu", "slow", {}, "float32"}},
                                        {.configuration = {"cpu", "quick", {}, "float32"}, .threads = 3}};
    BackendPool backends{BackendOptions{}};
    ConditionsMeter meter;
    std::ostringstream out;
    CommandContext context(out, out, false);
    runContest(problem, contenders, backends, {.repeats = 4, .enoughSeconds = 15}, meter, context);
    EXPECT_EQ(contenders[0].total.seconds.count, 2u);
    EXPECT_EQ(contenders[1].total.seconds.count, 4u);
    EXPECT_EQ(std::count(script().log.begin(), script().log.end(), "check slow"), 2)
        << "the first and its last";
    EXPECT_EQ(script().log[2], "quick/3");
}

TEST_F(StudyCommands, ContestsEndAtATimeLimit) {
    registerFakeBackends();
    script().outlasting = "slow";
    script().runsBefore = 2;
    FakeProblem problem(1);
    std::vector<MeasuredRow> contenders{{.configuration = {"cpu", "quick", {}, "float32"}},
                                        {.configuration = {"cpu", "slow", {}, "float32"}}};
    BackendPool backends{BackendOptions{}};
    ConditionsMeter meter;
    std::ostringstream out;
    CommandContext context(out, out, false);
    {
        const TimeLimit limit(500, "time is up");
        runContest(problem, contenders, backends, {.repeats = 4}, meter, context);
        EXPECT_TRUE(TimeLimit::hasExpired());
        EXPECT_THROW(context.progress().throwIfCancelled(), TimeLimitError);
    }
    EXPECT_NO_THROW(context.progress().throwIfCancelled());
    EXPECT_EQ(contenders[0].cutShort, "2 of 4 rounds: time is up");
    EXPECT_EQ(contenders[0].total.seconds.count, 2u);
    EXPECT_EQ(std::count(script().log.begin(), script().log.end(), "check quick"), 2)
        << "the first and the last that there is";
    EXPECT_EQ(contenders[1].cutShort, "1 of 4 rounds: time is up");
    EXPECT_EQ(contenders[1].total.seconds.count, 1u);
    EXPECT_EQ(std::count(script().log.begin(), script().log.end(), "check slow"), 1)
        << "the last was not finished";

    script() = {};
    for (MeasuredRow& row : contenders) row = {.configuration = row.configuration};
    const TimeLimit limit(0, "time is up");
    runContest(problem, contenders, backends, {.repeats = 4}, meter, context);
    for (const MeasuredRow& row : contenders) EXPECT_EQ(row.skipped, "not finished: time is up");
    EXPECT_TRUE(script().log.empty());
}

/// Counts three joules per reading; another counter cannot measure less than a hundred seconds.
class FakeEnergy final : public EnergyMeter {
  public:
    FakeEnergy() {
        counters_.counters.push_back(std::make_unique<Counter>("fake", 0.1));
        counters_.counters.push_back(std::make_unique<Counter>("slow", 100));
    }
    const EnergyCounters& of(Backend&) override { return counters_; }

  private:
    class Counter final : public EnergyCounter {
      public:
        Counter(std::string name, double leastSeconds)
            : name_(std::move(name)), leastSeconds_(leastSeconds) {}
        const std::string& name() const override { return name_; }
        const std::string& how() const override { return name_; }
        double joules() override { return joules_ += 3; }
        double leastSeconds() const override { return leastSeconds_; }

      private:
        std::string name_;
        double leastSeconds_;
        double joules_ = 0;
    };
    EnergyCounters counters_;
};

TEST_F(StudyCommands, ContestsReportTheEnergyOfTimedRuns) {
    registerFakeBackends();
    script().seconds = {{"slow", {10}}, {"quick", {0.01}}};
    FakeProblem problem(1);
    std::vector<MeasuredRow> contenders{{.configuration = {"cpu", "slow", {}, "float32"}},
                                        {.configuration = {"cpu", "quick", {}, "float32"}},
                                        {.configuration = {"cpu", "wrong", {}, "float32"}}};
    BackendPool backends{BackendOptions{}};
    ConditionsMeter meter;
    std::ostringstream out;
    CommandContext context(out, out, false);
    FakeEnergy energy;
    runContest(problem, contenders, backends, {.repeats = 4, .energy = &energy}, meter, context);
    ASSERT_EQ(contenders[0].energy.size(), 1u);
    EXPECT_EQ(contenders[0].energy[0].joules, 3) << "from before a run to behind it";
    EXPECT_EQ(contenders[0].energy[0].of, "fake");
    EXPECT_THAT(contenders[0].energyAbsent, HasSubstr("the counter of slow resolves nothing below"));
    EXPECT_TRUE(contenders[1].energy.empty());
    EXPECT_THAT(
        contenders[1].energyAbsent,
        HasSubstr("the runs took 80.0 ms together, and the counter of fake resolves nothing below 100 ms"));
    EXPECT_TRUE(contenders[2].energy.empty()) << "wrong";
}

TEST_F(StudyCommands, BenchProbesTheCeilingsOfTheVariantsThatRan) {
    // FakeBackend offers no ceilings.
    const Json json = bench("--variant quick,wrong,packed --repeats 1 --sizes 1 --json"_args).json();
    EXPECT_THAT(script().needs, ElementsAre("quick", "packed"))
        << "nothing is asked for a result that is wrong";
    for (const Json& row : json["rows"]) EXPECT_FALSE(row.contains("ceiling"));
    EXPECT_THAT(json["settings"]["ceilings"].get<std::string>(),
                AllOf(HasSubstr("cpu: add+min float32 not measured: cpu has no such ceiling"),
                      HasSubstr("gl: no such ceiling not measured")));
}

TEST_F(StudyCommands, ReproduceListsFigures) {
    EXPECT_THAT(reproduce({"--list"}).out, AllOf(HasSubstr("fake-figure-1"), HasSubstr("size 1 alone")));
    EXPECT_EQ(reproduce("--list --json"_args).json()["figures"][0]["figure"], "fake-figure-1");
    EXPECT_THAT(reproduce({}).error, HasSubstr("--list"));
    EXPECT_THAT(reproduce({"figure-7"}).error,
                AllOf(HasSubstr("unknown figure 'figure-7'; known: fake-figure-1"),
                      HasSubstr("`glycine reproduce --list`")));
    EXPECT_EQ(reproduce("fake-figure-1 --list"_args).exitCode, 2);
    EXPECT_THAT(reproduce("fake-figure-1 --backend metal"_args).error, HasSubstr("unknown backend 'metal'"));
    EXPECT_THAT(reproduce("fake-figure-1 -o x.jpg"_args).error, HasSubstr(".png"));
}

TEST_F(StudyCommands, ReproduceMeasuresAndJudges) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"quick/1", {2}}};
    const StudyOutcome outcome = reproduce("fake-figure-1 --repeats 3 --json"_args);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    const Json json = outcome.json();
    EXPECT_EQ(json["scale"], "published");
    ASSERT_EQ(json["rows"].size(), 15u);
    EXPECT_EQ(json["rows"][0]["seconds"]["min"], 2.0);
    EXPECT_EQ(json["rows"][0]["published"]["seconds"], 8.0);
    EXPECT_EQ(json["rows"][1]["seconds"]["samples"], (std::vector<double>{3, 3, 3})) << "two stages added up";
    EXPECT_EQ(json["rows"][2]["rate"]["best"], 2.0);
    EXPECT_EQ(json["rows"][2]["scores"], (Json{{"precision", 0.25}}));
    EXPECT_FALSE(json["rows"][0].contains("scores"));
    EXPECT_EQ(json["rows"][3]["threads"], 1);
    EXPECT_EQ(json["rows"][3]["seconds"]["min"], 2.0);
    EXPECT_FALSE(json["rows"][4].contains("verified"));
    EXPECT_EQ(json["claims"][0]["verdict"], "holds");
    EXPECT_EQ(json["claims"][0]["value"], 4.0);
    EXPECT_EQ(json["claims"][1]["verdict"], "cannot be tested");
    EXPECT_TRUE(json.contains("load"));
    EXPECT_EQ(std::count(script().log.begin(), script().log.end(), "slow"), 3 * 4)
        << "rows of one method come from the same runs";
}

TEST_F(StudyCommands, ReproduceHoldsRowsAgainstTheirCeilings) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"quick/1", {2}}};
    script().ceiling = 10;
    script().amount = 5;
    const Json rows = reproduce("fake-figure-1 --quick --json"_args).json()["rows"];
    EXPECT_NEAR(rows[0]["ceiling"]["share"].get<double>(), 0.25, 1e-12) << "0.5 s of the stage's 2 s";
    EXPECT_NEAR(rows[1]["ceiling"]["share"].get<double>(), 0.25, 1e-12) << "of that stage, not of the sum";
    EXPECT_FALSE(rows[2].contains("ceiling")) << "the ceiling is of the whole run, the row of a stage";
    EXPECT_NEAR(rows[3]["ceiling"]["share"].get<double>(), 0.5, 1e-12);
    script().amount = 30;
    const StudyOutcome raised = reproduce("fake-figure-1 --quick"_args);
    const std::string by = "raised by cpu/quick float32 on fake-figure-1, problem 1";
    EXPECT_THAT(raised.out, AllOf(HasSubstr("100 % of add+min float32, " + by),
                                  HasSubstr("raised from 10.0 to 15.0 G/s by cpu/slow float32 on"),
                                  Not(HasSubstr("300 %"))));
    const Json again = reproduce("fake-figure-1 --quick --json"_args).json()["rows"];
    for (const Json& row : again)
        if (row.contains("ceiling")) {
            EXPECT_LE(row["ceiling"]["share"], 1.0);
        }
}

TEST_F(StudyCommands, ASoftwareRendererIsNoGpu) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"packed", {3}}, {"quick/1", {2}}};
    script().hasGpuRow = true;
    const auto reproduced = [&] { return reproduce("fake-figure-1 --quick --json"_args).json(); };
    const Json onGpu = reproduced();
    EXPECT_EQ(onGpu["claims"][1]["verdict"], "holds no longer here");
    EXPECT_EQ(onGpu["claims"][2]["verdict"], "holds") << "of scores";
    EXPECT_FALSE(onGpu["rows"].back().contains("softwareRenderer"));
    script().isSoftware = true;
    const Json json = reproduced();
    EXPECT_EQ(json["claims"][0]["verdict"], "holds") << "of the processor";
    EXPECT_EQ(json["claims"][1]["verdict"], "cannot be tested");
    EXPECT_EQ(json["claims"][1]["reason"], "there is no GPU, the renderer is software (fake gl)");
    EXPECT_FALSE(json["claims"][1].contains("value"));
    EXPECT_EQ(json["claims"][2]["verdict"], "holds") << "scores are what they are";
    EXPECT_EQ(json["rows"].back()["softwareRenderer"], "fake gl");
    EXPECT_TRUE(json["rows"].back().contains("seconds")) << "it is measured all the same";
    bool isFlagged = false;
    for (const Json& device : json["devices"]) {
        EXPECT_EQ(device.contains("softwareRenderer"), device["backend"] == "gl");
        isFlagged = isFlagged || device.value("softwareRenderer", false);
    }
    EXPECT_TRUE(isFlagged);

    const TemporaryFolder folder;
    const std::string chart = (folder / "chart.svg").string();
    const StudyOutcome text = reproduce({"fake-figure-1", "--quick", "-o", chart});
    EXPECT_THAT(text.out, AllOf(HasSubstr("gl/packed gl33 (software renderer)"),
                                HasSubstr("a software renderer, no GPU"),
                                HasSubstr("there is no GPU, the renderer is software (fake gl)"),
                                Not(HasSubstr("holds no longer here")), Not(HasSubstr("shaders"))));
    const std::string svg = readFile(chart);
    EXPECT_THAT(svg, AllOf(HasSubstr(">GPU (software renderer)<"), HasSubstr(">GPU, published<"),
                           Not(HasSubstr(">GPU<"))));
    script().isSoftware = false;
    reproduce({"fake-figure-1", "--quick", "-o", chart});
    EXPECT_THAT(readFile(chart), AllOf(HasSubstr(">GPU<"), HasSubstr(">old: half+rest<")));

    script().isSoftware = true;
    const Json timed = bench("--variant packed --repeats 1 --sizes 1 --json"_args).json();
    EXPECT_EQ(timed["devices"][0]["softwareRenderer"], true);
    EXPECT_THAT(bench("--variant packed --repeats 1 --sizes 1"_args).out,
                HasSubstr("fake gl; fake driver; a software renderer, no GPU"));
}

TEST_F(StudyCommands, ReproduceSaysThatItIsScaled) {
    script().seconds = {{"quick", {1}}, {"slow", {1.2}}};
    const StudyOutcome outcome = reproduce("fake-figure-1 --quick"_args);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_THAT(outcome.out, HasSubstr("QUICK, for a small machine: size 1 alone"));
    EXPECT_THAT(
        outcome.out,
        HasSubstr("holds no longer here  the new one is twice as fast (page 1): 2 × published, 1.20 ×"));
    EXPECT_THAT(outcome.out, HasSubstr("clocks are faster"));
    EXPECT_THAT(outcome.out, HasSubstr("cannot be tested      it is quiet: no microphone"));
    EXPECT_THAT(outcome.out, HasSubstr("the publication's alone"));
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("precision  verified"), HasSubstr("0.250  all exact")));
}

TEST_F(StudyCommands, ReproduceRefusesWhatCannotFitBeforeItMakesInputs) {
    script().figureBytes = 1e17;
    const StudyOutcome outcome = reproduce({"fake-figure-1"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error, MatchesRegex("timing fake-figure-1 needs .* TiB of memory, and .*iB are .*"));
    EXPECT_TRUE(script().log.empty());
    // The smaller scale states its own memory.
    EXPECT_EQ(reproduce("fake-figure-1 --quick"_args).exitCode, 0);
}

TEST_F(StudyCommands, ReproduceWithoutAMethodCannotTest) {
    const StudyOutcome outcome = reproduce("fake-figure-1 --backend gl --json"_args);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_THAT(outcome.json()["cutShort"].get<std::string>(), HasSubstr("nothing was measured"));
    EXPECT_EQ(outcome.json()["claims"][0]["reason"], "old, problem 1: not among --backend");
}

TEST_F(StudyCommands, ReproduceAllMakesAFolderOfReports) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"packed", {3}}, {"quick/1", {2}}};
    script().hasGpuRow = script().isSoftware = true;
    const TemporaryFolder folder;
    EXPECT_THAT(reproduce({"all"}).error, HasSubstr("-o FOLDER"));
    const StudyOutcome outcome =
        reproduce({"all", "--quick", "--budget", "1000", "-o", (folder / "new/all").string()});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    // One claim about the processor and one about scores are decided; none about the GPU is, and one is
    // untested.
    EXPECT_THAT(outcome.out, HasSubstr("2 of 4 sentences are decided (50 %), 2 of 4 cases (50 %)"));
    EXPECT_THAT(outcome.out,
                HasSubstr("\nleft out: fake-drawing needs --input FILE, in a call of its own\n"));
    EXPECT_THAT(reproduce({"all", "--input", "x", "-o", (folder / "other").string()}).error,
                HasSubstr("--input is for a figure that is drawn"));
    const Json all = Json::parse(readFile(folder / "new/all/report.json"));
    EXPECT_EQ(all["claims"]["holds"], 2);
    EXPECT_EQ(all["claims"]["cannot be tested"], 2);
    EXPECT_EQ(all["cases"], (Json{{"all", 4}, {"decided", 2}}));
    EXPECT_EQ(all["leftOut"][0]["figure"], "fake-drawing");
    EXPECT_EQ(all["figures"][0], Json::parse(readFile(folder / "new/all/fake-figure-1.json")));
    EXPECT_THAT(readFile(folder / "new/all/charts/fake-figure-1.svg"), HasSubstr("GPU, published"));
    EXPECT_THAT(
        readFile(folder / "new/all/report.md"),
        AllOf(
            StartsWith("# Published figures, measured on this machine\n\n- **Claims of publications.** 2 of "
                       "4 sentences are decided (50 %), 2 of 4 cases (50 %): holds 2, cannot be tested "
                       "2.\n\n## Verdicts\n"),
            HasSubstr("Left out: fake-drawing (a face), which needs a file: a photograph."),
            HasSubstr("- **Verdicts.** 4 claims: holds 2, cannot be tested 2.\n\n![waiting](charts"),
            HasSubstr("charts/fake-figure-1.svg"), HasSubstr("the new one is twice as fast"),
            HasSubstr("there is no GPU")));
    EXPECT_TRUE(std::filesystem::exists(folder / "new/all/report.html"));
    // `glycine report` compares it with a report of a single figure.
    const std::vector<StudyReport> read{readStudyReport(folder / "new/all/report.json"),
                                        readStudyReport(folder / "new/all/fake-figure-1.json")};
    EXPECT_EQ(read[0].scale, "quick");
    EXPECT_EQ(read[0].label, "fake gl");
    const std::vector<MachineClaim> claims = machineClaims(read);
    ASSERT_EQ(claims.size(), 4U);
    EXPECT_EQ(claims[0].claim.text(), "the new one is twice as fast (page 1)");
    EXPECT_EQ(claims[0].verdicts[0]->verdict, "holds");
    EXPECT_EQ(claims[1].verdicts[1]->found(), "–");
    const std::string markdown = toMarkdown(describeComparison(read, folder / "charts"));
    EXPECT_THAT(markdown, AllOf(HasSubstr("Published claims"), HasSubstr("the new one is twice as fast"),
                                HasSubstr("Of 4 sentences, 2 are decided: 2 on A, 2 on B; 50 % on at least"),
                                Not(HasSubstr("Performance portability"))));
    // Alone, it has a page.
    const StudyOutcome page = runCommand(
        declareReport, {(folder / "new/all/fake-figure-1.json").string(), "-o", (folder / "page").string()});
    ASSERT_EQ(page.exitCode, 0) << page.error;
    EXPECT_THAT(readFile(folder / "page/report.md"), HasSubstr("fake-figure-1: waiting"));
    EXPECT_THAT(readFile(folder / "page/tables/claims.csv"), HasSubstr("the new one is twice as fast"));
    // Its own folder keeps its own page, whatever is to be written there.
    const std::string own = readFile(folder / "new/all/report.html");
    const std::string ownJson = readFile(folder / "new/all/report.json");
    for (const char* file : {"new/all/report.json", "new/all/fake-figure-1.json", "page/report.json"}) {
        const StudyOutcome refused =
            runCommand(declareReport, {(folder / file).string(), "-o", (folder / "new/all").string()});
        EXPECT_NE(refused.exitCode, 0) << file;
        EXPECT_THAT(refused.error, HasSubstr("new/all: has the page of `glycine reproduce all`")) << file;
    }
    EXPECT_EQ(readFile(folder / "new/all/report.html"), own);
    EXPECT_EQ(readFile(folder / "new/all/report.json"), ownJson);
    EXPECT_THAT(messageOf<InputError>([] {
                    parseStudyReport({{"command", "reproduce"}}, "r.json");
                }),
                HasSubstr("as a report of `glycine reproduce`"));
    // A second call: nothing is open, and everything is kept.
    const std::string html = readFile(folder / "new/all/report.html");
    script().log.clear();
    const auto again = [&](std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"all", "--quick", "--budget", "1000", "-o", (folder / "new/all").string()});
        return reproduce(more);
    };
    EXPECT_EQ(again({}).out, outcome.out);
    EXPECT_THAT(script().log, IsEmpty());
    EXPECT_EQ(readFile(folder / "new/all/report.html"), html);
    EXPECT_EQ(again({"--restart"}).exitCode, 0);
    EXPECT_THAT(script().log, Not(IsEmpty()));
    EXPECT_THAT(again({"--seed", "2"}).error, HasSubstr("--restart"));
    EXPECT_THAT(reproduce("fake-figure-1 --restart"_args).error, HasSubstr("reproduce all"));
    script().figureBytes = 1e17;
    const StudyOutcome large = reproduce({"all", "-o", (folder / "large").string()});
    ASSERT_EQ(large.exitCode, 0) << large.error << ": no figure is one";
    EXPECT_THAT(readFile(folder / "large/report.md"), HasSubstr("timing fake-figure-1 needs"));
}

// A call that goes on keeps what was measured, with its ceilings and devices, and runs what open claims lack.
TEST_F(StudyCommands, ReproduceAllGoesOnWhereTheBudgetEnded) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"packed", {0.1}}, {"quick/1", {2}}};
    script().hasGpuRow = true;
    script().ceiling = 10;
    const TemporaryFolder folder;
    const auto call = [&folder] {
        const StudyOutcome outcome = reproduce({"all", "--budget", "500", "-o", (folder / "all").string()});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        return Json::parse(readFile(folder / "all/fake-figure-1.json"));
    };
    script().outlasting = "quick";  // on one thread, the last of a round, after one that is dropped
    script().runsBefore = 3;
    const Json stopped = call();
    EXPECT_THAT(script().log, testing::Contains("slow"));
    EXPECT_LT(std::ranges::find(script().log, "packed"), std::ranges::find(script().log, "slow"))
        << "devices come first";
    EXPECT_EQ(stopped["rows"][0]["seconds"]["count"], 1);
    EXPECT_EQ(stopped["rows"][0]["ceiling"]["name"], "add+min float32");
    EXPECT_EQ(stopped["claims"][0]["verdict"], "holds");
    EXPECT_EQ(stopped["claims"][1]["verdict"], "undecided");
    EXPECT_THAT(stopped["claims"][1]["reason"].get<std::string>(),
                HasSubstr("the figure's share of the budget"));
    script().outlasting.clear();
    script().log.clear();
    const Json complete = call();
    EXPECT_EQ(script().log.front(), "packed") << "the open claim is about it and one thread";
    for (const std::size_t row : {0U, 1U}) EXPECT_EQ(complete["rows"][row], stopped["rows"][row]);
    EXPECT_EQ(complete["rows"][5]["seconds"]["count"], 5);
    for (const std::size_t claim : {0U, 1U, 2U}) EXPECT_EQ(complete["claims"][claim]["verdict"], "holds");
    EXPECT_EQ(complete["devices"].size(), 2U) << "cpu and gl";
}

TEST_F(StudyCommands, ReproduceWithinABudgetTakesClaimsFirstAndExtrapolates) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"quick/1", {2}}};
    script().outlasting = "quick";
    script().runsBefore = 3;
    const Json json = reproduce("fake-figure-1 --repeats 2 --budget 500 --json"_args).json();
    EXPECT_EQ(json["claims"][0]["verdict"], "holds") << "the claim's rows came first";
    EXPECT_THAT(script().log.front(), "slow");
    EXPECT_EQ(std::ranges::count(script().log, "quick/1"), 1)
        << "no claim is about it: it came last, and took the rest";
    EXPECT_THAT(json["rows"][3]["skipped"].get<std::string>(), HasSubstr("the budget of"));
}

// A budget first gives each sentence a verdict, then judges sentences in other cases.
TEST_F(StudyCommands, ReproduceWithinABudgetTakesSentencesFirst) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"quick/1", {1}}};
    script().hasOtherCase = true;
    const Json json = reproduce("fake-figure-1 --repeats 2 --budget 9000 --json"_args).json();
    for (const std::size_t claim : {0U, 1U, 2U}) EXPECT_EQ(json["claims"][claim]["verdict"], "holds");
    const std::vector<std::string>& log = script().log;
    const auto ofSentences = std::find(log.rbegin(), log.rend(), "quick/1").base();
    EXPECT_EQ(std::count(log.begin(), ofSentences, "slow"), 3) << "once a round, of the first case alone";
    EXPECT_EQ(std::count(ofSentences, log.end(), "slow"), 6) << "of the other case, and of no claim";
}

// A sentence about "the GPU" gets a verdict on each backend before other sentences get further cases.
TEST_F(StudyCommands, ReproduceWithinABudgetJudgesEachGpu) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"packed", {0.1}}, {"quick/1", {2}}};
    script().hasGpuRow = script().hasGpus = true;
    const Json json = reproduce("fake-figure-1 --repeats 2 --budget 1000 --json"_args).json();
    std::map<std::string, std::string> verdicts;
    for (const Json& claim : json["claims"])
        if (claim["claim"] == "the GPU is faster") verdicts[claim["column"]] = claim["verdict"];
    // The fake gl runs, the other GPU backend does not exist.
    EXPECT_EQ(verdicts["gl, size 1"], "holds");
    EXPECT_EQ(verdicts["gl, size 2"], "holds no longer here");
    EXPECT_EQ(verdicts["cuda, size 1"], "cannot be tested");
    for (const Json& sentence : json["sentences"]) {
        if (sentence["claim"] != "the GPU is faster") continue;
        EXPECT_EQ(sentence["verdict"], "differs");
        EXPECT_EQ(sentence["difference"], "holds (gl, size 1), holds no longer here (gl, size 2)");
    }
    const TemporaryFolder folder;
    ASSERT_EQ(reproduce({"all", "--budget", "1000", "-o", (folder / "all").string()}).exitCode, 0);
    EXPECT_THAT(
        readFile(folder / "all/report.md"),
        AllOf(HasSubstr("| claim | published | on | here | gl | cuda | verdict | why |"),
              testing::ContainsRegex("the GPU is faster \\(page 2\\) \\| 10 × \\| size 1 \\|  \\| 20.0 × .*: "
                                     "holds \\| –: cannot be tested \\| holds \\| cuda: CUDA"),
              HasSubstr("the GPU is faster (page 2) differs: holds (gl, size 1), ")));
}

// A score is the same on any device. Other rows that a software renderer could run get no share of the
// budget, and neither do rows whose claims only compare with them.
TEST_F(StudyCommands, ReproduceWithinABudgetLeavesSoftwareRenderersOut) {
    script().seconds = {{"quick", {1}}, {"slow", {4}}, {"packed", {3}}, {"quick/1", {2}}};
    script().hasGpuRow = script().isSoftware = true;
    const Json json = reproduce("fake-figure-1 --repeats 2 --budget 1000 --json"_args).json();
    std::map<std::string, std::string> skipped;
    for (const Json& row : json["rows"])
        if (row["method"] == "GPU") skipped[row["problem"]] = row.value("skipped", "");
    const auto isLeftOut = HasSubstr("there is no GPU");
    EXPECT_THAT(skipped, ElementsAre(testing::Pair("problem 1", ""), testing::Pair("problem 2", isLeftOut),
                                     testing::Pair("problem 4", isLeftOut)));
    EXPECT_THAT(json["claims"][1]["reason"].get<std::string>(), HasSubstr("there is no GPU"));
    EXPECT_EQ(json["claims"][2]["verdict"], "holds");
}

TEST_F(StudyCommands, ReproduceWritesReportAndPicture) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / "glycine_study_commands_test";
    std::filesystem::create_directories(folder);
    const StudyOutcome outcome = reproduce(
        {"fake-figure-1", "--quick", "-o", (folder / "r.json").string(), "-o", (folder / "r.png").string()});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_EQ(Json::parse(std::ifstream(folder / "r.json"))["figure"], "fake-figure-1");
    EXPECT_GT(std::filesystem::file_size(folder / "r.png"), 1000u);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace glycine::study::test
