// Tests --gaps and --min-overlap of `glycine mutualinfo` and `glycine network`: reports, warnings, refusals,
// resumed runs, and information that is written and read again.
#include <sys/wait.h>

#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "engine/api/backends.hpp"
#include "engine/io/arrays/npy.hpp"
#include "tests/app/task_test.hpp"
#include "tests/mutualinfo/network_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

/// Independent genes with 5 to 77 of 77 values. Gene 12 (named "12" in files) has 5 values.
class GapOptionsOfCommands : public testing::Test {
  protected:
    void SetUp() override {
        Matrix<double> expression = expressionWithGaps(kGenes, Marginals::Normal);
        for (std::size_t s = 5; s < expression.columns(); ++s) expression(11, s) = kNone;
        for (std::size_t s = 0; s < 5; ++s) expression(11, s) = static_cast<double>(s * s);
        io::writeNpy<double>(folder_ / "e.npy", expression.view());
        io::writeNpy<double>(folder_ / "whole.npy",
                             expressionWithGaps(kGenes, Marginals::Normal, false).view());
    }
    TaskOutcome call(const glycine::test::Declare& command, const std::string& input,
                     std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), input);
        arguments.insert(arguments.end(), {"--backend", "cpu"});
        TaskOutcome outcome = runTask(command, std::move(arguments));
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        return outcome;
    }
    TaskOutcome network(std::vector<std::string> arguments) const {
        return call(declareNetwork, "e.npy", std::move(arguments));
    }
    static constexpr std::size_t kGenes = 120;
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    WorkingFolder folder_;
};

TEST_F(GapOptionsOfCommands, NetworksAreStandardisedAndSaySo) {
    const TaskOutcome text = network("-o n.tsv --top 200"_args);
    EXPECT_THAT(text.out, AllOf(HasSubstr("standardised to 77 samples by independent genes"),
                                HasSubstr("fewer than 20 in common: no value"),
                                HasSubstr("with fewer than 20 values (--min-overlap), no edges: "),
                                HasSubstr("'12'"), Not(HasSubstr("belong to one gene"))));
    EXPECT_THAT(readFile(folder_ / "n.tsv"), AllOf(Not(HasSubstr("\n12\t")), Not(HasSubstr("\t12\t"))));
    const Json json = network("-o n.tsv --json --unit nats"_args).json();
    EXPECT_EQ(json["gaps"]["rule"], "standardised");
    EXPECT_EQ(json["gaps"]["minOverlap"], 20);
    EXPECT_EQ(json["settings"]["gaps"], "standardised");
    EXPECT_EQ(json["settings"]["min-overlap"], 20);
    EXPECT_NEAR(json["gaps"]["independent"]["ofAll"]["mean"].get<double>(), 0.149 * perBit(Unit::Nats),
                0.003);
    EXPECT_THAT(json["gaps"]["genesBelow"], Contains(11));
    const TaskOutcome whole = call(declareNetwork, "whole.npy", "-o n.tsv"_args);
    EXPECT_THAT(whole.out, AllOf(Not(HasSubstr("Gaps")), Not(HasSubstr("Warning"))));
}

TEST_F(GapOptionsOfCommands, AGeneWithATenthOfTheEdgesIsNamed) {
    const TaskOutcome raw = network("-o n.tsv --gaps raw --method mi --top 100"_args);
    EXPECT_THAT(raw.out, AllOf(HasSubstr("raw: pairs of fewer common samples seem to share more"),
                               HasSubstr("of 100 edges belong to one gene, '12', with 5 of 77 values")));
    // With only a minimum overlap, the next pairs take their place.
    const TaskOutcome overlap = network("-o n.tsv --gaps raw --min-overlap 6 --method mi"_args);
    EXPECT_THAT(overlap.out,
                AllOf(HasSubstr("fewer than 6 in common: no value"),
                      HasSubstr("1 gene with fewer than 6 values (--min-overlap), no edges: '12'")));
    EXPECT_THAT(readFile(folder_ / "n.tsv"), Not(HasSubstr("\t12\t")));
}

TEST_F(GapOptionsOfCommands, InformationIsRawUnlessRequested) {
    const auto values = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"-o", "i.npy"});
        const TaskOutcome outcome = call(declareRun, "e.npy", more);
        return std::pair(io::readNpyMatrix<double>(folder_ / "i.npy"), outcome.out);
    };
    const auto [raw, rawReport] = values({"--rank"});
    EXPECT_THAT(rawReport, HasSubstr("raw: pairs of fewer common samples seem to share more (--gaps "
                                     "standardised corrects that)"));
    EXPECT_GT(raw(11, 0), 1);
    const auto [least, leastReport] = values("--rank --min-overlap 6"_args);
    EXPECT_THAT(leastReport,
                HasSubstr("with fewer than 6 samples in common (--min-overlap): written as nan"));
    EXPECT_TRUE(std::isnan(least(11, 0)));
    EXPECT_EQ(least(3, 0), raw(3, 0));
    const auto [standardised, report] = values("--rank --gaps standardised"_args);
    EXPECT_THAT(report, HasSubstr("standardised to 77 samples by independent genes"));
    EXPECT_TRUE(std::isnan(standardised(11, 0)));
    EXPECT_EQ(standardised(3, 0), raw(3, 0)) << "both have all values";
    EXPECT_EQ(standardised(5, 5), raw(5, 5)) << "entropies";
    // Correlations do not have this bias, but still require the minimum overlap.
    const auto [correlations, correlationReport] = values("--method pearson --min-overlap 6"_args);
    EXPECT_TRUE(std::isnan(correlations(11, 0)));
    EXPECT_THAT(correlationReport, Not(HasSubstr("raw")));
}

TEST_F(GapOptionsOfCommands, InformationThatWasWrittenGivesTheSameNetwork) {
    for (const std::string method : {"clr", "mi"}) {
        network({"-o", "n.tsv", "--method", method});
        call(declareRun, "e.npy", "-o i.npy --rank --spline-order 4 --gaps standardised --tile 50"_args);
        const TaskOutcome read =
            call(declareNetwork, "i.npy", {"--matrix", "-o", "m.tsv", "--method", method});
        EXPECT_THAT(read.out, HasSubstr("a matrix does not say how many samples its pairs have: nothing is "
                                        "corrected for gaps"));
        EXPECT_EQ(readFile(folder_ / "m.tsv"), readFile(folder_ / "n.tsv")) << method;
    }
}

TEST_F(GapOptionsOfCommands, AStoppedRunGoesOnWithTheSameCorrectionAlone) {
    // The run stops after all information is complete.
    const char* stopped = "GLYCINE_CLOCK_STEP=1 GLYCINE_STOP_AT=entry:6 " GLYCINE_COMMAND
                          " network e.npy -o n.tsv --tile 40 --method mi --backend cpu > out 2>&1";
    ASSERT_EQ(WEXITSTATUS(std::system(stopped)), 130) << readFile("out");
    ASSERT_TRUE(std::filesystem::exists(folder_ / "n.tsv.unfinished"));
    const auto going = "-o n.tsv --tile 40 --method mi --json"_args;
    for (const std::vector<std::string>& other : {"--gaps raw"_args, "--min-overlap 21"_args}) {
        auto changed = "e.npy --backend cpu"_args;
        changed.insert(changed.end(), going.begin(), going.end());
        changed.insert(changed.end(), other.begin(), other.end());
        const TaskOutcome outcome = runTask(declareNetwork, changed);
        EXPECT_EQ(outcome.exitCode, 2) << outcome.out;
        EXPECT_THAT(outcome.error, HasSubstr(other.front()));
    }
    const Json json = network(going).json();
    EXPECT_EQ(json["tilesResumed"], 6);
    const std::string resumed = readFile(folder_ / "n.tsv");
    EXPECT_EQ(network(going).json()["tilesResumed"], 0);
    EXPECT_EQ(readFile(folder_ / "n.tsv"), resumed);
}

TEST_F(GapOptionsOfCommands, PValuesThatNobodyCanKnowAreRefusedBeforeTheWork) {
    const auto arguments =
        "e.npy -o n.tsv --tile 40 --method mi --pvalue 1e-3 --null permutation --null-pairs "
        "10 --backend cpu"_args;
    EXPECT_EQ(runTask(declareNetwork, arguments).exitCode, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "n.tsv.unfinished"));
}

TEST_F(GapOptionsOfCommands, BootstrapsAreCorrectedToo) {
    const auto bootstrap = [&](const std::string& input, const std::string& rule) {
        return call(declareNetwork, input,
                    {"-o", "n.tsv", "--method", "mi", "--bootstraps", "10", "--pvalue", "0.01", "--gaps",
                     rule, "--min-overlap", "20", "--spline-order", "4", "--json"})
            .json()["bootstraps"];
    };
    // The threshold equals that of a table without gaps, and about as many pairs reach it.
    const Json whole = bootstrap("whole.npy", "standardised");
    const Json gaps = bootstrap("e.npy", "standardised");
    EXPECT_NEAR(gaps["threshold"].get<double>() / whole["threshold"].get<double>(), 1, 0.03);
    EXPECT_LT(gaps["meanSupport"].get<double>(), 1.4 * whole["meanSupport"].get<double>());
    EXPECT_GT(gaps["meanSupport"].get<double>(), 0.7 * whole["meanSupport"].get<double>());
    EXPECT_GT(bootstrap("e.npy", "raw")["threshold"].get<double>(), 1.2 * whole["threshold"].get<double>());
}

TEST_F(GapOptionsOfCommands, RegulatorsGoThroughTheSameCorrection) {
    std::ofstream(folder_ / "tf.txt") << "12\n1\n5\n";
    const Json json = network("-o n.tsv --method mrnet --tf tf.txt --json"_args).json();
    EXPECT_GT(json["edges"], 0);
    EXPECT_THAT(readFile(folder_ / "n.tsv"), Not(HasSubstr("\n12\t")));
}

TEST_F(GapOptionsOfCommands, GlIsCheckedAfterTheCorrection) {
    registerBackends();
    const TaskOutcome outcome =
        runTask(declareNetwork, "e.npy -o g.tsv --backend gl --method mi --json"_args);
    if (outcome.exitCode != 0) GTEST_SKIP() << outcome.error;
    EXPECT_GT(outcome.json()["recount"]["elements"], 0);
    const Json cpu = network("-o n.tsv --method mi --precision float32 --json"_args).json();
    EXPECT_EQ(outcome.json()["edges"], cpu["edges"]);
    const auto scores = [&](const std::string& name) {
        std::istringstream text(readFile(folder_ / name));
        std::string line, from, to;
        std::getline(text, line);
        std::vector<double> found;
        for (double score = 0, information = 0; text >> from >> to >> score >> information;)
            found.push_back(information);
        return found;
    };
    const std::vector<double> ofGl = scores("g.tsv"), ofCpu = scores("n.tsv");
    ASSERT_EQ(ofGl.size(), ofCpu.size());
    for (std::size_t i = 0; i < ofGl.size(); ++i) ASSERT_NEAR(ofGl[i], ofCpu[i], 2e-5) << i;
}

TEST_F(GapOptionsOfCommands, RefuseWhatMeansNothing) {
    const std::string e = "e.npy", o = "o.tsv";
    expectTaskRefused(declareNetwork, {e, "-o", o, "--min-overlap", "78"},
                      "--min-overlap 78: there are 77 samples");
    expectTaskRefused(declareRun, {e, "-o", o, "--min-overlap", "0"}, "--min-overlap");
    expectTaskRefused(declareRun, {e, "-o", o, "--min-overlap", "0x10"}, "--min-overlap");
    expectTaskRefused(declareRun, {e, "-o", o, "--gaps", "some"}, "standardised, raw");
    expectTaskRefused(declareRun, {e, "-o", o, "--gaps", "raw", "--method", "pearson"},
                      "--gaps is for mutual information");
    expectTaskRefused(declareNetwork, {e, "--matrix", "-o", o, "--gaps", "raw"},
                      "--gaps is for expression matrices");
    expectTaskRefused(declareNetwork, {e, "--matrix", "-o", o, "--min-overlap", "20"},
                      "--min-overlap is for expression matrices");
    EXPECT_FALSE(std::filesystem::exists(o));
}

}  // namespace
}  // namespace glycine::mutualinfo
