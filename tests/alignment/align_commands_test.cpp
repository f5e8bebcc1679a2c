// `glycine align`: options, files, stages, reports, refusals, and resuming after a stop.
#include <signal.h>

#include "app/alignment/align_commands.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/study/study_commands.hpp"
#include "tests/app/program_test.hpp"
#include "tests/app/task_test.hpp"
#include "tests/pairwise/align_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

constexpr const char* kFamily =
    ">one\nMKVLAAGIVGLLLAQWCEDKRH\n>two "
    "x\nMKVLAGIVGLLAQWCEDKR\n>three\nMLAGIVGLLACEDRRH\n>four\nMKVLAAGIVGLLAQWCEDKH\n";

class AlignCommand : public testing::Test {
  protected:
    /// Runs `align x.fa` with these further arguments, which must succeed.
    TaskOutcome run(std::vector<std::string> arguments) const {
        writeFile(folder_ / "x.fa", kFamily);
        arguments.insert(arguments.begin(), {"x.fa", "--backend", "cpu"});
        return succeedTask(declareAlign, std::move(arguments));
    }
    void refused(std::vector<std::string> arguments, const std::string& message) const {
        writeFile(folder_ / "x.fa", kFamily);
        arguments.insert(arguments.begin(), "x.fa");
        const std::size_t before = folder_.fileCount();
        expectTaskRefused(declareAlign, arguments, message);
        EXPECT_EQ(folder_.fileCount(), before);
    }
    MultipleAlignment alignmentIn(const std::string& name) const {
        return readAlignment(folder_ / name, {}).alignment;
    }
    WorkingFolder folder_;
};

TEST_F(AlignCommand, WritesConfidencesByTheirEnding) {
    run("-o a.aln -o a.confidence.tsv"_args);
    const std::string table = readFile(folder_ / "a.confidence.tsv");
    EXPECT_THAT(table, AllOf(StartsWith("sequence\t1\t2"), HasSubstr("\nthree\t")));
    EXPECT_EQ(std::ranges::count(table, '\n'), 5);
    refused("-o a.aln -o a.confidence.tsv --method clustalw"_args,
            "confidences need an alignment by posteriors");
    refused("-o a.aln -o a.confidence.tsv -o a.confidence.npz"_args, "names two files of confidences");
}

TEST_F(AlignCommand, WritesAllFormatsAlike) {
    const TaskOutcome outcome =
        run("-o a.aln --method clustalw --order input -o a.afa -o a.phy -o a.sto -o a.msf -o "
            "a.dnd -o d.phylip.dist --draw identities=h.svg"_args);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("4 sequences (protein), 16 to 22 letters"),
                                   HasSubstr("clustalw"), HasSubstr("variant interpair")));
    const MultipleAlignment clustal = alignmentIn("a.aln");
    EXPECT_THAT(clustal.names, ElementsAre("one", "two", "three", "four"));
    EXPECT_EQ(withoutGaps(clustal).letters[2], "MLAGIVGLLACEDRRH");
    for (const char* name : {"a.afa", "a.phy", "a.sto", "a.msf"}) {
        EXPECT_EQ(alignmentIn(name).rows, clustal.rows) << name;
        EXPECT_EQ(alignmentIn(name).names, clustal.names) << name;
    }
    EXPECT_THAT(readFile(folder_ / "a.dnd"), HasSubstr("three:"));
    EXPECT_THAT(readFile(folder_ / "d.phylip.dist"), HasSubstr("4\none        0 "));
    EXPECT_THAT(readFile(folder_ / "h.svg"), HasSubstr("<svg"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "h.order.tsv"));
    writeFile(folder_ / "kinds.tsv", "two\tplant\nthree\tyeast\n");
    run("-o a.aln --draw identities=h.svg --groups kinds.tsv"_args);
    EXPECT_THAT(readFile(folder_ / "h.svg"), AllOf(HasSubstr(">plant<"), HasSubstr(">yeast<")));
    refused("-o o.aln --groups kinds.tsv"_args, "--groups needs --draw");
}

TEST_F(AlignCommand, AlignsForAccuracyByItself) {
    const TaskOutcome outcome = run("-o a.aln -o a.sto -o a.html -o a.nwk --order aligned"_args);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("maximum expected accuracy"), HasSubstr("variant interpair"),
                                   HasSubstr("posteriors"), HasSubstr("consistency")));
    EXPECT_EQ(withoutGaps(alignmentIn("a.aln")).total(), 22U + 19 + 16 + 20);
    EXPECT_EQ(withoutGaps(alignmentIn("a.sto")).total(), 22U + 19 + 16 + 20);
    EXPECT_THAT(readFile(folder_ / "a.nwk"), HasSubstr("three:"));
    const Json json = run("-o b.aln --tree-in a.nwk --json"_args).json();
    EXPECT_EQ(json["variant"], "interpair");
    EXPECT_FALSE(json["seconds"].contains("guide tree"));
    EXPECT_EQ(withoutGaps(alignmentIn("b.aln")).letters[0].size(), 22U);
    // Separate stages: distances give the tree, and the tree gives the alignment.
    run("-o d.phy -o d.npy --stage pairwise"_args);
    run("-o t.nwk --stage tree -o e.npy --draw identities=h.svg"_args);
    EXPECT_EQ(readFile(folder_ / "d.npy"), readFile(folder_ / "e.npy"));
    EXPECT_THAT(readFile(folder_ / "h.svg"), HasSubstr("expected accuracy of pairs"));
    EXPECT_EQ(readFile(folder_ / "t.nwk"), readFile(folder_ / "a.nwk"));
    run("-o c.aln --distances-in d.phy"_args);
    run("-o whole.aln"_args);
    EXPECT_EQ(readFile(folder_ / "c.aln"), readFile(folder_ / "whole.aln"));
    refused("-o o.npy --stage pairwise --method fast"_args, "--stage pairwise is not for --method fast");
    refused("-o o.aln --tile 3"_args, "--tile is for --method clustalw and thesis");
}

TEST_F(AlignCommand, WritesWhatClustalWWrites) {
    if (const std::string lack = lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    run("-o ours.aln -o ours.dnd --order aligned --method clustalw"_args);
    ASSERT_EQ(std::system("clustalw -ALIGN -INFILE=x.fa > /dev/null 2>&1"), 0);
    EXPECT_EQ(readFile(folder_ / "ours.aln"), readFile(folder_ / "x.aln"));
    EXPECT_EQ(readFile(folder_ / "ours.dnd"), readFile(folder_ / "x.dnd"));
}

/// With this many distances, single precision matters: without it, one branch has another fifth decimal.
TEST_F(AlignCommand, WritesClustalWsTreeOfManySequences) {
    if (const std::string lack = lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    test::writeFasta(folder_ / "many.fa", randomSequences({.count = 150, .length = 55, .divergence = 0.3}));
    succeedTask(declareAlign,
                "many.fa --method clustalw -o ours.dnd -o ours.aln --order aligned --backend cpu"_args);
    ASSERT_EQ(std::system("clustalw -ALIGN -INFILE=many.fa > /dev/null 2>&1"), 0);
    EXPECT_EQ(readFile(folder_ / "ours.dnd"), readFile(folder_ / "many.dnd"));
    EXPECT_EQ(readFile(folder_ / "ours.aln"), readFile(folder_ / "many.aln"));
}

TEST_F(AlignCommand, WritesWhatClustalWWritesOfQuickPairs) {
    if (const std::string lack = lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna}) {
        test::writeFasta(folder_ / "many.fa", randomSequences({.count = 40,
                                                               .length = 90,
                                                               .alphabet = alphabet,
                                                               .divergence = 0.4,
                                                               .ambiguous = 0.03,
                                                               .seed = 7}));
        succeedTask(declareAlign,
                    "many.fa --method clustalw --quicktree -o ours.dnd -o ours.aln "
                    "--order aligned --backend cpu"_args);
        ASSERT_EQ(std::system("clustalw -ALIGN -QUICKTREE -INFILE=many.fa > /dev/null 2>&1"), 0);
        EXPECT_EQ(readFile(folder_ / "ours.dnd"), readFile(folder_ / "many.dnd"));
        EXPECT_EQ(readFile(folder_ / "ours.aln"), readFile(folder_ / "many.aln"));
    }
}

TEST_F(AlignCommand, StagesRunAlone) {
    for (const char* method : {"clustalw", "thesis"}) {
        run({"-o", "whole.aln", "--method", method});
        run({"-o", "d.npy", "-o", "d.tsv", "--stage", "pairwise", "--method", method});
        EXPECT_THAT(readFile(folder_ / "d.npy"), HasSubstr("NUMPY"));
        EXPECT_EQ(readFile(folder_ / "d.npy.names"), "one\ntwo\nthree\nfour\n");
        run({"-o", "guide.nwk", "--stage", "tree", "--method", method});
        const TaskOutcome outcome = run({"-o", "parts.aln", "--stage", "progressive", "--tree-in",
                                         "guide.nwk", "--method", method, "--json"});
        EXPECT_EQ(readFile(folder_ / "parts.aln"), readFile(folder_ / "whole.aln"));
        EXPECT_FALSE(outcome.json().contains("pairs"));
        run({"-o", "again.aln", "--distances-in", "d.tsv", "--method", method});
        EXPECT_EQ(readFile(folder_ / "again.aln"), readFile(folder_ / "whole.aln"));
        EXPECT_TRUE(outcome.json()["seconds"].contains("progressive"));
        EXPECT_EQ(outcome.json()["alignment"]["rows"], 4);
    }
}

TEST_F(AlignCommand, MakesTheRequestedGuideTree) {
    for (const std::string method : {"", "clustalw", "thesis"}) {
        SCOPED_TRACE(method);
        const auto with = [&](std::vector<std::string> arguments) {
            if (!method.empty()) arguments.insert(arguments.end(), {"--method", method});
            return run(std::move(arguments));
        };
        const std::string usual = method.empty() ? "upgma" : "nj", other = method.empty() ? "nj" : "upgma";
        with("-o a.aln -o usual.nwk -o d.npy"_args);
        with({"-o", "b.aln", "-o", "named.nwk", "--guide-tree", usual});
        with({"-o", "c.aln", "-o", "other.nwk", "--guide-tree", other});
        EXPECT_EQ(readFile(folder_ / "usual.nwk"), readFile(folder_ / "named.nwk"));
        EXPECT_NE(readFile(folder_ / "usual.nwk"), readFile(folder_ / "other.nwk"));
        EXPECT_EQ(withoutGaps(alignmentIn("c.aln")).total(), 22U + 19 + 16 + 20);
        // The distances give the same alignment.
        with({"-o", "e.aln", "--distances-in", "d.npy", "--guide-tree", other});
        EXPECT_EQ(readFile(folder_ / "e.aln"), readFile(folder_ / "c.aln"));
    }
    refused("-o o.aln --method fast --guide-tree nj"_args, "--guide-tree is not for --method fast");
    refused("-o o.npy --stage pairwise --guide-tree nj"_args, "--stage pairwise makes none");
    refused("-o o.aln --guide-tree average"_args, "average");
}

TEST_F(AlignCommand, AlignsFast) {
    const TaskOutcome outcome = run("-o a.aln --method fast -o a.nwk --order aligned"_args);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("fast (profiles"), HasSubstr("variant profiles")));
    EXPECT_EQ(withoutGaps(alignmentIn("a.aln")).total(), 22U + 19 + 16 + 20);
    // The written tree gives the same alignment.
    run("-o b.aln --method fast --tree-in a.nwk --order aligned"_args);
    EXPECT_EQ(alignmentIn("b.aln").rows, alignmentIn("a.aln").rows);
    const auto seconds = run("-o c.aln --method fast --json"_args).json()["seconds"];
    for (const char* stage : {"guide tree", "progressive", "refinement"})
        EXPECT_TRUE(seconds.contains(stage)) << stage;
}

TEST_F(AlignCommand, ChoosesTheMethodByABudgetOfWork) {
    const TaskOutcome usual = run("-o usual.aln -o usual.html"_args);
    EXPECT_THAT(usual.out, AllOf(HasSubstr("posteriors with 2 rounds of consistency: estimated"),
                                 HasSubstr("of work, budget 1 min 00 s; chosen by --method auto")));
    const TaskOutcome accurate = run("-o accurate.aln --method accuracy"_args);
    EXPECT_THAT(accurate.out, Not(HasSubstr("--method auto")));
    EXPECT_EQ(readFile(folder_ / "usual.aln"), readFile(folder_ / "accurate.aln"));
    run("-o auto.aln --method auto"_args);
    EXPECT_EQ(readFile(folder_ / "auto.aln"), readFile(folder_ / "accurate.aln"));

    const TaskOutcome little = run("-o little.aln --budget 1e-9"_args);
    EXPECT_THAT(little.out,
                AllOf(HasSubstr("fast: estimated"), HasSubstr("the least there is for a budget of"),
                      HasSubstr("posteriors with 2 rounds of consistency would take"),
                      HasSubstr("chosen by --method auto")));
    run("-o fast.aln --method fast"_args);
    EXPECT_EQ(readFile(folder_ / "little.aln"), readFile(folder_ / "fast.aln"));
    // Options that --method fast lacks exclude it, whatever the budget.
    for (const std::vector<std::string>& wish : {"--draw identities=h.svg"_args, "-o d.npy"_args,
                                                 "--guide-tree nj"_args, "--variant interpair"_args}) {
        auto arguments = "-o wish.aln --budget 1e-9 --json"_args;
        arguments.insert(arguments.end(), wish.begin(), wish.end());
        const Json choice = run(std::move(arguments)).json()["choice"];
        EXPECT_EQ(choice["method"], "accuracy") << wish.front();
        EXPECT_EQ(choice["consistencyRounds"], 0) << wish.front();
        EXPECT_EQ(choice["by"], "--method auto");
        EXPECT_EQ(choice["budgetSeconds"], 1e-9);
    }
    EXPECT_EQ(run("-o t.nwk --stage tree --budget 1e-9 --json"_args).json()["choice"]["name"], "posteriors");
    refused("-o o.aln --budget 5 --method thesis"_args,
            "--budget is for --method auto; --method thesis has no limit on its time");
    refused("-o o.aln --budget 0"_args, "--budget");
}

TEST_F(AlignCommand, SaysWhichPictureHasTheLettersWhereOneIsTooHigh) {
    std::string fasta;
    for (int k = 0; k < 620; ++k) fasta += ">s" + std::to_string(k) + "\nMKVLAAGIV\n";
    writeFile(folder_ / "many.fa", fasta);
    const TaskOutcome outcome =
        succeedTask(declareAlign, "many.fa -o a.png -o a.html --method fast --backend cpu --json"_args);
    EXPECT_THAT(outcome.json()["pictures"].dump(),
                AllOf(HasSubstr("a.png: an overview without letters"), HasSubstr(".html has all letters")));
}

TEST_F(AlignCommand, RefusesWhatDoesNotFitTogether) {
    refused("-o o.aln --method fast -o d.npy"_args, "-o d.npy is not for --method fast");
    refused("-o o.dnd"_args, "-o names no alignment");
    refused("-o o.aln --method fast --variant interpair"_args, "--method fast takes none of them");
    refused("-o o.npy"_args, "-o names no alignment");
    refused("-o o.doc"_args, "the ending stands for no alignment; known: .aln");
    refused("-o o.aln --method clustalw --stage pairwise"_args, "the ending stands for no result format");
    refused("-o o.aln --method clustalw --stage tree"_args, "the ending stands for no tree");
    refused("-o o.aln --stage progressive"_args, "needs the guide tree: --tree-in");
    refused("-o o.dnd --method clustalw --stage tree --order aligned"_args, "--order is for alignments");
    writeFile(folder_ / "d.phy", "3\none 0 1 1\ntwo 1 0 1\nthree 1 1 0\n");
    refused("-o o.aln --distances-in d.phy"_args, "d.phy: has no 'four'");
    refused("-o o.npy --method clustalw --distances-in d.phy --stage pairwise"_args,
            "replaces --stage pairwise");
    refused("-o o.aln -o o.aln"_args, "o.aln");
    refused("-o o.aln --quicktree"_args, "--quicktree is ClustalW's; it needs --method clustalw");
    refused("-o o.aln --method clustalw --quicktree --distances-in d.phy"_args, "exclude each other");
    refused("-o o.npy --method clustalw --quicktree --stage pairwise"_args, "replaces --stage pairwise");
    refused("-o o.aln --method clustalw --quicktree -o d.tsv"_args, "-o d.tsv needs aligned pairs");
    refused("-o o.aln --method clustalw --draw identities=o.txt"_args,
            "--draw identities: o.txt does not end in .png");
    writeFile(folder_ / "g.nwk", "((one:1,two:1):1,three:1);");
    refused("-o o.aln --method clustalw --tree-in g.nwk -o d.tsv"_args, "-o d.tsv needs aligned pairs");
    refused("-o o.aln --tree-in g.nwk"_args, "has no leaf 'four'; expected all 4 sequences");
    writeFile(folder_ / "g.nwk", "((one:1,two:1):1,thre:1,four:1);");
    refused("-o o.aln --tree-in g.nwk"_args, "the leaf 'thre' is none of the sequences");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "o.aln"));
}

TEST_F(AlignCommand, KeepsLongAndStrangeNames) {
    writeFile(folder_ / "n.fa", ">a_name_longer_than_ten|x:1-20\nMKVLAW\n>b(2)\nMKLAW\n>c\nMVLAW\n");
    succeedTask(declareAlign, "n.fa -o n.phy -o n.aln -o n.dnd"_args);
    EXPECT_THAT(alignmentIn("n.phy").names, ElementsAre("a_name_longer_than_ten|x:1-20", "b(2)", "c"));
    succeedTask(declareAlign, "n.fa -o m.aln --tree-in n.dnd"_args);
    EXPECT_EQ(readFile(folder_ / "m.aln"), readFile(folder_ / "n.aln"));
}

class AlignProgram : public test::ProgramTest {};

TEST_F(AlignProgram, PipesFasta) {
    writeFile(folder_ / "x.fa", kFamily);
    const test::Outcome piped = runProgram(
        "sh", {"-c", std::string("cat x.fa | ") + GLYCINE_COMMAND + " align - -o - 2>/dev/null | " +
                         GLYCINE_COMMAND + " align - -o - 2>/dev/null"});
    EXPECT_EQ(piped.exitCode, 0);
    EXPECT_THAT(piped.out, HasSubstr(">one\nMKVLAAGIVGLLLAQWCEDKRH\n>two\n"));
}

TEST(AlignReproduce, TimesTheStagesOfTheThesis) {
    const TaskOutcome outcome = succeedTask(study::declareReproduce,
                                            "clustal-c1 --quick --backend reference --repeats 1 --json"_args);
    const Json report = outcome.json();
    ASSERT_EQ(report["rows"].size(), 6U * 10) << "numbers of sequences; stages and others";
    for (std::size_t r = 0; r < report["rows"].size(); r += 10) {
        double stages = 0;
        for (std::size_t s = 0; s < 4; ++s) {
            const Json& row = report["rows"][r + s];
            ASSERT_TRUE(row.contains("seconds")) << row.dump();
            EXPECT_THAT(row["check"].get<std::string>(), HasSubstr("distances of 66 pairs equal"));
            if (s < 3) stages += row["seconds"]["min"].get<double>();
        }
        EXPECT_LE(stages, report["rows"][r + 3]["seconds"]["max"].get<double>() * 1.0001);
    }
    EXPECT_EQ(report["rows"][1]["stage"], "guide tree");
    EXPECT_EQ(report["rows"][1]["sequences"], 17);
    EXPECT_EQ(report["rows"][1]["letters"], 64);
    EXPECT_EQ(report["claims"][0]["published"], "0.49 ×");
    EXPECT_NE(report["claims"][0]["verdict"], "cannot be tested");
}

TEST_F(AlignProgram, GoesOnWhereItWasStopped) {
    succeed("generate sequences --sequences 120 --length 200 -o x.fa"_args);
    const auto arguments = "align x.fa -o a.aln --backend reference --tile 24 --json --method clustalw"_args;
    const test::Outcome stopped = runUntilEntry(arguments, 1);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    ASSERT_FALSE(std::filesystem::exists(folder_ / "a.aln"));
    std::vector<std::string> onCpu = arguments;
    onCpu[5] = "cpu";
    const test::Outcome done = succeed(onCpu);
    EXPECT_GT(done.json()["pairs"]["tilesResumed"], 0);
    succeed("align x.fa -o whole.aln --backend cpu --method clustalw"_args);
    EXPECT_EQ(readFile(folder_ / "a.aln"), readFile(folder_ / "whole.aln"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.aln.unfinished"));
}

TEST_F(AlignProgram, GoesOnFromPosteriorsWhenItWasKilled) {
    succeed("generate sequences --sequences 55 --length 50 -o x.fa"_args);
    const auto arguments = "align x.fa -o a.aln --backend reference --json"_args;
    const auto journal = folder_ / "a.aln.unfinished.tiles";
    ASSERT_EQ(runUntilEntry(arguments, 1, ":kill").exitCode, 128 + SIGKILL);
    ASSERT_THAT(readFile(journal), HasSubstr("\ntile "));
    std::vector<std::string> onCpu = arguments;
    onCpu[5] = "cpu";
    const test::Outcome refused = run(onCpu);
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.err, HasSubstr("backend was reference, is cpu now; --restart forgets"));
    std::vector<std::string> lessWork = arguments;
    lessWork.insert(lessWork.end(), {"--budget", "0.03"});
    EXPECT_THAT(run(lessWork).err,
                HasSubstr("method was accuracy, 1 rounds of consistency, 30 refinements, is accuracy, "
                          "0 rounds of consistency, 30 refinements now"));
    writeFile(folder_ / "y.fa", kFamily);
    std::vector<std::string> other = arguments;
    other[1] = "y.fa";
    EXPECT_THAT(run(other).err, HasSubstr("sequences was 55, is 4 now"));
    const test::Outcome done = succeed(arguments);
    EXPECT_GT(done.json()["pairsResumed"], 0);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.aln.unfinished"));
    EXPECT_FALSE(std::filesystem::exists(journal));
    EXPECT_EQ(withoutGaps(readAlignment(folder_ / "a.aln", {}).alignment).size(), 55U);
}

}  // namespace
}  // namespace glycine::align
