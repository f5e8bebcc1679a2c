// `glycine validate|bench|reproduce crossapen`: generated inputs, agreement with the reference, checks of
// samples, the paper's loops, and the commands themselves, on the processor.
#include <cmath>
#include <iostream>
#include <limits>
#include <numeric>

#include "app/crossapen/commands.hpp"
#include "engine/algorithms/crossapen/study/figures.hpp"
#include "engine/algorithms/crossapen/study/paper_loop.hpp"
#include "engine/algorithms/crossapen/study/result_agreement.hpp"
#include "engine/algorithms/crossapen/study/result_check.hpp"
#include "engine/algorithms/crossapen/study/validation_inputs.hpp"
#include "engine/core/guarded_matrix.hpp"
#include "engine/io/arrays/npy.hpp"
#include "tests/algorithms/crossapen/crossapen_fixtures.hpp"
#include "tests/app/task_test.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::crossapen {
namespace {

using test::expectTaskRefused;
using test::readFile;
using test::runTask;
using test::TaskOutcome;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// How a double of an engine goes wrong, in the last pair of the last epoch.
enum class Fault { None, OneMatch, LastBit, Unwritten, Stray };

/// The reference with one fault.
class FaultyMatcher final : public Matcher {
  public:
    explicit FaultyMatcher(Fault fault) : fault_(fault) {}
    Support supports(const MatchRequest& request) const override { return supportsShape(request); }
    MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                       std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress) override {
        const MatrixView<MatchStatistics> last = statistics.back();
        const std::size_t channel = last.rows() - 1;
        MatchStatistics& pair = last(channel, channel);
        const MatchStatistics before = pair;
        HostBackend backend("reference", 1);
        const MatchOutcome outcome =
            reference::matcher().create(backend)->match(epochs, rule, variant, statistics, progress);
        if (fault_ == Fault::OneMatch) ++pair.matchesLong;
        if (fault_ == Fault::LastBit) ++pair.logShort;
        if (fault_ == Fault::Unwritten) pair = before;
        if (fault_ == Fault::Stray) *(&pair + 1) = pair;
        return outcome;
    }

  private:
    Fault fault_;
};

/// The reference's memberships, all of them larger by a factor.
class InflatedSummer final : public MembershipSummer {
  public:
    explicit InflatedSummer(double factor) : factor_(factor) {}
    Support supports(const MembershipRequest& request) const override { return supportsMemberships(request); }
    MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                     std::span<const MatrixView<MembershipSums>> sums, Progress& progress) override {
        HostBackend backend("reference", 1);
        const MatchOutcome outcome =
            reference::membershipSummer().create(backend)->sum(epochs, rule, sums, progress);
        sums.back()(0, 0).longSum *= factor_;
        return outcome;
    }

  private:
    double factor_;
};

/// Registers the backends.
class CrossApEnTasks : public ::testing::Test {
  protected:
    void SetUp() override { runTask(addValidateTask, {"--backend", "none"}); }
    Progress progress_;
    double seconds_ = 0;
};

EpochBatch someBatch(NumberFormat format = NumberFormat::Float32, SignalShape shape = {3, 40, 2}) {
    return generateBatch(format, shape, {}, 0.2, 1);
}

using Agreement = CrossApEnTasks;

TEST_F(Agreement, FindsAWrongStatistic) {
    const EpochBatch batch = someBatch();
    const auto expected = askReference<Matcher>(batch, {}, progress_);
    const auto compare = [&](Fault fault) {
        FaultyMatcher matcher(fault);
        return compareWithReference(static_cast<Matcher&>(matcher), batch, {}, Variant::Default, expected,
                                    progress_, seconds_);
    };
    EXPECT_TRUE(compare(Fault::None).isEqual);
    for (const Fault fault : {Fault::OneMatch, Fault::LastBit, Fault::Unwritten, Fault::Stray}) {
        const Comparison comparison = compare(fault);
        EXPECT_FALSE(comparison.isEqual) << static_cast<int>(fault);
        EXPECT_FALSE(comparison.agrees()) << static_cast<int>(fault);
        EXPECT_GT(comparison.largestDifference, 0) << static_cast<int>(fault);
    }
    EXPECT_THAT(compare(Fault::OneMatch).place, StartsWith("long matches of (2, 2) in epoch 1: "));
    EXPECT_THAT(compare(Fault::LastBit).place, StartsWith("logarithms of short matches of (2, 2)"));
    EXPECT_THAT(compare(Fault::Stray).place, HasSubstr("epoch 1, which were overwritten"));
}

TEST_F(Agreement, SeesTheLastBitOfLargeNumbers) {
    const EpochBatch batch = someBatch();
    MatchStatistics expected;
    expected.logShort = LogSum{1} << 55;
    MatchStatistics found = expected;
    ++found.logShort;  // the same number in double precision
    ResultComparison<Matcher> comparison(batch, {});
    comparison.add(expected, found, 0, 1, 2);
    EXPECT_FALSE(comparison.comparison().agrees());
    EXPECT_THAT(comparison.comparison().place, HasSubstr("(1, 2)"));
}

TEST_F(Agreement, MembershipsMayDifferByRounding) {
    for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64}) {
        const EpochBatch batch = someBatch(format);
        const FuzzyRule rule;
        const auto expected = askReference<MembershipSummer>(batch, rule, progress_);
        const auto compare = [&](double factor) {
            InflatedSummer summer(factor);
            return compareWithReference(static_cast<MembershipSummer&>(summer), batch, rule, Variant::Default,
                                        expected, progress_, seconds_);
        };
        const double allowed = membershipTolerance(rule, format);
        EXPECT_TRUE(compare(1).isEqual);
        const Comparison close = compare(1 + allowed / 2);
        EXPECT_FALSE(close.isEqual);
        EXPECT_TRUE(close.agrees());
        EXPECT_NEAR(close.largestDifference, allowed / 2, allowed / 10);
        EXPECT_FALSE(compare(1 + 2 * allowed).agrees());
        EXPECT_FALSE(compare(std::numeric_limits<double>::quiet_NaN()).agrees());
    }
}

TEST_F(Agreement, OfLargeResultsIsSampledAndCompared) {
    const EpochBatch batch = someBatch(NumberFormat::Float32, {9, 100, 6});
    auto results = askReference<Matcher>(batch, {}, progress_);
    ResultCheck<Matcher> check(batch, {}, 1, 0.2 * batch.comparisons(), progress_);
    // Faults where no sample is: only a second result can show them.
    EXPECT_TRUE(check.check("first", results));
    EXPECT_THAT(check.verdict(), HasSubstr("pairs exact"));
    EXPECT_TRUE(check.check("second", results));
    EXPECT_THAT(check.verdict(), HasSubstr(", all 486 as first"));
    for (std::size_t e = 0; e < batch.count(); ++e)
        for (std::size_t pair = 0; pair < results[e].size(); ++pair) {
            MatchStatistics& one = results[e].data()[pair];
            ++one.noLong;
            EXPECT_FALSE(check.check("second", results)) << e << ", " << pair;
            --one.noLong;
        }
    ResultCheck<Matcher> whole(batch, {}, 1, 1e9, progress_);
    EXPECT_TRUE(whole.check("first", results));
    EXPECT_EQ(whole.verdict(), "all 486 pairs exact");
    ++results[3](4, 5).noShort;
    EXPECT_FALSE(whole.check("first", results));
    EXPECT_THAT(whole.verdict(), HasSubstr("templates without a short match of (4, 5) in epoch 3"));
}

class Inputs : public CrossApEnTasks {
  protected:
    static ValidationInput find(const std::vector<ValidationInput>& inputs, const std::string& name) {
        for (const ValidationInput& input : inputs) {
            if (input.name.rfind(name, 0) != 0) continue;
            ValidationInput copy;
            copy.rule = input.rule;
            copy.isNormalised = input.isNormalised;
            copy.tolerance = input.tolerance;
            for (const auto& epoch : input.epochs) copy.epochs.push_back(epoch.clone());
            for (const auto& epoch : input.plainEpochs) copy.plainEpochs.push_back(epoch.clone());
            return copy;
        }
        ADD_FAILURE() << "no input " << name;
        return {};
    }
    ResultMatrices<Matcher> ask(const ValidationInput& input, NumberFormat format) {
        return askReference<Matcher>(input.batch(format), input.rule, progress_);
    }
};

TEST_F(Inputs, AreWhatTheyAreCalled) {
    ValidationPlan plan;
    plan.shapes = {{3, 50, 2}};
    const auto inputs = makeValidationInputs(plan);
    const ValidationInput ties = find(inputs, "ties at r, m 2");
    const ValidationInput strict = find(inputs, "ties at r, <, m 2");
    const ValidationInput separate = find(inputs, "no matches between channels, m 1");
    const ValidationInput pairs = find(inputs, "r of each pair, m 3");
    EXPECT_TRUE(strict.rule.isStrict);
    EXPECT_EQ(pairs.tolerance.size(), 9U);
    EXPECT_NE(pairs.tolerance[1], pairs.tolerance[2]);
    for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64}) {
        const auto tied = ask(ties, format);
        // Distances of exactly r count in one and not in the other.
        EXPECT_GT(tied.front()(0, 1).matchesShort, ask(strict, format).front()(0, 1).matchesShort);
        const auto apart = ask(separate, format);
        EXPECT_EQ(apart.back()(0, 1).matchesShort, 0U);
        EXPECT_EQ(apart.back()(0, 1).noShort, 50U);
        EXPECT_GE(apart.back()(1, 1).matchesLong, 49U);
    }
}

TEST_F(Inputs, HoldTheInvariances) {
    const auto inputs = makeValidationInputs({});
    for (const char* m : {"m 1", "m 2", "m 3", "m 5"}) {
        const ValidationInput moved = find(inputs, std::string("signals shifted and scaled, ") + m);
        EXPECT_NE(moved.epochs.front()(0, 0), moved.plainEpochs.front()(0, 0));
        const ValidationInput twins = find(inputs, std::string("a signal and its copy, ") + m);
        for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64}) {
            const auto expected = askReference<Matcher>(moved.plainBatch(format), moved.rule, progress_);
            const auto found = ask(moved, format);
            for (std::size_t pair = 0; pair < 9; ++pair)
                EXPECT_EQ(found.front().data()[pair], expected.front().data()[pair]) << m << ", " << pair;
            // A signal with itself, as in ApEn.
            const auto self = askReference<Matcher>(twins.plainBatch(format), twins.rule, progress_);
            const auto copies = ask(twins, format);
            for (std::size_t pair = 0; pair < 4; ++pair)
                EXPECT_EQ(copies.front().data()[pair], self.front()(0, 0)) << m << ", " << pair;
        }
    }
}

TEST_F(Inputs, CoverTheEdges) {
    std::size_t shortest = 0;
    std::size_t single = 0;
    std::size_t fuzzy = 0;
    for (const ValidationInput& input : makeValidationInputs({})) {
        const Matrix<double>& epoch = input.epochs.front();
        EXPECT_TRUE(isLongEnough(epoch.columns(), input.rule.m)) << input.name;
        shortest += epoch.columns() == input.rule.m + 2;
        single += epoch.rows() == 1;
        fuzzy += input.isFuzzy;
    }
    EXPECT_GE(shortest, 4U * 4);
    EXPECT_GE(single, 4U * 4);
    EXPECT_GT(fuzzy, 20U);
    ValidationPlan tooShort;
    tooShort.m = {5};
    tooShort.shapes = {{2, 6, 1}};
    for (const ValidationInput& input : makeValidationInputs(tooShort))
        EXPECT_GE(input.epochs.front().columns(), 7U) << input.name;
}

TEST_F(CrossApEnTasks, ThePapersLoopsCountAsTheReferenceDoes) {
    for (const unsigned m : {1U, 2U, 3U})
        for (const std::size_t samples : {std::size_t{m} + 2, std::size_t{67}}) {
            const EpochBatch batch = someBatch(NumberFormat::Float32, {2, samples, 1});
            const auto epoch = std::get<Epoch<float>>(batch.views().front());
            const MatchStatistics expected = askReference<Matcher>(batch, {.m = m}, progress_).front()(0, 1);
            for (const auto count : {countInTwoSweeps, countInOneSweep}) {
                std::vector<std::uint32_t> shortMatches(shortTemplates(samples, m));
                std::vector<std::uint32_t> longMatches(longTemplates(samples, m));
                count({epoch.signals.row(0), samples}, {epoch.signals.row(1), samples}, m, epoch.tolerance[0],
                      {shortMatches, longMatches});
                const auto sum = [](const std::vector<std::uint32_t>& counts) {
                    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
                };
                EXPECT_EQ(sum(shortMatches), expected.matchesShort);
                EXPECT_EQ(sum(longMatches), expected.matchesLong);
                EXPECT_EQ(std::count(shortMatches.begin(), shortMatches.end(), 0U), expected.noShort);
                EXPECT_EQ(std::count(longMatches.begin(), longMatches.end(), 0U), expected.noLong);
            }
        }
}

TEST_F(CrossApEnTasks, ValidateComparesTheProcessor) {
    const TaskOutcome outcome =
        runTask(addValidateTask, {"--backend", "cpu", "--samples", "9,40", "--m", "1,3", "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    const Json json = outcome.json();
    EXPECT_EQ(json["algorithm"], "crossapen");
    EXPECT_EQ(json["agrees"], true);
    ASSERT_EQ(json["rows"].size(), 6U);
    for (const Json& row : json["rows"]) {
        EXPECT_EQ(row["backend"], "cpu");
        EXPECT_GT(row["inputs"], 10);
        EXPECT_TRUE(row["variant"] == "membership" || row["equalToTheBit"] == row["inputs"]);
        EXPECT_EQ(row["disagreements"].size(), 0U);
    }
}

TEST_F(CrossApEnTasks, ValidateTellsWhatDidNotRun) {
    const TaskOutcome outcome = runTask(addValidateTask, {"--backend", "cuda", "--samples", "9"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error, HasSubstr("nothing was compared"));
    EXPECT_THAT(outcome.out, HasSubstr("skipped: none here"));
    // Templates longer than the cpu takes are declined, not wrong.
    const TaskOutcome declined = runTask(
        addValidateTask, {"--backend", "cpu", "--variant", "merged", "--m", "1,65", "--samples", "80"});
    EXPECT_EQ(declined.exitCode, 0) << declined.error;
    EXPECT_THAT(declined.out, HasSubstr("declined)"));
}

TEST_F(CrossApEnTasks, ValidateTakesAFile) {
    const TemporaryFolder folder;
    const std::string file = (folder / "signals.npy").string();
    const Matrix<double> signals = randomSignals({}, 3, 2 * 1024, 5);
    io::writeNpy<double>(file, signals.view());
    const TaskOutcome outcome = runTask(
        addValidateTask, {file, "--backend", "cpu", "--variant", "merged", "--channels", "2", "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    const Json json = outcome.json();
    EXPECT_THAT(json["settings"]["input"].get<std::string>(),
                HasSubstr("2 of 3 channels, 2 epochs of 1,024 samples"));
    ASSERT_EQ(json["rows"].size(), 2U);
    for (const Json& row : json["rows"]) EXPECT_EQ(row["equalToTheBit"], 2);  // m = 1 and 2
}

TEST_F(CrossApEnTasks, ValidateRefusals) {
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
        expectTaskRefused(addValidateTask, arguments, message);
    };
    refused({"in.npy", "--samples", "9,10"}, "one number");
    refused({"in.npy", "--seed", "9"}, "not both");
    refused({"in.npy", "--seed", "9"}, "not both");
    refused({"missing.npy"}, "missing.npy");
    refused({"--epochs", "3"}, "--epochs limits a file");
    refused({"--channels", "3"}, "--channels needs --samples");
    refused({"--m", "0"}, "--m");
    refused({"--r", "-1"}, "--r");
    refused({"--backend", "metal"}, "unknown backend");
    refused({"--variant", "quick"}, "unknown variant");
    refused({"--format", "half"}, "unknown number format");
    refused({"--dialects", "hlsl"}, "unknown dialect");
    refused({"--backend", "cpu", "--max-texture", "8"}, "--max-texture concerns gl");
}

TEST_F(CrossApEnTasks, BenchVerifiesAndReports) {
    const TemporaryFolder folder;
    const std::string file = (folder / "report.json").string();
    const TaskOutcome outcome =
        runTask(addBenchTask, {"--channels", "2,5", "--samples", "60", "--epochs", "2", "--backend",
                               "reference,cpu,cuda", "--m", "2", "--repeats", "2", "-o", file, "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    const Json json = outcome.json();
    EXPECT_EQ(json, Json::parse(readFile(file)));
    EXPECT_EQ(json["rateUnit"], "G/s");
    ASSERT_EQ(json["rows"].size(), 6U);
    for (const Json& row : json["rows"]) {
        EXPECT_EQ(row["samples"], 60);
        EXPECT_EQ(row["epochs"], 2);
        if (row["backend"] == "cuda") {
            EXPECT_EQ(row["skipped"], "none here");
            EXPECT_FALSE(row.contains("seconds"));
            continue;
        }
        EXPECT_EQ(row["verified"], true);
        EXPECT_EQ(row["check"], row["channels"] == 2 ? "all 8 pairs exact" : "all 50 pairs exact");
        EXPECT_EQ(row["seconds"]["total"]["count"], 2);
        for (const char* stage : {"prepare", "upload", "compute", "download"})
            EXPECT_TRUE(row["seconds"].contains(stage)) << stage;
        EXPECT_GT(row["rates"]["total"]["best"], 0);
        EXPECT_NE(row["variant"], "default");
    }
    EXPECT_EQ(json["rows"][3]["channels"], 5);
    EXPECT_EQ(json["rows"][3]["ratioToFirst"], 1.0);
}

TEST_F(CrossApEnTasks, BenchCountsThePairsThatAreDelivered) {
    for (const auto& [pairs, count] : {std::pair("cross", 4.0), std::pair("self", 1.0)}) {
        const TaskOutcome outcome =
            runTask(addBenchTask, {"--pairs", pairs, "--samples", "50", "--epochs", "3", "--backend", "cpu",
                                   "--variant", "merged", "--repeats", "1", "--json"});
        ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
        const Json row = outcome.json()["rows"][0];
        const double work =
            row["rates"]["total"]["best"].get<double>() * row["seconds"]["total"]["min"].get<double>() * 1e9;
        EXPECT_NEAR(work, count * 3 * 50 * 50, 1) << pairs;
        EXPECT_THAT(outcome.json()["settings"]["rates"].get<std::string>(), HasSubstr("the paper counts"));
    }
}

TEST_F(CrossApEnTasks, BenchTimesMembershipsAndStudies) {
    const TaskOutcome fuzzy = runTask(addBenchTask, {"--variant", "membership", "--backend", "cpu",
                                                     "--samples", "50", "--channels", "2", "--json"});
    ASSERT_EQ(fuzzy.exitCode, 0) << fuzzy.error;
    EXPECT_EQ(fuzzy.json()["rows"][0]["variant"], "membership");
    const TaskOutcome study =
        runTask(addBenchTask, {"--study", "--subjects", "3", "--epochs", "2", "--channels", "4", "--samples",
                               "64", "--backend", "reference,cpu", "--json"});
    ASSERT_EQ(study.exitCode, 0) << study.error << study.out;
    const Json json = study.json();
    ASSERT_EQ(json["rows"].size(), 2U);
    EXPECT_EQ(json["rows"][1]["subjects"], 3);
    EXPECT_THAT(json["rows"][1]["check"].get<std::string>(),
                AllOf(HasSubstr("each subject: "), HasSubstr("checksums as reference")));
    EXPECT_GT(json["rows"][1]["rates"]["total"]["best"], 0);
}

TEST_F(CrossApEnTasks, BenchRefusals) {
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
        expectTaskRefused(addBenchTask, arguments, message);
    };
    refused({"--pairs", "some"}, "cross");
    refused({"--pairs", "cross", "--channels", "4"}, "--channels or --pairs");
    refused({"--kind", "square"}, "logistic");
    refused({"--coupling", "2"}, "0 … 1");
    refused({"--format", "half"}, "float64");
    refused({"--m", "7", "--samples", "8"}, "too short");
    refused({"--input", "x.npy", "--kind", "white"}, "not both");
    refused({"--input", "x.npy", "--study"}, "--study generates");
    refused({"--study", "--samples", "64,128"}, "one shape");
    refused({"--study", "--pairs", "cross"}, "--study");
    refused({"--study", "--repeats", "3"}, "--repeats");
    refused({"--subjects", "3"}, "--study");
    refused({"--study", "--variant", "membership"}, "memberships are other work");
    refused({"--variant", "membership,merged", "--backend", "cpu"}, "memberships are other work");
    refused({"-o", "/nowhere/report.json"}, "/nowhere");
    refused({"--backend", "cpu", "--dialect", "es300"}, "--dialect concerns gl");
}

TEST_F(CrossApEnTasks, ReproduceShowsThePapersTimesBesideOurs) {
    const TemporaryFolder folder;
    const std::string png = (folder / "figures.png").string();
    const TaskOutcome outcome =
        runTask(addReproduceTask, {"--backend", "cpu,cuda", "--trials", "4", "--samples", "64", "--repeats",
                                   "1", "--png", png, "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    const Json json = outcome.json();
    std::vector<std::string> names;
    for (const Json& figure : json["figures"]) {
        names.push_back(figure["name"]);
        for (const Json& row : figure["rows"]) {
            const bool isMeasured = row.contains("seconds");
            EXPECT_TRUE(!isMeasured || row["verified"] == true) << row;
            EXPECT_TRUE(isMeasured || row.contains("skipped") || row.contains("paperSeconds")) << row;
            // Nothing is compared with the paper's loops.
            EXPECT_TRUE(!row.contains("timesFasterThanBase") || row["backend"] == "cpu") << row;
        }
    }
    EXPECT_THAT(names, ::testing::ElementsAre("Figure 4", "Figure 5", "Figure 6", "Table 1"));
    const Json& table = json["figures"][3];
    EXPECT_EQ(table["rows"][3]["method"], "6 cores");
    EXPECT_NEAR(table["rows"][3]["paperSeconds"].get<double>(), 20.78724, 1e-9);
    EXPECT_THAT(table["base"].get<std::string>(), StartsWith("cpu "));
    EXPECT_THAT(readFile(png), StartsWith("\x89PNG"));
}

TEST_F(CrossApEnTasks, TheStudyStandsBesideThePapersHours) {
    CommandContext context(std::cout, std::cerr, false);
    FigureReport report;
    FigureRuns runs({}, 1, 1, context, report);
    StudyPlan study;
    study.subjects = 2;
    study.shape = {.channels = 3, .samples = 70, .epochs = 2};
    const Figure figure = makeStudyFigure({{}, {"cpu", "cuda"}}, runs, study, context);
    ASSERT_EQ(figure.rows.size(), 4U);
    EXPECT_EQ(figure.rows[0].paperSeconds, 5 * 24 * 3600);
    EXPECT_EQ(figure.rows[1].paperSeconds, 30 * 60);
    EXPECT_NEAR(figure.paperComparisons, 3.38e13, 0.01e13);
    EXPECT_TRUE(figure.rows[2].hasTime()) << figure.rows[2].check;
    EXPECT_EQ(figure.rows[2].comparisons, 2.0 * 2 * 3 * 3 * 70 * 70);
    EXPECT_EQ(figure.ratioToBase(figure.rows[2]), 1);
    EXPECT_EQ(figure.rows[3].skipped, "none here");
    EXPECT_EQ(figure.ratioToBase(figure.rows[3]), 0);
    EXPECT_EQ(figure.conclusions.size(), 1U);
}

TEST_F(CrossApEnTasks, ReproduceRefusals) {
    const auto refused = [](std::vector<std::string> arguments, const std::string& message) {
        if (arguments.front() != "--backend") arguments.insert(arguments.begin(), {"--backend", "cpu"});
        expectTaskRefused(addReproduceTask, arguments, message);
    };
    refused({"--subjects", "3"}, "--study");
    refused({"--samples", "20"}, "--samples");
    refused({"--backend", "reference"}, "reference");
    refused({"--backend", "metal"}, "metal");
    refused({"--png", "figure.jpg"}, ".png");
    refused({"--dialect", "es300"}, "--dialect concerns gl");
}

}  // namespace
}  // namespace glycine::crossapen
