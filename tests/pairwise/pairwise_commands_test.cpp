// `glycine pairwise` and `glycine generate sequences`, and their `validate` and `bench`: options, files,
// reports, and resuming after a stop.
#include <signal.h>

#include "app/pairwise/pairwise_commands.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/pairwise/study/pairwise_problem.hpp"
#include "engine/sequences/files/read_sequences.hpp"
#include "engine/study/study_commands.hpp"
#include "tests/app/program_test.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"

namespace glycine::pairwise {
namespace {

constexpr const char* kSequences = ">one\nWWAA\n>two x\nWW-A\n>three\nWWWWAA\n";

class PairwiseRun : public testing::Test {
  protected:
    /// Runs `pairwise x.fa` with these further arguments, which must succeed.
    TaskOutcome run(std::vector<std::string> arguments) const {
        writeFile(folder_ / "x.fa", kSequences);
        arguments.insert(arguments.begin(), {"x.fa", "--backend", "cpu"});
        return succeedTask(declarePairwise, std::move(arguments));
    }
    void refused(std::vector<std::string> arguments, const std::string& message) const {
        writeFile(folder_ / "x.fa", kSequences);
        arguments.insert(arguments.begin(), "x.fa");
        expectTaskRefused(declarePairwise, arguments, message);
        EXPECT_EQ(folder_.fileCount(), 1U);
    }
    WorkingFolder folder_;
};

TEST_F(PairwiseRun, WritesAllFormats) {
    const TaskOutcome outcome = run("-o d.npy -o d.npz -o d.tsv -o d.csv -o d.phy --threads 1"_args);
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("3 sequences (protein), 3 to 6 letters"), HasSubstr("1 gap removed"),
                      HasSubstr("global, BLOSUM62, a gap of k letters costs 11 + 1k"),
                      HasSubstr("variant interpair")));
    // The longer sequence has all letters of the shorter one, in order.
    const Matrix<double> values = io::readNpyMatrix<double>(folder_ / "d.npy");
    EXPECT_THAT(std::vector<double>(values.data(), values.data() + 9),
                ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_EQ(readFile(folder_ / "d.npy.names"), "one\ntwo\nthree\n");
    EXPECT_EQ(readFile(folder_ / "d.phy"), "3\none        0 0 0\ntwo        0 0 0\nthree      0 0 0\n");
    EXPECT_THAT(readFile(folder_ / "d.tsv"), HasSubstr("\tone\ttwo\tthree\none\t0\t0\t0\n"));
    EXPECT_THAT(readFile(folder_ / "d.csv"), HasSubstr("three,0,0,0\n"));
    const io::NpzReader npz(folder_ / "d.npz");
    EXPECT_THAT(io::readNpyStrings(*npz.open("measure")), ElementsAre("distance"));
}

TEST_F(PairwiseRun, ScoresAreWholeNumbersWithThoseOfEachSequenceItself) {
    run("-o s.tsv --measure score"_args);
    // W scores 11, A 4; a gap of one letter costs 12, of two 13.
    EXPECT_EQ(readFile(folder_ / "s.tsv"),
              "\tone\ttwo\tthree\none\t30\t14\t17\ntwo\t14\t26\t12\nthree\t17\t12\t52\n");
    run("-o l.tsv --measure score --method local --molten --shape triangle"_args);
    EXPECT_EQ(readFile(folder_ / "l.tsv"), "two\tone\t26\nthree\tone\t30\nthree\ttwo\t26\n");
    run("-o t.tsv --measure score --method thesis"_args);
    EXPECT_EQ(readFile(folder_ / "t.tsv"),
              "\tone\ttwo\tthree\none\t4\t1\t0\ntwo\t1\t3\t-3\nthree\t0\t-3\t6\n");
    run("-o s.npy --measure score --gap-open 0 --gap-extend 0"_args);
    const std::string npy = readFile(folder_ / "s.npy");
    EXPECT_THAT(npy, HasSubstr("'<i4'"));
}

TEST_F(PairwiseRun, TakesAMatrixOfTheUsers) {
    writeFile(folder_ / "M", "A C G T\n3 -1 -1 -1\n-1 3 -1 -1\n-1 -1 3 -1\n-1 -1 -1 3\n");
    writeFile(folder_ / "n.fa", ">a\nACGU\n>b\nACU\n");
    const auto call = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"n.fa", "-o", "m.tsv", "--measure", "score", "--matrix", "M"});
        return runTask(declarePairwise, more);
    };
    EXPECT_EQ(call({}).error, "no gap penalties are usual for M; give --gap-open and --gap-extend");
    const TaskOutcome outcome = call("--gap-open 2 --gap-extend 1 --json"_args);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_EQ(outcome.json()["alphabet"], "rna");
    EXPECT_EQ(outcome.json()["matrix"], "M");
    EXPECT_EQ(outcome.json()["cells"], 12);
    EXPECT_EQ(readFile(folder_ / "m.tsv"), "\ta\tb\na\t12\t6\nb\t6\t9\n");
}

TEST_F(PairwiseRun, StatesOneLengthOnce) {
    writeFile(folder_ / "equal.fa", ">a\nACDEF\n>b\nACDEG\n");
    EXPECT_THAT(succeedTask(declarePairwise, "equal.fa -o e.tsv"_args).out,
                HasSubstr("2 sequences (protein), 5 letters"));
}

TEST_F(PairwiseRun, DrawsAHeatMap) {
    run("-o i.npy --measure identity -o i.svg"_args);
    EXPECT_THAT(readFile(folder_ / "i.svg"), HasSubstr("<svg"));
    EXPECT_THAT(readFile(folder_ / "i.nwk"), HasSubstr("three"));
    writeFile(folder_ / "kinds.tsv", "three\tplant\n");
    run("-o i.svg --measure identity --groups kinds.tsv --range 0.2,0.9 --colors grey"_args);
    EXPECT_THAT(readFile(folder_ / "i.svg"), AllOf(HasSubstr(">plant<"), HasSubstr(">0.2<")));
    run("-o s.npy --measure score -o s.svg"_args);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "s.nwk"));
}

TEST_F(PairwiseRun, RefusesWhatDoesNotFitTogether) {
    refused("-o o.npy --method thesis --gap-open 3"_args,
            "--gap-open is for matrices; --method thesis has scores of its own");
    refused("-o o.npy --measure mismatch"_args, "--measure mismatch needs --method thesis");
    refused("-o o.npy --measure score --dtype float32"_args, "--dtype is for identities and distances");
    refused("-o o.npy --measure score -o o.png --order cluster"_args,
            "--order cluster is for identities and distances");
    refused("-o o.phy --measure identity"_args, "the ending stands for no result format");
    refused("-o o.dist"_args, "known: .npy, .npz, .csv, .tsv, .phy, .phylip, .phylip.dist");
    refused("-o o.npy --molten"_args, "only .tsv files can be molten");
    refused("-o o.npy --matrix BLOSUM1"_args, "unknown substitution matrix 'BLOSUM1'");
    refused("-o o.npy --matrix IUB"_args, "is for nucleotides, but the sequences are proteins");
    refused("-o o.npy --gap-open -1"_args, "--gap-open");
    writeFile(folder_ / "x.fa", ">p\nWE\n");
    expectTaskRefused(declarePairwise, "x.fa -o o.npy --alphabet dna"_args,
                      "line 2, column 2: 'E' was found; expected a letter of the alphabet dna");
}

TEST_F(PairwiseRun, GeneratedSequencesAreReadAgain) {
    succeedTask(declareGenerate, "--sequences 5 --length 100 --alphabet rna -o g.fa --seed 9"_args);
    const Sequences sequences = readSequences(folder_ / "g.fa", {}).sequences;
    EXPECT_EQ(sequences.size(), 5U);
    EXPECT_EQ(sequences.alphabet, Alphabet::Rna);
    const std::string first = readFile(folder_ / "g.fa");
    runTask(declareGenerate, "--sequences 7 --length 100 --alphabet rna -o h.fa --seed 9"_args);
    EXPECT_EQ(readFile(folder_ / "h.fa").substr(0, first.size()), first);
    expectTaskRefused(declareGenerate, "--sequences 5 --length 9 -o k.fa --gaps 2"_args, "--gaps");
}

TEST_F(PairwiseRun, ValidateAndBenchKnowIt) {
    const auto subject = pairwiseSubject();
    const TaskOutcome valid =
        succeedTask([&](Options& options) { return study::declareValidate(*subject, options); },
                    "--backend reference,cpu --sizes 3x20,20x40"_args);
    EXPECT_THAT(valid.out, HasSubstr("All 2 configurations agree with the reference"));
    const TaskOutcome timed =
        succeedTask([&](Options& options) { return study::declareBench(*subject, options); },
                    "--backend cpu --sizes 20x50 --repeats 2 --method clustalw"_args);
    EXPECT_THAT(timed.out, HasSubstr("66 pairs exact"));
}

class PairwiseResume : public test::ProgramTest {};

TEST_F(PairwiseResume, GoesOnWhereItWasStopped) {
    succeed("generate sequences --sequences 200 --length 300 -o x.fa"_args);
    const auto arguments = "pairwise x.fa -o d.npy --backend reference --tile 40 --json"_args;
    const test::Outcome stopped = runUntilEntry(arguments, 1);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    ASSERT_FALSE(std::filesystem::exists(folder_ / "d.npy"));
    // With another matrix, it is another run.
    std::vector<std::string> other = arguments;
    other.insert(other.end(), {"--matrix", "BLOSUM45"});
    EXPECT_THAT(run(other).err, HasSubstr("BLOSUM45"));
    // All backends find the same, so one resumes another's run.
    std::vector<std::string> onCpu = arguments;
    onCpu[5] = "cpu";
    const Outcome done = succeed(onCpu);
    EXPECT_GT(done.json()["tilesResumed"], 0);
    EXPECT_EQ(done.json()["tiles"], 15);
    succeed("pairwise x.fa -o whole.npy --backend cpu"_args);
    EXPECT_EQ(readFile(folder_ / "d.npy"), readFile(folder_ / "whole.npy"));
}

TEST_F(PairwiseResume, ReadsStandardInputAndReportsPlaces) {
    const test::Outcome piped =
        runProgram("sh", {"-c", std::string("printf '>a\\nMKV\\n>b\\nMRV\\n' | ") + GLYCINE_COMMAND +
                                    " pairwise - -o - 2>/dev/null"});
    EXPECT_EQ(piped.exitCode, 0);
    EXPECT_THAT(piped.out, HasSubstr("\ta\tb\na\t0\t0.333"));
    writeFile(folder_ / "bad.fa", ">a\nMKV\n>b\nM1V\n");
    expectRefused("pairwise bad.fa -o o.npy"_args, "sequence 2 ('b'), line 4, column 2: '1' was found");
    writeFile(folder_ / "one.fa", ">a\nMKV\n");
    expectRefused("pairwise one.fa -o o.npy"_args, "has 1 sequence; expected at least 2");
}

}  // namespace
}  // namespace glycine::pairwise
