// `glycine tree`: distances of rows, trees, bootstraps, and refusals.
#include "app/alignment/align_commands.hpp"
#include "engine/alignment/alignment_summary.hpp"
#include "engine/io/trees/newick_reader.hpp"
#include "engine/trees/tree.hpp"
#include "tests/app/program_test.hpp"
#include "tests/app/task_test.hpp"
#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"
#include "tests/trees/plain_tree_engine.hpp"

namespace glycine::align {
namespace {

constexpr const char* kRows =
    ">a\nMKVLAAGIVGLLLAQWCEDKRHSTNQ\n>b\nMKVL-AGIVGLLLAQWCEDKR-STNQ\n>c\nMKLL-AGIVGLWLAQYCEDKRHSSNQ\n"
    ">d\nMRLLAAGLVGLWLAQYCDDKRHSS-Q\n>e\nMRLIPAGLVGFWIAQYCDEKKHSSHH\n";

MultipleAlignment rowsOf(std::vector<std::string> rows, Alphabet alphabet = Alphabet::Protein) {
    MultipleAlignment alignment;
    alignment.alphabet = alphabet;
    for (std::size_t k = 0; k < rows.size(); ++k) alignment.names.push_back(fmt::format("r{}", k));
    alignment.rows = std::move(rows);
    return alignment;
}

std::vector<double> distancesBetween(const MultipleAlignment& alignment,
                                     const AlignmentDistanceOptions& options = {},
                                     const std::vector<std::uint32_t>& weights = {}) {
    return alignmentDistances(alignment, options, weights, silentProgress());
}

TEST(AlignmentDistances, CountAlignedLetters) {
    const MultipleAlignment alignment = rowsOf({"ACDE-", "ACW-W", "-WWEW"});
    EXPECT_THAT(distancesBetween(alignment),
                ElementsAre(DoubleEq(1.0 / 3), DoubleEq(2.0 / 3), DoubleEq(1.0 / 3)));
    // Only columns 2 and 3 have no gap.
    EXPECT_THAT(distancesBetween(alignment, {.leavesOutGaps = true}), ElementsAre(0.5, 1, 0.5));
    EXPECT_THAT(distancesBetween(alignment, {}, {0, 3, 1, 0, 0}), ElementsAre(0.25, 1, 0.75));
    EXPECT_THROW(distancesBetween(rowsOf({"A-", "-C"})), InputError);
}

TEST(AlignmentDistances, KimurasCorrections) {
    EXPECT_EQ(kimuraProtein(0), 0);
    EXPECT_THAT(kimuraProtein(0.5), DoubleNear(-std::log(0.45), 1e-12));
    EXPECT_EQ(kimuraProtein(0.75), 1.95);
    EXPECT_EQ(kimuraProtein(0.7505), 1.95);
    EXPECT_EQ(kimuraProtein(0.93), 9.88);
    EXPECT_EQ(kimuraProtein(0.9301), 10);
    EXPECT_EQ(kimuraProtein(1), 10);
    EXPECT_THAT(kimuraNucleotide(0.1, 0.2), DoubleNear(-std::log(0.6) / 2 - std::log(0.6) / 4, 1e-12));
    EXPECT_EQ(kimuraNucleotide(0.4, 0.2), std::numeric_limits<double>::infinity());
    // One transition (A–G) and one transversion in eight columns.
    const MultipleAlignment dna = rowsOf({"ACGTACGT", "GCGTACGA"}, Alphabet::Dna);
    EXPECT_THAT(distancesBetween(dna, {.correction = DistanceCorrection::Kimura}),
                ElementsAre(DoubleNear(-std::log(1 - 0.25 - 0.125) / 2 - std::log(1 - 0.25) / 4, 1e-12)));
    EXPECT_THROW(
        distancesBetween(rowsOf({"AAAA", "CGTC"}, Alphabet::Dna), {.correction = DistanceCorrection::Kimura}),
        InputError);
}

TEST(AlignmentDistances, AreThoseOfClustalW) {
    if (const std::string lack = lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    const TemporaryFolder folder;
    // Shares from 0.0075 to 0.9875 in steps of 0.0175, which cover the formula, the table and the range
    // beyond it.
    std::string text = ">s0\n" + std::string(400, 'A') + "\n";
    MultipleAlignment alignment = rowsOf({std::string(400, 'A')});
    for (std::size_t differing = 3; differing <= 400; differing += 7) {
        alignment.names.push_back(fmt::format("s{}", differing));
        alignment.rows.push_back(std::string(differing, 'W') + std::string(400 - differing, 'A'));
        text += ">" + alignment.names.back() + "\n" + alignment.rows.back() + "\n";
    }
    writeFile(folder / "x.fa", text);
    ASSERT_EQ(std::system(fmt::format("clustalw -TREE -INFILE={} -TYPE=PROTEIN -KIMURA -OUTPUTTREE=dist "
                                      "> /dev/null 2>&1",
                                      (folder / "x.fa").string())
                              .c_str()),
              0);
    std::istringstream theirs(readFile(folder / "x.dst"));
    std::size_t count = 0;
    std::string name;
    theirs >> count >> name;
    ASSERT_EQ(count, alignment.size());
    const std::vector<double> ours = distancesBetween(alignment, {.correction = DistanceCorrection::Kimura});
    double distance = 0;
    theirs >> distance;
    for (std::size_t j = 1; j < count; ++j) {
        theirs >> distance;
        // Three decimals are printed.
        EXPECT_NEAR(ours[j * (j - 1) / 2], distance, 0.00051) << alignment.names[j];
    }
}

TEST(Splits, SupportCountsTreesThatHaveTheBranch) {
    const auto treeOf = [](const std::string& text) {
        return io::readNewick(*test::streamOf(text, "t")).tree;
    };
    // Leaves are numbered in order of appearance: a b c d e.
    const trees::Tree tree = treeOf("((a:1,b:1):1,c:1,(d:1,e:1):1);");
    trees::SplitCounts counts;
    counts.add(treeOf("((a:1,b:1):1,(c:1,(d:1,e:1):1):1);"));  // the same, with a root
    counts.add(tree);
    counts.add(treeOf("((a:1,(b:1,c:1):1):1,d:1,e:1);"));  // de | abc as well, bc | ade
    EXPECT_EQ(counts.trees(), 3U);
    const std::vector<double> support = trees::supportOf(tree, counts);
    ASSERT_EQ(support.size(), tree.nodes.size());
    for (std::size_t leaf = 0; leaf < 5; ++leaf) EXPECT_EQ(support[leaf], -1);
    EXPECT_EQ(support[tree.root], -1);
    EXPECT_THAT(support[tree.nodes[0].parent], DoubleEq(2.0 / 3));
    EXPECT_THAT(support[tree.nodes[3].parent], DoubleEq(1));
}

class TreeCommand : public testing::Test {
  protected:
    TaskOutcome run(std::vector<std::string> arguments) const {
        writeFile(folder_ / "x.fa", kRows);
        return succeedTask(declareTree, std::move(arguments));
    }
    WorkingFolder folder_;
};

TEST_F(TreeCommand, MakesTheTreeThatClustalWMakes) {
    if (const std::string lack = lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    const TaskOutcome outcome = run("x.fa -o ours.ph"_args);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("5 sequences (protein) × 26 columns, fasta"),
                                   HasSubstr("neighbour joining")));
    ASSERT_EQ(std::system("clustalw -TREE -INFILE=x.fa > /dev/null 2>&1"), 0);
    EXPECT_EQ(readFile(folder_ / "ours.ph"), readFile(folder_ / "x.ph"));
}

TEST_F(TreeCommand, SaysWhichNamesClustalWsFormCannotHold) {
    writeFile(folder_ / "y.fa", ">a\nACGTAC\n>b(1)\nACGTTT\n>c\nACCTTA\n");
    const std::string note =
        "ours.ph: as .nwk files are written; ClustalW's form cannot hold the name 'b(1)'";
    EXPECT_THAT(run("y.fa -o ours.ph"_args).out, HasSubstr(note));
    EXPECT_THAT(run("y.fa -o ours.nwk"_args).out, Not(HasSubstr("ClustalW")));
    EXPECT_EQ(readFile(folder_ / "ours.ph"), readFile(folder_ / "ours.nwk"));
    EXPECT_THAT(run("x.fa -o ours.ph"_args).out, Not(HasSubstr("ClustalW")));
}

TEST_F(TreeCommand, BootstrapsAreTheSameForASeed) {
    const TaskOutcome outcome = run("x.fa -o a.nwk --bootstrap 200 --seed 4 --json"_args);
    EXPECT_GT(outcome.json()["leastSupport"], 0.8);
    const io::NamedTree tree = io::readNewick(folder_ / "a.nwk");
    std::size_t labels = 0;
    for (std::size_t node = tree.tree.leaves; node < tree.labels.size(); ++node)
        labels += tree.labels[node].empty() ? 0U : 1U;
    EXPECT_EQ(labels, 2U);
    run("x.fa -o b.nwk --bootstrap 200 --seed 4"_args);
    EXPECT_EQ(readFile(folder_ / "a.nwk"), readFile(folder_ / "b.nwk"));
    run("x.fa -o c.nwk --bootstrap 200 --seed 4 --root midpoint"_args);
    const io::NamedTree rooted = io::readNewick(folder_ / "c.nwk");
    EXPECT_EQ(rooted.tree.nodes[rooted.tree.root].children.size(), 2U);
}

TEST_F(TreeCommand, DrawsItsTree) {
    const io::NamedTree tree = [&] {
        run("x.fa -o a.nwk -o d.phy --bootstrap 20 --root midpoint"_args);
        return io::readNewick(folder_ / "a.nwk");
    }();
    writeFile(folder_ / "kinds.tsv", tree.labels[0] + "\tplant\n" + tree.labels[1] + "\tyeast\n");
    // The picture has the root in the middle, whatever the other files have.
    const TaskOutcome outcome = run("x.fa -o a.svg -o b.nwk --bootstrap 20 --groups kinds.tsv"_args);
    EXPECT_THAT(outcome.out, HasSubstr("a.svg"));
    const std::string picture = readFile(folder_ / "a.svg");
    EXPECT_THAT(picture, AllOf(HasSubstr(">plant<"), HasSubstr(">yeast<"), HasSubstr("differences per site"),
                               HasSubstr("drawn from the middle of the longest path")));
    for (const std::string& label : tree.labels)
        if (!label.empty()) {
            EXPECT_THAT(picture, HasSubstr(">" + label + "<"));
        }
    run("d.phy -o u.svg --method upgma"_args);
    EXPECT_THAT(readFile(folder_ / "u.svg"), AllOf(HasSubstr(" distance<"), Not(HasSubstr("longest path"))));
}

TEST_F(TreeCommand, TakesDistancesInAllForms) {
    run("x.fa -o a.nwk --correction kimura -o d.phy"_args);
    run("x.fa -o a.nwk --correction kimura -o d.npy"_args);
    run("x.fa -o a.nwk --correction kimura -o d.tsv"_args);
    for (const char* name : {"d.phy", "d.npy", "d.tsv"}) {
        const TaskOutcome outcome = run({name, "-o", "b.nwk"});
        EXPECT_EQ(readFile(folder_ / "b.nwk"), readFile(folder_ / "a.nwk")) << name;
        EXPECT_THAT(outcome.out, HasSubstr("distances of 5 sequences"));
    }
    // The lower triangle, and lines that break between values.
    writeFile(folder_ / "t.dst", "3\na\nb  2\nc  4 4\n");
    run("t.dst -o t.nwk --method upgma"_args);
    EXPECT_EQ(readFile(folder_ / "t.nwk"), "(c:2,(a:1,b:1):1);\n");
    writeFile(folder_ / "w.dst", "3\na  0 2\n   4\nb  2\n0 4\nc  4 4 0\n");
    run("w.dst -o w.nwk --method upgma"_args);
    EXPECT_EQ(readFile(folder_ / "w.nwk"), "(c:2,(a:1,b:1):1);\n");
}

TEST_F(TreeCommand, AverageLinkageKeepsAllDigitsOfDistances) {
    const auto tree = [&](const std::string& distances) {
        writeFile(folder_ / "d.dst", distances);
        run("d.dst -o d.nwk --method upgma"_args);
        return readFile(folder_ / "d.nwk");
    };
    EXPECT_EQ(tree("2\na 0 1.1\nb 1.1 0\n"), "(a:0.55,b:0.55);\n");
    EXPECT_EQ(tree("2\na 0 33554434\nb 33554434 0\n"), "(a:16777217,b:16777217);\n");
    EXPECT_EQ(tree("3\na 0 1e39 4e39\nb 1e39 0 4e39\nc 4e39 4e39 0\n"),
              "(c:2e+39,(a:5e+38,b:5e+38):1.5e+39);\n");
    EXPECT_EQ(tree("2\na 0 1e-46\nb 1e-46 0\n"), "(a:5e-47,b:5e-47);\n");
}

TEST_F(TreeCommand, ReadsDistancesInEveryForm) {
    writeFile(folder_ / "d.phy", "3\na\n b 2.5e-1\r\n\nc\t.75\n 0.50000000000000000000\n");
    run("d.phy -o o.nwk -o o.tsv --method upgma"_args);
    EXPECT_EQ(readFile(folder_ / "o.tsv"), "\ta\tb\tc\na\t0\t0.25\t0.75\nb\t0.25\t0\t0.5\nc\t0.75\t0.5\t0\n");
}

TEST_F(TreeCommand, RefusesWhatDoesNotFitTogether) {
    writeFile(folder_ / "x.fa", kRows);
    const auto refused = [&](std::vector<std::string> arguments, const std::string& message) {
        expectTaskRefused(declareTree, arguments, message);
        EXPECT_FALSE(std::filesystem::exists(folder_ / "o.nwk"));
    };
    refused("x.fa -o o.pgn"_args, "the ending stands for no tree; known: .nwk, .tree, .dnd, .ph");
    refused("x.fa -o o.nwk --groups x.fa"_args, "--groups is for pictures; add one: -o FILE.png");
    refused("x.fa -o o.nwk -o o.png --groups x.fa"_args, "names no instance of the input");
    writeFile(folder_ / "d.dst", "2\na 0 1\nb 2 0\n");
    refused("d.dst -o o.nwk"_args, "row 1 ('b') and the column of the same sequence differ");
    refused("d.dst -o o.nwk --bootstrap 5"_args, "--bootstrap is for alignments");
    writeFile(folder_ / "d.dst", "2\na 0 x\nb 2 0\n");
    refused("d.dst -o o.nwk"_args, "line 2: 'x'; expected distance, which is not negative");
    for (const std::string value : {"-0.5", "0.5.1", "nan", "1e999", "0.5x"}) {
        writeFile(folder_ / "d.dst", "2\n\na 0 " + value + "\nb " + value + " 0\n");
        refused("d.dst -o o.nwk"_args, "line 3: '" + value + "'; expected distance, which is not negative");
    }
    writeFile(folder_ / "d.dst", "2\na 0 9007199254740993\nb 9007199254740993 0\n");
    refused("d.dst -o o.nwk"_args, "line 2: '9007199254740993'; expected");
    writeFile(folder_ / "d.dst", "2\na 0 1\nb 1\n");
    refused("d.dst -o o.nwk"_args, "ends after line 4; expected its values");
    writeFile(folder_ / "d.dst", "2\na 0 1\nb 1 0\nc\n");
    refused("d.dst -o o.nwk"_args, "line 4: 'c'; expected nothing after 2 rows");
    writeFile(folder_ / "d.dst", "two\na 0 1\nb 1 0\n");
    refused("d.dst -o o.nwk"_args, "'two'; expected the number of sequences, alone on its line");
    writeFile(folder_ / "d.dst", "1000000\na 0 1\nb 1 0\n");
    refused("d.dst -o o.nwk"_args, "'1000000'; expected fewer sequences: the file has no room");
    writeFile(folder_ / "d.tsv", "\ta\tb\na\t0\tnan\nb\tnan\t0\n");
    refused("d.tsv -o o.nwk"_args, "the distance of 'a' and 'b' is not known");
    writeFile(folder_ / "one.fa", ">a\nACD\n");
    refused("one.fa -o o.nwk"_args, "has 1 sequence; expected at least 2");
}

TEST_F(TreeCommand, IsBuiltOnTheProcessorAndSaysWhy) {
    const Json report = run("x.fa -o a.nwk --json"_args).json();
    EXPECT_EQ(report["device"]["backend"], "cpu");
    EXPECT_EQ(report["variant"], "pruned");
    EXPECT_EQ(report["backendReason"], "cuda: gains from 10,000 sequences on");
    EXPECT_FALSE(report.contains("stages")) << "all of it is the host's";
    EXPECT_FALSE(report.contains("recount"));
    const TaskOutcome named = run("x.fa -o b.nwk --backend cpu --variant pruned --threads 1"_args);
    EXPECT_THAT(named.out, HasSubstr("cpu, variant pruned"));
    EXPECT_EQ(readFile(folder_ / "a.nwk"), readFile(folder_ / "b.nwk"));
}

TEST_F(TreeCommand, RefusesBackendsThatBuildNoTrees) {
    writeFile(folder_ / "x.fa", kRows);
    const auto refusal = [&](std::vector<std::string> more, int exitCode) {
        more.insert(more.begin(), {"x.fa", "-o", "o.nwk"});
        const TaskOutcome outcome = runTask(declareTree, more);
        EXPECT_EQ(outcome.exitCode, exitCode);
        EXPECT_FALSE(std::filesystem::exists(folder_ / "o.nwk"));
        return outcome.error;
    };
    EXPECT_EQ(refusal("--backend reference"_args, 1),
              "trees are built on cpu and cuda, and not on reference");
    EXPECT_EQ(refusal("--backend cuda"_args, 1), "the backend cuda is not available: none here");
    EXPECT_THAT(refusal("--backend cpu --variant exhaustive"_args, 2),
                HasSubstr("the backend 'cpu' has no variant 'exhaustive'; it has: pruned"));
    EXPECT_THAT(refusal("--backend cpu+cuda"_args, 2), HasSubstr("'cpu+cuda'"));
    EXPECT_THAT(refusal("--max-memory 1G"_args, 2), HasSubstr("--max-memory concerns gl and cuda"));
    EXPECT_THAT(refusal("--backend cpu --no-check"_args, 2), HasSubstr("--no-check concerns gl and cuda"));
}

/// Commands with a `cuda` whose trees come from plain loops.
class TreeOnADevice : public TreeCommand {
  protected:
    TreeOnADevice() {
        run("x.fa -o first.nwk"_args);  // registers the usual backends
        const std::string name = "cuda";
        BackendRegistry::instance().add(
            {name,
             "",
             [](const BackendOptions&) { return std::make_unique<test::NamedBackend>("cuda"); },
             {}});
        addImplementation(Implementation<trees::TreeEngine>{
            name, {{name, "exhaustive", "", "", {}, {}, true}}, [this](Backend&) {
                return std::make_unique<trees::PlainEngine>(faults_);
            }});
    }
    ~TreeOnADevice() override {
        trees::TreeEngine::implementations().pop_front();
        BackendRegistry::instance().add(
            {"cuda",
             "",
             [](const BackendOptions&) -> std::unique_ptr<Backend> { throw UnavailableError("none here"); },
             {}});
    }
    trees::Faults faults_;
};

TEST_F(TreeOnADevice, IsThatOfTheProcessor) {
    for (const char* method : {"nj", "upgma"}) {
        run({"x.fa", "-o", "a.nwk", "--method", method, "--bootstrap", "20"});
        const Json report = run({"x.fa", "-o", "b.nwk", "--method", method, "--bootstrap", "20", "--backend",
                                 "cuda", "--json"})
                                .json();
        EXPECT_EQ(readFile(folder_ / "a.nwk"), readFile(folder_ / "b.nwk"));
        EXPECT_EQ(report["device"]["backend"], "cuda");
        EXPECT_EQ(report["variant"], "exhaustive");
        EXPECT_EQ(report["stages"],
                  Json::parse(R"([{"stage": "distances", "where": "host", "why": "has no passes or kernels"},
                                  {"stage": "tree", "where": "cuda"},
                                  {"stage": "distances of bootstraps", "where": "host",
                                   "why": "has no passes or kernels"},
                                  {"stage": "trees of bootstraps", "where": "cuda"}])"));
        EXPECT_GT(report["recount"]["elements"], 0);
        EXPECT_EQ(report["recount"]["method"], "on the host");
    }
    // Small trees have no rounds; without --backend the device is left alone.
    writeFile(folder_ / "t.dst", "3\na\nb  2\nc  4 4\n");
    EXPECT_EQ(run("t.dst -o t.nwk --backend cuda --json"_args).json()["stages"],
              Json::parse(R"([{"stage": "tree", "where": "host", "why": "sooner done than sent"}])"));
    EXPECT_EQ(run("x.fa -o c.nwk --json"_args).json()["device"]["backend"], "cpu");
    // A variant that only the device has chooses it.
    EXPECT_EQ(run("x.fa -o c.nwk --variant exhaustive --json"_args).json()["device"]["backend"], "cuda");
}

TEST_F(TreeOnADevice, IsNotWrittenIfItIsWrong) {
    faults_.pair = [](std::size_t, trees::JoinedPair& pair) { pair.high = 99; };
    const TaskOutcome outcome = runTask(declareTree, "x.fa -o o.nwk --backend cuda --no-check"_args);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error, HasSubstr("expected two clusters"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "o.nwk"));
}

}  // namespace
}  // namespace glycine::align
