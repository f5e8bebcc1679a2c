// `glycine network`: options, files, reports.
#include <filesystem>
#include <sstream>

#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "engine/api/backends.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/mutualinfo/input/gene_lists.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "tests/app/task_test.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::mutualinfo {
namespace {

using glycine::test::expectTaskRefused;
using glycine::test::readFile;
using glycine::test::runTask;
using glycine::test::TaskOutcome;
using glycine::test::writeFile;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A chain x – y – z of values that lose a little each time, and two genes beside it.
constexpr std::size_t kSamples = 200;

class NetworkCommand : public testing::Test {
  protected:
    void SetUp() override {
        const Matrix<double> noise = randomExpression({.genes = 10, .samples = kSamples});
        std::string text = "gene";
        for (std::size_t s = 0; s < kSamples; ++s) text += "\ts" + std::to_string(s);
        const char* names[] = {"x", "y", "z", "a<b>", "c d"};
        for (std::size_t g = 0; g < 5; ++g) {
            text += std::string("\n") + names[g];
            for (std::size_t s = 0; s < kSamples; ++s) {
                double value = 0;
                if (g < 3)
                    for (std::size_t source = 0; source <= g; ++source)
                        value += (source == 0 ? 1 : 0.3) * noise(2 * source, s);
                else
                    value = noise(2 * g, s);
                text += "\t" + std::to_string(value);
            }
        }
        writeFile(folder_ / "e.tsv", text + "\n");
        writeFile(folder_ / "truth.tsv", "from\tto\tsign\nx\ty\t1\nz\ty\t-1\nx\tx\t1\ny\tx\t1\nx\tz\t0\n");
        writeFile(folder_ / "tf.txt", "# factors\ny\nother\n");
    }
    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    TaskOutcome run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), file("e.tsv"));
        return runOn(std::move(arguments));
    }
    static TaskOutcome runOn(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--backend", "cpu"});
        const TaskOutcome outcome = runTask(declareNetwork, std::move(arguments));
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        return outcome;
    }
    glycine::test::TemporaryFolder folder_;
};

TEST_F(NetworkCommand, RanksAllPairsByDefault) {
    const Json json = run({"-o", file("n.tsv"), "--gold", file("truth.tsv"), "--json"}).json();
    EXPECT_EQ(json["command"], "network");
    EXPECT_EQ(json["method"], "consensus");
    EXPECT_EQ(json["settings"]["rank"], "average");
    EXPECT_EQ(json["truth"]["positives"], 2);
    EXPECT_EQ(json["truth"]["pairs"], 10);
    EXPECT_EQ(json["truth"]["falseNegatives"], 0);
    EXPECT_FALSE(json.contains("threshold"));
    EXPECT_THAT(readFile(folder_ / "n.tsv"), StartsWith("regulator\ttarget\tscore\tmi\n"));
    // The heading of such a list is no pair of genes that the input lacks.
    const Json again = run({"-o", file("m.tsv"), "--gold", file("n.tsv"), "--json"}).json();
    EXPECT_EQ(again["truth"]["positives"], json["edges"]) << again;
    EXPECT_TRUE(again["notes"].empty()) << again["notes"];
}

TEST_F(NetworkCommand, DropsTheIndirectEdgeOfAChain) {
    const TaskOutcome outcome =
        run({"-o", file("n.tsv"), "--method", "aracne", "--pvalue", "1e-6", "--gold", file("truth.tsv")});
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("1 of 3 pairs (tolerance 0.01)"), HasSubstr("2 edges between 5 genes"),
                      HasSubstr("ranks of 200 samples"), HasSubstr("P ≤ 1e-06"),
                      HasSubstr("AUPR 1.0000, AUROC 1.0000; of the listed edges 2 true, 0 wrong, 0 missed"),
                      HasSubstr("truth.tsv: 1 line with a gene that the input does not have")));
    const std::string text = readFile(folder_ / "n.tsv");
    EXPECT_THAT(text, AllOf(StartsWith("regulator\ttarget\tscore\tmi\tp\n"), HasSubstr("x\ty\t"),
                            HasSubstr("y\tz\t"), Not(HasSubstr("x\tz\t"))));
}

TEST_F(NetworkCommand, LooksForPathsWhereTheInformationIsFound) {
    registerBackends();
    const auto runOnGl = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {file("e.tsv"), "-o", file("n.tsv"), "--backend", "gl"});
        return runTask(declareNetwork, more);
    };
    const TaskOutcome outcome = runOnGl({"--method", "aracne", "--pvalue", "1e-6", "--json"});
    if (outcome.exitCode != 0) GTEST_SKIP() << outcome.error;
    const Json json = outcome.json();
    EXPECT_EQ(json["indirect"], 1);
    EXPECT_EQ(json["pathRecount"]["elements"], 10);
    EXPECT_TRUE(json["notes"].empty()) << json["notes"];
    // Information that was written is float64, which textures do not hold.
    EXPECT_EQ(runTask(declareRun, {file("e.tsv"), "-o", file("i.npy"), "--backend", "cpu"}).exitCode, 0);
    const auto refused = [&](const std::string& method, const std::string& message) {
        const TaskOutcome refusal = runTask(declareNetwork, {file("i.npy"), "--matrix", "-o", file("m.tsv"),
                                                             "--method", method, "--backend", "gl"});
        EXPECT_EQ(refusal.exitCode, 1);
        EXPECT_THAT(refusal.error, HasSubstr(message));
    };
    refused("aracne", "information of float32, which is what textures hold; this is float64");
    refused("clr", "--matrix with --method clr leaves nothing to be done on a device");
}

TEST_F(NetworkCommand, WritesAllFormats) {
    run({"-o", file("n.csv"), "-o", file("n.graphml"), "-o", file("n.sif"), "-o", file("n.txt"), "--method",
         "mi", "--tf", file("tf.txt"), "--pvalue", "0.9"});
    // y is the regulator, whatever its number.
    EXPECT_THAT(readFile(folder_ / "n.sif"),
                AllOf(HasSubstr("y\tmi\tx\n"), HasSubstr("y\tmi\tz\n"), Not(HasSubstr("x\tmi"))));
    EXPECT_THAT(readFile(folder_ / "n.csv"),
                AllOf(StartsWith("regulator,target,score,mi,p\n"), HasSubstr("\ny,x,")));
    EXPECT_THAT(readFile(folder_ / "n.txt"), HasSubstr("y\tc d\t"));
    EXPECT_THAT(
        readFile(folder_ / "n.graphml"),
        AllOf(
            HasSubstr(R"(<graph edgedefault="directed">)"),
            HasSubstr(R"(<data key="name">a&lt;b&gt;</data>)"),
            HasSubstr(R"(<node id="n1"><data key="name">y</data><data key="regulator">true</data></node>)"),
            HasSubstr(R"(<edge source="n1" target="n0"><data key="interaction">mi</data><data key="score">)"),
            HasSubstr("</graphml>\n")));
}

TEST_F(NetworkCommand, WritesAdjacenciesAsAracneDoes) {
    run({"-o", file("n.adj"), "-o", file("n.tsv"), "--method", "aracne", "--pvalue", "1e-6", "--tf",
         file("tf.txt")});
    const std::string adjacencies = readFile(folder_ / "n.adj");
    EXPECT_THAT(adjacencies,
                AllOf(StartsWith(">  Input file      " + file("e.tsv") + "\n>  ADJ file        \n"),
                      HasSubstr("\n>  No. bins        10\n"), HasSubstr("\n>  MI P-value      1e-06\n"),
                      HasSubstr("\n>  DPI tolerance   0.01\n"), HasSubstr("\n>  MI unit         bits\n"),
                      HasSubstr("\n>  TF annotation   " + file("tf.txt") + "\n")));
    // Every gene has a line, also those without an edge; an edge is in the lines of both its genes.
    std::istringstream edges(readFile(folder_ / "n.tsv"));
    std::string header, xy, yz;
    std::getline(edges, header);
    std::string regulator, target, score, information;
    while (edges >> regulator >> target >> score >> information) (target == "x" ? xy : yz) = information;
    ASSERT_FALSE(xy.empty() || yz.empty());
    EXPECT_THAT(adjacencies, testing::EndsWith("\nx\ty\t" + xy + "\ny\tx\t" + xy + "\tz\t" + yz + "\nz\ty\t" +
                                               yz + "\na<b>\nc d\n"));
}

TEST_F(NetworkCommand, DrawsTheBestEdges) {
    const TaskOutcome outcome = run({"-o", file("n.tsv"), "--png", file("n.svg"), "--method", "mi", "--tf",
                                     file("tf.txt"), "--png-edges", "2"});
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("the best 2 of these edges, between 3 genes"), HasSubstr("n.svg")));
    EXPECT_THAT(readFile(folder_ / "n.svg"), AllOf(HasSubstr("the best 2 of 4 edges between 3 genes; mi"),
                                                   HasSubstr("regulator"), Not(HasSubstr("c d"))));
    const Json json = run({"-o", file("n.tsv"), "--png", file("n.png"), "--json"}).json();
    EXPECT_EQ(json["picture"]["edges"], json["edges"]);
    const std::string e = file("e.tsv"), o = file("o.tsv");
    expectTaskRefused(declareNetwork, {e, "-o", o, "--png", file("n.gif")}, "--png");
    expectTaskRefused(declareNetwork, {e, "-o", o, "--png-edges", "3"}, "--png");
    expectTaskRefused(declareNetwork, {e, "-o", o, "--png", file("p.png"), "--png-edges", "0"},
                      "--png-edges");
}

TEST_F(NetworkCommand, ReadsInformationThatWasWritten) {
    run({"-o", file("n.tsv"), "--method", "clr"});
    const std::string expected = readFile(folder_ / "n.tsv");
    const auto written = [&](const std::string& name, std::vector<std::string> more) {
        more.insert(more.begin(), {file("e.tsv"), "-o", file(name), "--rank", "--backend", "cpu"});
        EXPECT_EQ(runTask(declareRun, more).exitCode, 0);
        runOn({file(name), "--matrix", "-o", file("m.tsv"), "--method", "clr", "--tile", "2"});
        EXPECT_EQ(readFile(folder_ / "m.tsv"), expected) << name;
        EXPECT_EQ(folder_.fileCount(), 5U + (name == "i.npy" ? 2 : 1)) << "what was kept is gone";
        std::filesystem::remove(folder_ / name);
        std::filesystem::remove(folder_ / (name + ".names"));
    };
    for (const char* name : {"i.npy", "i.npz", "i.tsv", "i.csv"}) written(name, {});
    written("i.tsv", {"--shape", "triangle"});
}

TEST_F(NetworkCommand, RefusesWhatIsNoInformation) {
    const auto refused = [&](const std::string& name, const std::string& text, const std::string& message) {
        writeFile(folder_ / name, text);
        expectTaskRefused(declareNetwork, {file(name), "--matrix", "-o", file("o.tsv"), "--backend", "cpu"},
                          message);
    };
    refused("m.tsv", "\ta\tb\na\t1\t2\nc\t2\t1\n",
            "line 3, column 1: 'c'; expected 'b', as column 3 is called");
    refused("m.tsv", "\ta\tb\na\t1\t2\nb\t2\tx\n", "line 3, column 3: 'x'; expected a number");
    refused("m.tsv", "\ta\tb\na\t1\t-2\nb\t-2\t1\n", "line 2, column 3: '-2'; expected mutual information");
    refused("m.tsv", "\ta\tb\tc\na\t1\t2\t3\nb\t2\t1\t1\n", "holds 2 rows of values and names of 3 columns");
    refused("m.tsv", "\ta\tb\tc\na\t1\t2\nb\t2\t1\t2\n",
            "line 2 holds 2 values; expected 3, or 1 up to the diagonal");
    refused("m.tsv", "\ta\tb\na\t1\t2\nb\t3\t1\n", "row 1 ('b') and the column of the same gene differ");
    refused("m.tsv", "\ta\ta\na\t1\t2\na\t2\t1\n", "both named 'a'");
    refused("m.tsv", "x\ta\t\na\t1\t2\n\t2\t1\n", "gene 2 has no name");
    refused("m.txt", "", "known: .npy, .npz, .csv, .tsv");
    io::writeNpy<double>(folder_ / "m.npy", Matrix<double>(2, 3, 1.0).view());
    expectTaskRefused(declareNetwork, {file("m.npy"), "--matrix", "-o", file("o.tsv")},
                      "holds 2 × 3 values; expected N × N");
    Matrix<double> crooked(3, 3, 1.0);
    crooked(0, 2) = 1.5;
    io::writeNpy<double>(folder_ / "m.npy", crooked.view());
    expectTaskRefused(declareNetwork, {file("m.npy"), "--matrix", "-o", file("o.tsv"), "--backend", "cpu"},
                      "row 2 ('3') and the column of the same gene differ");
    // And the other way around.
    io::writeNpy<double>(folder_ / "m.npy", Matrix<double>(3, 3, 1.0).view());
    expectTaskRefused(declareNetwork, {file("m.npy"), "-o", file("o.tsv")}, "--matrix reads them as that");
}

TEST_F(NetworkCommand, RefusesBeforeTheWork) {
    const auto refused = [&](std::vector<std::string> arguments, const std::string& message) {
        arguments.insert(arguments.begin(), {file("e.tsv"), "-o", file("o.tsv")});
        expectTaskRefused(declareNetwork, arguments, message);
    };
    refused({"--dpi", "0.1"}, "--dpi is for aracne; --method is consensus");
    refused({"--method", "aracne", "--dpi", "1"}, "at least 0 and below 1");
    refused({"--pvalue", "0"}, "above 0 and up to 1");
    refused({"--pvalue", "1"}, "above 0 and below 1");
    refused({"--pvalue", "0.1", "--threshold", "0.1"}, "exclude each other");
    refused({"--bootstraps", "5"}, "--bootstraps is for aracne, mi");
    refused({"--method", "mi", "--bootstraps", "5"}, "needs --pvalue or --threshold");
    refused({"--significance", "0.1"}, "--bootstraps");
    refused({"--null", "analytic"}, "beside --pvalue alone");
    refused({"--pvalue", "0.1", "--null", "analytic", "--rank", "none"}, "is for ranks");
    refused({"--pvalue", "0.1", "--null", "analytic", "--null-pairs", "9"},
            "--null-pairs is for --null permutation");
    refused({"--pvalue", "1e-9", "--null", "permutation", "--backend", "cpu"}, "--null-pairs if it shall be");
    refused({"--pvalue", "1e-3", "--null", "permutation", "--null-pairs", "10", "--backend", "cpu"},
            "cannot be told from");
    refused({"--order", "10"}, "below the number of bins");
    refused({"--tf", file("truth.tsv"), "-o", file("truth.tsv")}, "truth.tsv");
    refused({"-o", file("n.npy")}, ".tsv, .txt, .csv, .graphml, .sif, .adj");
    writeFile(folder_ / "none.txt", "q\nr\n");
    refused({"--tf", file("none.txt")}, "none of the 2 names is a gene of the input, the first is 'q'");
    refused({"--gold", file("none.txt")}, "line 1 holds 'q' alone; expected two genes");
    writeFile(folder_ / "none.txt", "q\tr\n");
    refused({"--gold", file("none.txt")}, "none of 1 lines names two genes of the input");
    // One direction may be linked and the other one not; the same one may not.
    const std::vector<std::string> genes{"p", "q", "r"};
    writeFile(folder_ / "gold.txt", "p\tq\t1\nq\tp\t0\nq\tr\t0\np\tq\t0.5\n");
    EXPECT_EQ(readTruth(folder_ / "gold.txt", genes).pairs, (TruePairs{{1, 0}}));
    for (const auto& [lines, message] : std::vector<std::pair<std::string, std::string>>{
             {"p\tq\t1\np\tr\np\tq\t0\n",
              "line 3 says that 'p' and 'q' are not linked, line 1 that they are linked"},
             {"p\tq\t0\np\tq\n", "line 2 says that 'p' and 'q' are linked, line 1 that they are not"}}) {
        writeFile(folder_ / "gold.txt", lines);
        EXPECT_THAT(test::messageOf<InputError>([&] { readTruth(folder_ / "gold.txt", genes); }),
                    HasSubstr(message));
    }
    expectTaskRefused(
        declareNetwork, {file("e.tsv"), "--matrix", "-o", file("o.tsv"), "--bins", "5"},
        "--bins is for expression matrices; " + file("e.tsv") + " is mutual information (--matrix)");
    expectTaskRefused(declareNetwork, {file("e.tsv"), "--matrix", "-o", file("o.tsv"), "--header", "no"},
                      "--header");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "o.tsv"));
}

TEST_F(NetworkCommand, OrderOfSplinesFollowsFromGaps) {
    writeFile(folder_ / "g.csv", "gene,a,b,c,d,e\np,1,NA,2,3,9\nq,5,1,7,2,4\nr,1,8,1,3,1\n");
    const auto orderOf = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"-o", file("n.tsv"), "--json"});
        const test::TaskOutcome outcome = test::runTask(declareNetwork, arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        return outcome.json()["estimator"].get<std::string>();
    };
    EXPECT_THAT(orderOf({file("g.csv")}), HasSubstr("order 4"));
    EXPECT_THAT(orderOf({file("g.csv"), "--order", "3"}), HasSubstr("order 3"));
    EXPECT_THAT(orderOf({file("g.csv"), "--order", "5"}), HasSubstr("order 5"));
    EXPECT_THAT(orderOf({file("g.csv"), "--bins", "4"}), HasSubstr("order 3"));
    EXPECT_THAT(orderOf({file("g.csv"), "--gaps", "raw"}), HasSubstr("order 3"));
    EXPECT_THAT(orderOf({file("g.csv"), "--missing", "mean"}), HasSubstr("order 3"));
    EXPECT_THAT(orderOf({file("e.tsv")}), HasSubstr("order 3"));
}

TEST_F(NetworkCommand, WarnsOfWhatMeansLittle) {
    EXPECT_THAT(run({"-o", file("n.tsv"), "--pvalue", "0.01", "--null", "aracne"}).out,
                HasSubstr("ARACNE's constants were fitted for another estimator"));
    writeFile(folder_ / "g.csv", "gene,a,b,c,d\np,1,NA,2,3\nq,5,1,NA,2\nr,1,1,1,1\n");
    const TaskOutcome outcome =
        runOn({file("g.csv"), "-o", file("n.tsv"), "--pvalue", "0.5", "--null", "analytic", "--gaps", "raw"});
    EXPECT_THAT(
        outcome.out,
        AllOf(HasSubstr("4 samples for 10 bins"), HasSubstr("1 gene without different values: no edges"),
              HasSubstr("some genes have missing values"), HasSubstr("2 values missing")));
    // By itself the command would have permuted.
    EXPECT_THAT(runOn({file("g.csv"), "-o", file("n.tsv"), "--pvalue", "0.5", "--gaps", "raw"}).out,
                HasSubstr("of permuted genes"));
}

TEST_F(NetworkCommand, BootstrapsFollowTheirSeedAndCountSupport) {
    const std::vector<std::string> arguments{"--method", "aracne", "--pvalue", "1e-4", "--bootstraps", "12"};
    const auto text = [&](const std::string& seed) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"-o", file("n.tsv"), "--seed", seed, "--gold", file("truth.tsv")});
        const TaskOutcome outcome = run(all);
        EXPECT_THAT(outcome.out, HasSubstr("2.40 on average a pair"));
        return readFile(folder_ / "n.tsv");
    };
    const std::string first = text("1");
    EXPECT_THAT(first, AllOf(StartsWith("regulator\ttarget\tscore\tmi\tp\tsupport\n"), HasSubstr("x\ty\t1\t"),
                             HasSubstr("\t12\n")));
    EXPECT_EQ(text("1"), first);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "n.tsv.bootstraps.unfinished"));
}

TEST_F(NetworkCommand, KeepsTheBest) {
    const Json all = run({"-o", file("n.tsv"), "--method", "mi", "--json"}).json();
    const Json best = run({"-o", file("t.tsv"), "--method", "mi", "--top", "2", "--json"}).json();
    EXPECT_EQ(all["edges"], 10);
    EXPECT_EQ(best["edges"], 2);
    EXPECT_THAT(readFile(folder_ / "n.tsv"), StartsWith(readFile(folder_ / "t.tsv")));
    // The same in nats, by a number.
    const Json nats =
        run({"-o", file("t.tsv"), "--method", "mi", "--unit", "nats", "--threshold", "0.3", "--json"}).json();
    EXPECT_EQ(nats["edges"], 3);
    EXPECT_EQ(nats["unit"], "nats");
}

}  // namespace
}  // namespace glycine::mutualinfo
