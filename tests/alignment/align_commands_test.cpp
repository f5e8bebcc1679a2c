// `glycine align`: options, files, stages, reports, refusals; what follows after a stop.
#include <signal.h>

#include <filesystem>

#include "app/alignment/align_commands.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/study/study_commands.hpp"
#include "tests/app/program_test.hpp"
#include "tests/app/task_test.hpp"
#include "tests/needs.hpp"
#include "tests/pairwise/align_fixtures.hpp"

namespace glycine::align {
namespace {

using test::expectTaskRefused;
using test::readFile;
using test::runTask;
using test::TaskOutcome;
using test::writeFile;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kFamily =
    ">one\nMKVLAAGIVGLLLAQWCEDKRH\n>two "
    "x\nMKVLAGIVGLLAQWCEDKR\n>three\nMLAGIVGLLACEDRRH\n>four\nMKVLAAGIVGLLAQWCEDKH\n";

class AlignCommand : public testing::Test {
  protected:
    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    /// Arguments behind `align x.fa`; must succeed.
    TaskOutcome run(std::vector<std::string> arguments) const {
        writeFile(folder_ / "x.fa", kFamily);
        arguments.insert(arguments.begin(), {file("x.fa"), "--backend", "cpu"});
        const TaskOutcome outcome = runTask(declareAlign, std::move(arguments));
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        return outcome;
    }
    void refused(std::vector<std::string> arguments, const std::string& message) const {
        writeFile(folder_ / "x.fa", kFamily);
        arguments.insert(arguments.begin(), file("x.fa"));
        const std::size_t before = folder_.fileCount();
        expectTaskRefused(declareAlign, arguments, message);
        EXPECT_EQ(folder_.fileCount(), before);
    }
    MultipleAlignment alignmentIn(const std::string& name) const {
        return readAlignment(folder_ / name, {}).alignment;
    }
    test::TemporaryFolder folder_;
};

TEST_F(AlignCommand, WritesAllFormatsAlike) {
    const TaskOutcome outcome =
        run({"-o", file("a.aln"), "--clustalw", "--order", "input", "-o", file("a.afa"), "-o", file("a.phy"),
             "-o", file("a.sto"), "-o", file("a.msf"), "--tree-out", file("a.dnd"), "--distances-out",
             file("d.phy"), "--heat-map", file("h.svg")});
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("4 sequences (protein), 16 to 22 letters"), HasSubstr("clustalw"),
                      HasSubstr("variant interpair"), HasSubstr("guide tree")));
    const MultipleAlignment clustal = alignmentIn("a.aln");
    EXPECT_THAT(clustal.names, ElementsAre("one", "two", "three", "four"));
    EXPECT_EQ(withoutGaps(clustal).letters[2], "MLAGIVGLLACEDRRH");
    for (const char* name : {"a.afa", "a.phy", "a.sto", "a.msf"}) {
        EXPECT_EQ(alignmentIn(name).rows, clustal.rows) << name;
        EXPECT_EQ(alignmentIn(name).names, clustal.names) << name;
    }
    EXPECT_THAT(readFile(folder_ / "a.dnd"), HasSubstr("three:"));
    EXPECT_THAT(readFile(folder_ / "d.phy"), HasSubstr("4\none        0 "));
    EXPECT_THAT(readFile(folder_ / "h.svg"), HasSubstr("<svg"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "h.order.tsv"));
}

TEST_F(AlignCommand, AlignsForAccuracyByItself) {
    const TaskOutcome outcome = run({"-o", file("a.aln"), "-o", file("a.sto"), "-o", file("a.html"),
                                     "--tree-out", file("a.nwk"), "--order", "aligned"});
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("maximum expected accuracy"), HasSubstr("variant interpair"),
                                   HasSubstr("posteriors"), HasSubstr("consistency")));
    EXPECT_EQ(withoutGaps(alignmentIn("a.aln")).total(), 22U + 19 + 16 + 20);
    EXPECT_EQ(withoutGaps(alignmentIn("a.sto")).total(), 22U + 19 + 16 + 20);
    EXPECT_THAT(readFile(folder_ / "a.nwk"), HasSubstr("three:"));
    const Json json = run({"-o", file("b.aln"), "--tree-in", file("a.nwk"), "--json"}).json();
    EXPECT_EQ(json["variant"], "interpair");
    EXPECT_FALSE(json["seconds"].contains("guide tree"));
    EXPECT_EQ(withoutGaps(alignmentIn("b.aln")).letters[0].size(), 22U);
    // Stages alone: the distances make the tree, and the tree the alignment.
    run({"-o", file("d.phy"), "-o", file("d.npy"), "--stage", "pairwise"});
    run({"-o", file("t.nwk"), "--stage", "tree", "--distances-out", file("e.phy"), "--heat-map",
         file("h.svg")});
    EXPECT_EQ(readFile(folder_ / "d.phy"), readFile(folder_ / "e.phy"));
    EXPECT_THAT(readFile(folder_ / "h.svg"), HasSubstr("expected accuracy of pairs"));
    EXPECT_EQ(readFile(folder_ / "t.nwk"), readFile(folder_ / "a.nwk"));
    run({"-o", file("c.aln"), "--distances-in", file("d.phy")});
    run({"-o", file("whole.aln")});
    EXPECT_EQ(readFile(folder_ / "c.aln"), readFile(folder_ / "whole.aln"));
    refused({"-o", file("o.npy"), "--stage", "pairwise", "--fast"}, "--stage pairwise is not for --fast");
    refused({"-o", file("o.aln"), "--tile", "3"}, "--tile is for --clustalw and --thesis");
}

TEST_F(AlignCommand, WritesWhatClustalWWrites) {
    if (const std::string lack = test::lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    run({"-o", file("ours.aln"), "--tree-out", file("ours.dnd"), "--order", "aligned", "--clustalw"});
    ASSERT_EQ(std::system(("clustalw -ALIGN -INFILE=" + file("x.fa") + " > /dev/null 2>&1").c_str()), 0);
    EXPECT_EQ(readFile(folder_ / "ours.aln"), readFile(folder_ / "x.aln"));
    EXPECT_EQ(readFile(folder_ / "ours.dnd"), readFile(folder_ / "x.dnd"));
}

/// Of so many distances that single precision shows: one branch has another fifth decimal without it.
TEST_F(AlignCommand, WritesClustalWsTreeOfManySequences) {
    if (const std::string lack = test::lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    test::writeFasta(folder_ / "many.fa", randomSequences({.count = 150, .length = 55, .divergence = 0.3}));
    const TaskOutcome outcome =
        runTask(declareAlign, {file("many.fa"), "--clustalw", "--tree-out", file("ours.dnd"), "-o",
                               file("ours.aln"), "--order", "aligned", "--backend", "cpu"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    ASSERT_EQ(std::system(("clustalw -ALIGN -INFILE=" + file("many.fa") + " > /dev/null 2>&1").c_str()), 0);
    EXPECT_EQ(readFile(folder_ / "ours.dnd"), readFile(folder_ / "many.dnd"));
    EXPECT_EQ(readFile(folder_ / "ours.aln"), readFile(folder_ / "many.aln"));
}

TEST_F(AlignCommand, StagesRunAlone) {
    for (const char* method : {"--clustalw", "--thesis"}) {
        run({"-o", file("whole.aln"), method});
        run({"-o", file("d.npy"), "-o", file("d.tsv"), "--stage", "pairwise", method});
        EXPECT_THAT(readFile(folder_ / "d.npy"), HasSubstr("NUMPY"));
        EXPECT_EQ(readFile(folder_ / "d.npy.names"), "one\ntwo\nthree\nfour\n");
        run({"-o", file("guide.nwk"), "--stage", "tree", method});
        const TaskOutcome outcome = run({"-o", file("parts.aln"), "--stage", "progressive", "--tree-in",
                                         file("guide.nwk"), method, "--json"});
        EXPECT_EQ(readFile(folder_ / "parts.aln"), readFile(folder_ / "whole.aln"));
        EXPECT_FALSE(outcome.json().contains("pairs"));
        run({"-o", file("again.aln"), "--distances-in", file("d.tsv"), method});
        EXPECT_EQ(readFile(folder_ / "again.aln"), readFile(folder_ / "whole.aln"));
        EXPECT_TRUE(outcome.json()["seconds"].contains("progressive"));
        EXPECT_EQ(outcome.json()["alignment"]["rows"], 4);
    }
}

TEST_F(AlignCommand, MakesTheGuideTreeThatIsAskedFor) {
    for (const std::string method : {"", "--clustalw", "--thesis"}) {
        SCOPED_TRACE(method);
        const auto with = [&](std::vector<std::string> arguments) {
            if (!method.empty()) arguments.push_back(method);
            return run(std::move(arguments));
        };
        const std::string usual = method.empty() ? "upgma" : "nj", other = method.empty() ? "nj" : "upgma";
        with({"-o", file("a.aln"), "--tree-out", file("usual.nwk"), "--distances-out", file("d.phy")});
        with({"-o", file("b.aln"), "--tree-out", file("named.nwk"), "--guide-tree", usual});
        with({"-o", file("c.aln"), "--tree-out", file("other.nwk"), "--guide-tree", other});
        EXPECT_EQ(readFile(folder_ / "usual.nwk"), readFile(folder_ / "named.nwk"));
        EXPECT_NE(readFile(folder_ / "usual.nwk"), readFile(folder_ / "other.nwk"));
        EXPECT_EQ(withoutGaps(alignmentIn("c.aln")).total(), 22U + 19 + 16 + 20);
        // From the distances the same alignment follows.
        with({"-o", file("e.aln"), "--distances-in", file("d.phy"), "--guide-tree", other});
        EXPECT_EQ(readFile(folder_ / "e.aln"), readFile(folder_ / "c.aln"));
    }
    refused({"-o", file("o.aln"), "--fast", "--guide-tree", "nj"}, "--guide-tree is not for --fast");
    refused({"-o", file("o.npy"), "--stage", "pairwise", "--guide-tree", "nj"},
            "--stage pairwise makes none");
    refused({"-o", file("o.aln"), "--guide-tree", "average"}, "average");
}

TEST_F(AlignCommand, AlignsFast) {
    const TaskOutcome outcome =
        run({"-o", file("a.aln"), "--fast", "--tree-out", file("a.nwk"), "--order", "aligned"});
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("fast (profiles"), HasSubstr("variant profiles"),
                                   HasSubstr("guide tree"), HasSubstr("refinement")));
    EXPECT_EQ(withoutGaps(alignmentIn("a.aln")).total(), 22U + 19 + 16 + 20);
    // The tree that was written leads to the same alignment.
    run({"-o", file("b.aln"), "--fast", "--tree-in", file("a.nwk"), "--order", "aligned"});
    EXPECT_EQ(alignmentIn("b.aln").rows, alignmentIn("a.aln").rows);
}

TEST_F(AlignCommand, ChoosesTheMethodByABudgetOfWork) {
    const TaskOutcome usual = run({"-o", file("usual.aln"), "-o", file("usual.html")});
    EXPECT_THAT(usual.out, AllOf(HasSubstr("posteriors with 2 rounds of consistency: estimated"),
                                 HasSubstr("of work, budget 1 min 00 s; chosen by --auto")));
    const TaskOutcome accurate = run({"-o", file("accurate.aln"), "--accurate"});
    EXPECT_THAT(accurate.out, Not(HasSubstr("--auto")));
    EXPECT_EQ(readFile(folder_ / "usual.aln"), readFile(folder_ / "accurate.aln"));
    run({"-o", file("auto.aln"), "--auto"});
    EXPECT_EQ(readFile(folder_ / "auto.aln"), readFile(folder_ / "accurate.aln"));

    const TaskOutcome little = run({"-o", file("little.aln"), "--budget", "1e-9"});
    EXPECT_THAT(little.out,
                AllOf(HasSubstr("fast: estimated"), HasSubstr("the least there is for a budget of"),
                      HasSubstr("posteriors with 2 rounds of consistency would take"),
                      HasSubstr("chosen by --auto")));
    run({"-o", file("fast.aln"), "--fast"});
    EXPECT_EQ(readFile(folder_ / "little.aln"), readFile(folder_ / "fast.aln"));
    // What --fast lacks, whatever the budget.
    for (const std::vector<std::string>& wish : {std::vector<std::string>{"--heat-map", file("h.svg")},
                                                 {"--distances-out", file("d.phy")},
                                                 {"--guide-tree", "nj"},
                                                 {"--variant", "interpair"}}) {
        std::vector<std::string> arguments{"-o", file("wish.aln"), "--budget", "1e-9", "--json"};
        arguments.insert(arguments.end(), wish.begin(), wish.end());
        const Json choice = run(std::move(arguments)).json()["choice"];
        EXPECT_EQ(choice["method"], "accuracy") << wish.front();
        EXPECT_EQ(choice["consistencyRounds"], 0) << wish.front();
        EXPECT_EQ(choice["by"], "--auto");
        EXPECT_EQ(choice["budgetSeconds"], 1e-9);
    }
    EXPECT_EQ(
        run({"-o", file("t.nwk"), "--stage", "tree", "--budget", "1e-9", "--json"}).json()["choice"]["name"],
        "posteriors");
    refused({"-o", file("o.aln"), "--auto", "--fast"}, "--fast and --auto exclude each other");
    refused({"-o", file("o.aln"), "--accurate", "--clustalw"},
            "--clustalw and --accurate exclude each other");
    refused({"-o", file("o.aln"), "--budget", "5", "--thesis"},
            "--budget is for --auto; --thesis takes what it takes");
    refused({"-o", file("o.aln"), "--budget", "0"}, "--budget");
}

TEST_F(AlignCommand, SaysWhichPictureHasTheLettersWhereOneIsTooHigh) {
    std::string fasta;
    for (int k = 0; k < 620; ++k) fasta += ">s" + std::to_string(k) + "\nMKVLAAGIV\n";
    writeFile(folder_ / "many.fa", fasta);
    const TaskOutcome outcome = runTask(
        declareAlign,
        {file("many.fa"), "-o", file("a.png"), "-o", file("a.html"), "--fast", "--backend", "cpu", "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_THAT(outcome.json()["pictures"].dump(),
                AllOf(HasSubstr("a.png: an overview without letters"), HasSubstr(".html has all letters")));
}

TEST_F(AlignCommand, RefusesWhatDoesNotFitTogether) {
    refused({"-o", file("o.aln"), "--fast", "--clustalw"}, "--clustalw and --fast exclude each other");
    refused({"-o", file("o.aln"), "--fast", "--thesis"}, "--thesis and --fast exclude each other");
    refused({"-o", file("o.aln"), "--fast", "--distances-out", file("d.npy")},
            "--distances-out is not for --fast");
    refused({"-o", file("o.aln"), "--fast", "--variant", "interpair"}, "--fast takes none of them");
    refused({"-o", file("o.aln"), "--thesis", "--clustalw"}, "--thesis and --clustalw exclude each other");
    refused({"-o", file("o.npy")}, "the ending stands for no alignment; known: .aln");
    refused({"-o", file("o.aln"), "--clustalw", "--stage", "pairwise"},
            "the ending stands for no result format");
    refused({"-o", file("o.aln"), "--clustalw", "--stage", "tree"}, "the ending stands for no tree");
    refused({"-o", file("o.aln"), "--tree-out", file("o.png")}, "the ending stands for no tree");
    refused({"-o", file("o.aln"), "--stage", "progressive"}, "needs the guide tree: --tree-in");
    refused({"-o", file("o.dnd"), "--clustalw", "--stage", "tree", "--order", "aligned"},
            "--order is for alignments");
    writeFile(folder_ / "d.phy", "3\none 0 1 1\ntwo 1 0 1\nthree 1 1 0\n");
    refused({"-o", file("o.aln"), "--distances-in", file("d.phy")}, "d.phy: has no 'four'");
    refused({"-o", file("o.npy"), "--clustalw", "--distances-in", file("d.phy"), "--stage", "pairwise"},
            "takes the place");
    refused({"-o", file("o.aln"), "-o", file("o.aln")}, "o.aln");
    refused({"-o", file("o.aln"), "--clustalw", "--heat-map", file("o.txt")}, "--heat-map");
    writeFile(folder_ / "g.nwk", "((one:1,two:1):1,three:1);");
    refused({"-o", file("o.aln"), "--clustalw", "--tree-in", file("g.nwk"), "--distances-out", file("d.tsv")},
            "--distances-out needs the pairs");
    refused({"-o", file("o.aln"), "--tree-in", file("g.nwk")},
            "has no leaf 'four'; expected all 4 sequences");
    writeFile(folder_ / "g.nwk", "((one:1,two:1):1,thre:1,four:1);");
    refused({"-o", file("o.aln"), "--tree-in", file("g.nwk")}, "the leaf 'thre' is none of the sequences");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "o.aln"));
}

TEST_F(AlignCommand, KeepsLongAndStrangeNames) {
    writeFile(folder_ / "n.fa", ">a_name_longer_than_ten|x:1-20\nMKVLAW\n>b(2)\nMKLAW\n>c\nMVLAW\n");
    const TaskOutcome outcome = runTask(
        declareAlign, {file("n.fa"), "-o", file("n.phy"), "-o", file("n.aln"), "--tree-out", file("n.dnd")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_THAT(alignmentIn("n.phy").names, ElementsAre("a_name_longer_than_ten|x:1-20", "b(2)", "c"));
    const TaskOutcome again =
        runTask(declareAlign, {file("n.fa"), "-o", file("m.aln"), "--tree-in", file("n.dnd")});
    EXPECT_EQ(again.exitCode, 0) << again.error;
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
    const TaskOutcome outcome = runTask(
        study::declareReproduce, {"clustal-c1", "--quick", "--backend", "cpu", "--repeats", "1", "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    const Json report = outcome.json();
    ASSERT_EQ(report["rows"].size(), 6U * 8) << "numbers of sequences; stages and others";
    for (std::size_t r = 0; r < report["rows"].size(); r += 8) {
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
    EXPECT_NE(report["claims"][0]["verdict"], "could not be tested");
}

TEST_F(AlignProgram, GoesOnWhereItWasStopped) {
    ASSERT_EQ(run({"generate", "sequences", "--sequences", "120", "--length", "200", "-o", "x.fa"}).exitCode,
              0);
    const std::vector<std::string> arguments{"align",     "x.fa",   "-o", "a.aln",  "--backend",
                                             "reference", "--tile", "24", "--json", "--clustalw"};
    const test::Outcome stopped = runUntilEntry(arguments, 1);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    ASSERT_FALSE(std::filesystem::exists(folder_ / "a.aln"));
    std::vector<std::string> onCpu = arguments;
    onCpu[5] = "cpu";
    const test::Outcome done = run(onCpu);
    ASSERT_EQ(done.exitCode, 0) << done.err;
    EXPECT_GT(done.json()["pairs"]["tilesResumed"], 0);
    ASSERT_EQ(run({"align", "x.fa", "-o", "whole.aln", "--backend", "cpu", "--clustalw"}).exitCode, 0);
    EXPECT_EQ(readFile(folder_ / "a.aln"), readFile(folder_ / "whole.aln"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.aln.unfinished"));
}

TEST_F(AlignProgram, GoesOnFromPosteriorsWhenItWasKilled) {
    ASSERT_EQ(run({"generate", "sequences", "--sequences", "100", "--length", "150", "-o", "x.fa"}).exitCode,
              0);
    const std::vector<std::string> arguments{"align",     "x.fa",      "-o",    "a.aln",
                                             "--backend", "reference", "--json"};
    const auto journal = folder_ / "a.aln.unfinished.tiles";
    ASSERT_EQ(runUntilEntry(arguments, 1, ":kill").exitCode, 128 + SIGKILL);
    ASSERT_THAT(readFile(journal), HasSubstr("\ntile "));
    std::vector<std::string> onCpu = arguments;
    onCpu[5] = "cpu";
    const test::Outcome refused = run(onCpu);
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.err, HasSubstr("backend was reference, is cpu now; --restart forgets"));
    std::vector<std::string> lessWork = arguments;
    lessWork.insert(lessWork.end(), {"--budget", "0.45"});
    EXPECT_THAT(run(lessWork).err,
                HasSubstr("method was accuracy, 1 rounds of consistency, 30 refinements, is accuracy, "
                          "0 rounds of consistency, 30 refinements now"));
    writeFile(folder_ / "y.fa", kFamily);
    std::vector<std::string> other = arguments;
    other[1] = "y.fa";
    EXPECT_THAT(run(other).err, HasSubstr("sequences was 100, is 4 now"));
    const test::Outcome done = run(arguments);
    ASSERT_EQ(done.exitCode, 0) << done.err;
    EXPECT_GT(done.json()["pairsResumed"], 0);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.aln.unfinished"));
    EXPECT_FALSE(std::filesystem::exists(journal));
    EXPECT_EQ(withoutGaps(readAlignment(folder_ / "a.aln", {}).alignment).size(), 100U);
}

}  // namespace
}  // namespace glycine::align
