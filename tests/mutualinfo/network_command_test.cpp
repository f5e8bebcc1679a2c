// Tests `glycine network`: options, files, reports.
#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "engine/api/backends.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/mutualinfo/input/gene_lists.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

/// A chain x – y – z, whose values lose a little information at each step, and two separate genes.
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
    TaskOutcome run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "e.tsv");
        return runOn(std::move(arguments));
    }
    static TaskOutcome runOn(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--backend", "cpu"});
        return succeedTask(declareNetwork, std::move(arguments));
    }
    WorkingFolder folder_;
};

TEST_F(NetworkCommand, RanksAllPairsByDefault) {
    const Json json = run("-o n.tsv --gold truth.tsv --json"_args).json();
    EXPECT_EQ(json["command"], "network");
    EXPECT_EQ(json["method"], "consensus");
    EXPECT_EQ(json["settings"]["rank"], "average");
    EXPECT_EQ(json["truth"]["positives"], 2);
    EXPECT_EQ(json["truth"]["pairs"], 10);
    EXPECT_EQ(json["truth"]["falseNegatives"], 0);
    EXPECT_FALSE(json.contains("threshold"));
    EXPECT_THAT(readFile(folder_ / "n.tsv"), StartsWith("regulator\ttarget\tscore\tmi\n"));
    // The heading of such a list does not count as a pair of genes that the input lacks.
    const Json again = run("-o m.tsv --gold n.tsv --json"_args).json();
    EXPECT_EQ(again["truth"]["positives"], json["edges"]) << again;
    EXPECT_TRUE(again["notes"].empty()) << again["notes"];
}

TEST_F(NetworkCommand, DropsTheIndirectEdgeOfAChain) {
    const TaskOutcome outcome = run("-o n.tsv --method aracne --pvalue 1e-6 --gold truth.tsv"_args);
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
        more.insert(more.begin(), {"e.tsv", "-o", "n.tsv", "--backend", "gl"});
        return runTask(declareNetwork, more);
    };
    const TaskOutcome outcome = runOnGl("--method aracne --pvalue 1e-6 --json"_args);
    if (outcome.exitCode != 0) GTEST_SKIP() << outcome.error;
    const Json json = outcome.json();
    EXPECT_EQ(json["indirect"], 1);
    EXPECT_EQ(json["inferenceRecount"]["elements"], 10);
    EXPECT_TRUE(json["notes"].empty()) << json["notes"];
    // Correlations are recounted as absolute values.
    const Json correlated = runOnGl("--method correlation --json"_args).json();
    EXPECT_EQ(correlated["recount"]["elements"], 10);
    EXPECT_EQ(correlated["variant"], "products");
    EXPECT_EQ(runOnGl("--method mrnet --json"_args).json()["inferenceRecount"]["elements"], 5);
    // Written information is float64, which textures do not hold.
    succeedTask(declareRun, "e.tsv -o i.npy --backend cpu"_args);
    const auto refused = [&](const std::string& method, const std::string& message) {
        const TaskOutcome refusal = runTask(
            declareNetwork, {"i.npy", "--matrix", "-o", "m.tsv", "--method", method, "--backend", "gl"});
        EXPECT_EQ(refusal.exitCode, 1);
        EXPECT_THAT(refusal.error, HasSubstr(message));
    };
    refused("aracne", "information of float32, which is what textures hold; this is float64");
    refused("clr", "--matrix with --method clr leaves nothing to be done on a device");
}

// A stage that the dialect cannot run is named with the dialect's reason.
TEST_F(NetworkCommand, SaysWhyAStageRanOnTheHost) {
    registerBackends();
    for (const auto& [method, stage] :
         {std::pair{"aracne", "indirect paths"}, {"mrnet", "selection of regulators"}}) {
        const TaskOutcome outcome =
            runTask(declareNetwork, {"e.tsv", "-o", "n.tsv", "--method", method, "--precision", "float32",
                                     "--backend", "gl", "--dialect", "gl21", "--json"});
        if (outcome.exitCode != 0) GTEST_SKIP() << outcome.error;
        bool isListed = false;
        const Json stages = outcome.json()["stages"];
        for (const Json& one : stages) {
            if (one["stage"] != stage) continue;
            isListed = true;
            EXPECT_EQ(one["where"], "host");
            EXPECT_THAT(one["why"].get<std::string>(), HasSubstr("OpenGL 2.1 lacks"));
        }
        EXPECT_TRUE(isListed) << stages;
    }
}

TEST_F(NetworkCommand, NetworksWithoutInformation) {
    const struct {
        std::string method;
        std::vector<std::string> more;
        std::string estimator;
    } cases[] = {{"correlation", {}, "Spearman's"},
                 {"correlation", "--rank none"_args, "Pearson's"},
                 {"partial", {}, "shrunk by λ = "},
                 {"forest", "--trees 30"_args, "30 trees a target, seed 1"}};
    for (const auto& [method, more, estimator] : cases) {
        std::vector<std::string> arguments = "-o n.tsv -o n.scenic.csv --gold truth.tsv --json --method"_args;
        arguments.push_back(method);
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Json json = run(arguments).json();
        EXPECT_THAT(json["estimator"].get<std::string>(), HasSubstr(estimator));
        EXPECT_EQ(json["truth"]["falseNegatives"], 0) << method;
        EXPECT_GT(json["truth"]["aupr"], 0.8) << method;
        EXPECT_FALSE(json.contains("unit"));
        EXPECT_THAT(readFile(folder_ / "n.tsv"), StartsWith("regulator\ttarget\tscore\n"));
        // For two regulators, the list contains both directions.
        EXPECT_THAT(readFile(folder_ / "n.scenic.csv"), AllOf(StartsWith("TF,target,importance\n"),
                                                              HasSubstr("\nx,y,0."), HasSubstr("\ny,x,0.")));
    }
    run("-o n.scenic.tsv --tf tf.txt"_args);
    EXPECT_THAT(readFile(folder_ / "n.scenic.tsv"),
                AllOf(StartsWith("TF\ttarget\timportance\ny\tx\t"), Not(HasSubstr("\nx\ty\t"))));
    const auto refused = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"-o", "m.tsv"});
        return runTask(declareNetwork, arguments).error;
    };
    EXPECT_THAT(refused("e.tsv --method partial --pvalue 0.1"_args),
                HasSubstr("--pvalue is for mutual information, which --method partial does not use"));
    EXPECT_THAT(refused("e.tsv --method clr --trees 9"_args), HasSubstr("--trees"));
    EXPECT_THAT(refused("e.tsv --method forest --bins 9"_args),
                HasSubstr("--bins is for mutual information, which --method forest does not use"));
    writeFile(folder_ / "gaps.tsv", "gene\ta\tb\tc\td\nx\t1\t2\t3\t5\ny\t\t2\t1\t4\n");
    EXPECT_THAT(refused("gaps.tsv --method forest"_args),
                HasSubstr("1 value missing, which --method forest cannot use; expected --missing mean"));
}

TEST_F(NetworkCommand, WritesAllFormats) {
    run("-o n.csv -o n.graphml -o n.sif -o n.txt --method mi --tf tf.txt --pvalue 0.9"_args);
    // y is the regulator, whatever its position.
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

TEST_F(NetworkCommand, WritesLongListsInOrder) {
    // More edges than one piece of text holds.
    const Matrix<double> noise = randomExpression({.genes = 400, .samples = 20});
    std::string text = "gene";
    for (std::size_t s = 0; s < noise.columns(); ++s) text += "\ts" + std::to_string(s);
    for (std::size_t g = 0; g < noise.rows(); ++g) {
        text += "\ng" + std::to_string(g);
        for (std::size_t s = 0; s < noise.columns(); ++s) text += "\t" + std::to_string(noise(g, s));
    }
    writeFile(folder_ / "long.tsv", text + "\n");
    const Json json =
        runOn("long.tsv -o long.net.tsv --method mi --bins 5 --spline-order 2 --threads 3 --json"_args)
            .json();
    std::istringstream lines(readFile(folder_ / "long.net.tsv"));
    std::string line;
    std::getline(lines, line);
    std::size_t edges = 0;
    double last = std::numeric_limits<double>::infinity();
    for (std::string from, to, score, mi; lines >> from >> to >> score >> mi; ++edges) {
        ASSERT_LE(std::stod(score), last) << "line " << edges + 2;
        last = std::stod(score);
    }
    EXPECT_EQ(json["edges"], edges);
    EXPECT_GT(edges, std::size_t{1} << 16);
}

TEST_F(NetworkCommand, WritesAdjacenciesAsAracneDoes) {
    run("-o n.adj -o n.tsv --method aracne --pvalue 1e-6 --tf tf.txt"_args);
    const std::string adjacencies = readFile(folder_ / "n.adj");
    EXPECT_THAT(adjacencies,
                AllOf(StartsWith(">  Input file      e.tsv\n>  ADJ file        \n"),
                      HasSubstr("\n>  No. bins        10\n"), HasSubstr("\n>  MI P-value      1e-06\n"),
                      HasSubstr("\n>  DPI tolerance   0.01\n"), HasSubstr("\n>  MI unit         bits\n"),
                      HasSubstr("\n>  TF annotation   tf.txt\n")));
    // Every gene has a line, even without an edge. The lines of both genes of an edge list the edge.
    std::istringstream edges(readFile(folder_ / "n.tsv"));
    std::string header, xy, yz;
    std::getline(edges, header);
    std::string regulator, target, score, information;
    while (edges >> regulator >> target >> score >> information) (target == "x" ? xy : yz) = information;
    ASSERT_FALSE(xy.empty() || yz.empty());
    EXPECT_THAT(adjacencies, EndsWith("\nx\ty\t" + xy + "\ny\tx\t" + xy + "\tz\t" + yz + "\nz\ty\t" + yz +
                                      "\na<b>\nc d\n"));
}

TEST_F(NetworkCommand, DrawsTheBestEdges) {
    const TaskOutcome outcome = run("-o n.tsv -o n.svg --method mi --tf tf.txt --drawn-edges 2"_args);
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("the best 2 of these edges, between 3 genes"), HasSubstr("n.svg")));
    EXPECT_THAT(readFile(folder_ / "n.svg"), AllOf(HasSubstr("the best 2 of 4 edges between 3 genes; mi"),
                                                   HasSubstr("regulator"), Not(HasSubstr("c d"))));
    writeFile(folder_ / "modules.tsv", "x\tcycle\ny\tstress & heat\n");
    run("-o n.svg -o n.graphml --method mi --groups modules.tsv"_args);
    EXPECT_THAT(readFile(folder_ / "n.svg"), HasSubstr(">cycle<"));
    EXPECT_THAT(readFile(folder_ / "n.graphml"),
                AllOf(HasSubstr(R"(<data key="name">x</data><data key="group">cycle</data>)"),
                      HasSubstr(R"(<data key="group">stress &amp; heat</data>)"),
                      HasSubstr(R"(<data key="name">z</data><data key="group">-</data>)")));
    const Json json = run("-o n.tsv -o n.png --json"_args).json();
    EXPECT_EQ(json["picture"]["edges"], json["edges"]);
    const std::string e = "e.tsv", o = "o.tsv";
    expectTaskRefused(declareNetwork, {e, "-o", o, "-o", "n.gif"}, "no format of networks");
    expectTaskRefused(declareNetwork, {e, "-o", o, "--drawn-edges", "3"}, "-o FILE.png");
    expectTaskRefused(declareNetwork, {e, "-o", o, "--groups", "modules.tsv"}, "-o FILE.png");
    expectTaskRefused(declareNetwork, {e, "-o", o, "-o", "p.png", "--drawn-edges", "0"}, "--drawn-edges");
}

TEST_F(NetworkCommand, ReadsInformationThatWasWritten) {
    run("-o n.tsv --method clr"_args);
    const std::string expected = readFile(folder_ / "n.tsv");
    const auto written = [&](const std::string& name, std::vector<std::string> more) {
        more.insert(more.begin(), {"e.tsv", "-o", name, "--rank", "--backend", "cpu"});
        succeedTask(declareRun, more);
        runOn({name, "--matrix", "-o", "m.tsv", "--method", "clr", "--tile", "2"});
        EXPECT_EQ(readFile(folder_ / "m.tsv"), expected) << name;
        EXPECT_EQ(folder_.fileCount(), 5U + (name == "i.npy" ? 2 : 1)) << "what was kept is gone";
        std::filesystem::remove(folder_ / name);
        std::filesystem::remove(folder_ / (name + ".names"));
    };
    for (const char* name : {"i.npy", "i.npz", "i.tsv", "i.csv"}) written(name, {});
    written("i.tsv", "--shape triangle"_args);
}

TEST_F(NetworkCommand, RefusesWhatIsNoInformation) {
    const auto refused = [&](const std::string& name, const std::string& text, const std::string& message) {
        writeFile(folder_ / name, text);
        expectTaskRefused(declareNetwork, {name, "--matrix", "-o", "o.tsv", "--backend", "cpu"}, message);
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
    expectTaskRefused(declareNetwork, "m.npy --matrix -o o.tsv"_args, "holds 2 × 3 values; expected N × N");
    Matrix<double> crooked(3, 3, 1.0);
    crooked(0, 2) = 1.5;
    io::writeNpy<double>(folder_ / "m.npy", crooked.view());
    expectTaskRefused(declareNetwork, "m.npy --matrix -o o.tsv --backend cpu"_args,
                      "row 2 ('3') and the column of the same gene differ");
    // The reverse case: a matrix without --matrix.
    io::writeNpy<double>(folder_ / "m.npy", Matrix<double>(3, 3, 1.0).view());
    expectTaskRefused(declareNetwork, "m.npy -o o.tsv"_args,
                      "give --matrix to read them as mutual information");
}

TEST_F(NetworkCommand, RefusesBeforeTheWork) {
    const auto refused = [&](std::vector<std::string> arguments, const std::string& message) {
        arguments.insert(arguments.begin(), {"e.tsv", "-o", "o.tsv"});
        expectTaskRefused(declareNetwork, arguments, message);
    };
    refused("--dpi 0.1"_args, "--dpi is for aracne; --method is consensus");
    refused("--method aracne --dpi 1"_args, "at least 0 and below 1");
    refused("--pvalue 0"_args, "above 0 and up to 1");
    refused("--pvalue 1"_args, "above 0 and below 1");
    refused("--pvalue 0.1 --threshold 0.1"_args, "exclude each other");
    refused("--bootstraps 5"_args, "--bootstraps is for aracne, mi");
    refused("--method mi --bootstraps 5"_args, "needs --pvalue or --threshold");
    refused("--significance 0.1"_args, "--bootstraps");
    refused("--null analytic"_args, "--null needs --pvalue");
    refused("--pvalue 0.1 --null analytic --rank none"_args, "is for ranks");
    refused("--pvalue 0.1 --null analytic --null-pairs 9"_args, "--null-pairs is for --null permutation");
    refused("--pvalue 1e-9 --null permutation --backend cpu"_args, "confirm the number with --null-pairs");
    refused("--pvalue 1e-3 --null permutation --null-pairs 10 --backend cpu"_args,
            "cannot be estimated from");
    refused("--spline-order 10"_args, "below the number of bins");
    refused("--tf truth.tsv -o truth.tsv"_args, "truth.tsv");
    refused("-o n.npy"_args, ".scenic.tsv, .scenic.csv, .graphml, .sif, .adj");
    writeFile(folder_ / "none.txt", "q\nr\n");
    refused("--tf none.txt"_args, "none of the 2 names is a gene of the input, the first is 'q'");
    refused("--gold none.txt"_args, "line 1 holds 'q' alone; expected two genes");
    writeFile(folder_ / "none.txt", "q\tr\n");
    refused("--gold none.txt"_args,
            "none of 1 line names two genes of the input; expected two genes a line, such as 'x' and 'c d'");
    // Opposite directions may disagree about a link; the same direction may not.
    const std::vector<std::string> genes{"p", "q", "r"};
    writeFile(folder_ / "gold.txt", "p\tq\t1\nq\tp\t0\nq\tr\t0\np\tq\t0.5\n");
    EXPECT_EQ(readTruth(folder_ / "gold.txt", genes).pairs, (TruePairs{{1, 0}}));
    for (const auto& [lines, message] : std::vector<std::pair<std::string, std::string>>{
             {"p\tq\t1\np\tr\np\tq\t0\n",
              "line 3 says that 'p' and 'q' are not linked, line 1 that they are linked"},
             {"p\tq\t0\np\tq\n", "line 2 says that 'p' and 'q' are linked, line 1 that they are not"}}) {
        writeFile(folder_ / "gold.txt", lines);
        EXPECT_THAT(messageOf<InputError>([&] { readTruth(folder_ / "gold.txt", genes); }),
                    HasSubstr(message));
    }
    expectTaskRefused(declareNetwork, "e.tsv --matrix -o o.tsv --bins 5"_args,
                      "--bins is for expression matrices; e.tsv is mutual information (--matrix)");
    expectTaskRefused(declareNetwork, "e.tsv --matrix -o o.tsv --header no"_args, "--header");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "o.tsv"));
}

TEST_F(NetworkCommand, OrderOfSplinesFollowsFromGaps) {
    writeFile(folder_ / "g.csv", "gene,a,b,c,d,e\np,1,NA,2,3,9\nq,5,1,7,2,4\nr,1,8,1,3,1\n");
    const auto orderOf = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"-o", "n.tsv", "--json"});
        const test::TaskOutcome outcome = test::runTask(declareNetwork, arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        return outcome.json()["estimator"].get<std::string>();
    };
    EXPECT_THAT(orderOf({"g.csv"}), HasSubstr("order 4"));
    EXPECT_THAT(orderOf("g.csv --spline-order 3"_args), HasSubstr("order 3"));
    EXPECT_THAT(orderOf("g.csv --spline-order 5"_args), HasSubstr("order 5"));
    EXPECT_THAT(orderOf("g.csv --bins 4"_args), HasSubstr("order 3"));
    EXPECT_THAT(orderOf("g.csv --gaps raw"_args), HasSubstr("order 3"));
    EXPECT_THAT(orderOf("g.csv --missing mean"_args), HasSubstr("order 3"));
    EXPECT_THAT(orderOf({"e.tsv"}), HasSubstr("order 3"));
}

TEST_F(NetworkCommand, WarnsOfWhatMeansLittle) {
    EXPECT_THAT(run("-o n.tsv --pvalue 0.01 --null aracne"_args).out,
                HasSubstr("ARACNE's constants were fitted for another estimator"));
    writeFile(folder_ / "g.csv", "gene,a,b,c,d\np,1,NA,2,3\nq,5,1,NA,2\nr,1,1,1,1\n");
    const TaskOutcome outcome = runOn("g.csv -o n.tsv --pvalue 0.5 --null analytic --gaps raw"_args);
    EXPECT_THAT(
        outcome.out,
        AllOf(HasSubstr("4 samples for 10 bins"), HasSubstr("1 gene without different values: no edges"),
              HasSubstr("some genes have missing values"), HasSubstr("2 values missing")));
    // By default the command would have used permutations.
    EXPECT_THAT(runOn("g.csv -o n.tsv --pvalue 0.5 --gaps raw"_args).out, HasSubstr("of permuted genes"));
}

TEST_F(NetworkCommand, BootstrapsFollowTheirSeedAndCountSupport) {
    const auto arguments = "--method aracne --pvalue 1e-4 --bootstraps 12"_args;
    const auto text = [&](const std::string& seed) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"-o", "n.tsv", "--seed", seed, "--gold", "truth.tsv"});
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
    const Json all = run("-o n.tsv --method mi --json"_args).json();
    const Json best = run("-o t.tsv --method mi --top 2 --json"_args).json();
    EXPECT_EQ(all["edges"], 10);
    EXPECT_EQ(best["edges"], 2);
    EXPECT_THAT(readFile(folder_ / "n.tsv"), StartsWith(readFile(folder_ / "t.tsv")));
    // A threshold in nats selects the best edges, too.
    const Json nats = run("-o t.tsv --method mi --unit nats --threshold 0.3 --json"_args).json();
    EXPECT_EQ(nats["edges"], 3);
    EXPECT_EQ(nats["unit"], "nats");
}

}  // namespace
}  // namespace glycine::mutualinfo
