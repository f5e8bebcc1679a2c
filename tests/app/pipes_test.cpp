// Inputs through pipes and standard input; results on standard output.

#include <signal.h>
#include <sys/stat.h>

#include "engine/io/text/piped_input.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

class Pipes : public ProgramTest {
  protected:
    /// Runs a shell command line in the test's folder; "glycine" is the program.
    Outcome shell(const std::string& line) {
        return runProgram("bash",
                          {"-c", "glycine() { '" GLYCINE_COMMAND "' \"$@\"; }; set -o pipefail; " + line});
    }
    /// Expects the same results from a file and from the same bytes through a pipe.
    void expectSame(const std::string& file, const std::string& command, const std::string& output) {
        ASSERT_EQ(shell("glycine " + command + " " + file + " -o a" + output).exitCode, 0);
        for (const std::string& way :
             {"cat " + file + " | glycine " + command + " -", "glycine " + command + " /dev/stdin < " + file,
              "glycine " + command + " - < " + file, "glycine " + command + " <(cat " + file + ")"}) {
            const Outcome outcome = shell(way + " -o b" + output);
            ASSERT_EQ(outcome.exitCode, 0) << way << "\n" << outcome.err;
            EXPECT_EQ(withoutFileName(readFile(folder_ / ("b" + output))),
                      withoutFileName(readFile(folder_ / ("a" + output))))
                << way;
        }
    }
    /// The long tables of crossapen contain the file name in the first column.
    static std::string withoutFileName(const std::string& text) {
        std::string rest;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
            const std::size_t comma = std::min(text.find(',', at), end);
            rest += text.substr(comma, end + 1 - comma);
            at = end + 1;
        }
        return rest;
    }
};

TEST_F(Pipes, InputOfEveryRecognisedKind) {
    ASSERT_EQ(shell("glycine generate genotypes --instances 9 --attributes 70 -o g.vcf &&"
                    "gzip -k g.vcf && glycine generate genotypes --instances 9 --attributes 70 -o g.npy &&"
                    "glycine generate genotypes --instances 9 --attributes 70 -o g.csv &&"
                    "printf '>a\\nACGT\\n>b\\nACGA\\n>c\\nAAAA\\n' > s.fa")
                  .exitCode,
              0);
    for (const char* file : {"g.vcf", "g.vcf.gz", "g.npy", "g.csv", "s.fa"})
        expectSame(file, "distance --backend cpu", ".tsv");
    ASSERT_EQ(shell("glycine generate signals --channels 3 --samples 200 -o s.edf &&"
                    "glycine generate signals --channels 3 --samples 200 -o s.csv")
                  .exitCode,
              0);
    for (const char* file : {"s.edf", "s.csv"})
        expectSame(file, "crossapen --backend cpu --epoch 200", ".csv");
    ASSERT_EQ(shell("glycine generate bounds --atoms 30 -o b.npz").exitCode, 0);
    expectSame("b.npz", "bounds --backend cpu", ".csv");
    // Restraints, which begin as mmCIF does.
    writeFile(folder_ / "q.fa", ">A\nAAA\n");
    std::string nef =
        "data_x\nsave_nef_distance_restraint_list_1\n_nef_distance_restraint_list.sf_category a\nloop_\n"
        "_nef_distance_restraint.restraint_id\n";
    for (const char* end : {"1", "2"})
        for (const char* tag : {"chain_code_", "sequence_code_", "residue_name_", "atom_name_"})
            nef += fmt::format("_nef_distance_restraint.{}{}\n", tag, end);
    writeFile(folder_ / "r.nef",
              nef + "_nef_distance_restraint.upper_limit\n1 A 1 ALA HA A 3 ALA H 4\nstop_\nsave_\n");
    expectSame("r.nef", "bounds --backend cpu --sequence q.fa", ".csv");
}

TEST_F(Pipes, LeaveNothingInTheTemporaryFolder) {
    std::filesystem::create_directory(folder_ / "tmp");
    const Outcome outcome = shell(
        "printf '>a\\nACGT\\n>b\\nACGA\\n' | TMPDIR=$PWD/tmp glycine distance - -o o.tsv --backend cpu");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "tmp"));
}

TEST_F(Pipes, AKilledRunLeavesNothingInTheTemporaryFolder) {
    std::filesystem::create_directory(folder_ / "tmp");
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    ASSERT_EQ(shell("glycine generate signals --channels 2 --samples 200 -o s.csv").exitCode, 0);
    const auto begin = [this](const std::string& arguments) {
        return startProgram("sh", {"-c", "TMPDIR=$PWD/tmp exec '" GLYCINE_COMMAND "' " + arguments});
    };
    // The copy is in progress: the pipe is not closed.
    const pid_t copying = begin("distance - -o o.tsv < pipe");
    const int pipe = open((folder_ / "pipe").c_str(), O_WRONLY);
    const std::string table = "a,b\n" + std::string(4000, '1') + ",2\n";
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ(write(pipe, table.data(), table.size()), static_cast<ssize_t>(table.size()));
    ASSERT_TRUE(waitForOpenFile(copying, (folder_ / "tmp").string()));
    kill(copying, SIGKILL);
    EXPECT_EQ(finish(copying).exitCode, 128 + SIGKILL);
    close(pipe);
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "tmp"));
    // Standard input is a file; the run waits for another input.
    const pid_t waiting = begin("crossapen - pipe -o o.csv < s.csv");
    ASSERT_TRUE(waitForOpenFile(waiting, (folder_ / "pipe").string()));
    kill(waiting, SIGKILL);
    EXPECT_EQ(finish(waiting).exitCode, 128 + SIGKILL);
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "tmp"));
    EXPECT_THAT(files(), ElementsAre("pipe", "s.csv", "tmp"));
}

TEST_F(Pipes, ATemporaryFolderThatIsNoneIsNamed) {
    const Outcome outcome =
        shell("printf '>a\\nACGT\\n>b\\nACGA\\n' | TMPDIR=/nonexistent glycine distance - -o o.tsv");
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(
        outcome.err,
        "glycine: error: /nonexistent is no folder; expected one for temporary files (TMPDIR names it)\n");
    EXPECT_THAT(files(), ElementsAre());
}

TEST_F(Pipes, ListsOfGenes) {
    ASSERT_EQ(shell("glycine generate expression --genes 9 --samples 30 -o e.tsv && cut -f 1 e.tsv | sed -n "
                    "2,4p > tf")
                  .exitCode,
              0);
    const std::string command = "glycine network e.tsv --backend cpu -o ";
    const Outcome piped = shell(command + "a.tsv --tf tf && " + command + "b.tsv --tf <(cat tf)");
    ASSERT_EQ(piped.exitCode, 0) << piped.err;
    EXPECT_EQ(readFile(folder_ / "a.tsv"), readFile(folder_ / "b.tsv"));
}

TEST_F(Pipes, TheFileOfStandardInputIsNotOverwritten) {
    ASSERT_EQ(shell("printf 'a,b\\n1,2\\n3,4\\n' > t.csv").exitCode, 0);
    const Outcome outcome = shell("glycine distance - -o t.csv < t.csv");
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_THAT(outcome.err, HasSubstr("t.csv is the input; it is not overwritten"));
    EXPECT_EQ(readFile(folder_ / "t.csv"), "a,b\n1,2\n3,4\n");
}

// The shell has already read a line of the file, so it must not be read again.
TEST_F(Pipes, AFileIsReadFromWhereItsOffsetStands) {
    writeFile(folder_ / "t.csv", "9,9\n1,2\n4,6\n");
    const Outcome rest =
        shell("(read line; glycine distance - -o - --backend cpu --data coordinates) < t.csv");
    EXPECT_EQ(rest.exitCode, 0) << rest.err;
    EXPECT_EQ(rest.out, "\t1\t2\n1\t0\t5\n2\t5\t0\n");
    EXPECT_EQ(
        shell("(read line; glycine distance /dev/fd/0 -o - --backend cpu --data coordinates) < t.csv").out,
        rest.out);
    writeFile(folder_ / "s.fa", "# a comment\n>a\nACGT\n>b\nACGA\n");
    for (const char* command :
         {"distance --backend cpu", "pairwise --backend cpu", "tree", "align --backend cpu"}) {
        const Outcome outcome = shell("(read line; glycine " + std::string(command) + " - -o -) < s.fa");
        EXPECT_EQ(outcome.exitCode, 0) << command << outcome.err;
    }
    // Binary formats as well.
    ASSERT_EQ(shell("glycine generate genotypes --instances 4 --attributes 9 -o g.npy && (printf '12345678'; "
                    "cat g.npy) > o.bin")
                  .exitCode,
              0);
    EXPECT_EQ(
        shell("(dd bs=8 count=1 of=/dev/null 2> /dev/null; glycine distance - -o - --backend cpu) < o.bin")
            .out,
        shell("glycine distance g.npy -o - --backend cpu").out);
    // A file that is read completely is left at its end.
    EXPECT_EQ(shell("(glycine distance - -o /dev/null --backend cpu 2> /dev/null; cat) < g.npy").out, "");
}

TEST_F(Pipes, StandardInputIsCalledSo) {
    const Outcome refused = shell("printf 'a,b\\n1,x\\n' | glycine distance - -o o.tsv --data coordinates");
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.err, AllOf(StartsWith("glycine: error: standard input"), Not(HasSubstr("tmp"))));
    const Outcome report = shell("printf '0,1\\n1,2\\n' | glycine distance - -o o.tsv --backend cpu");
    EXPECT_EQ(report.exitCode, 0) << report.err;
    EXPECT_THAT(report.out, AllOf(HasSubstr("standard input"), Not(HasSubstr("/dev/stdin"))));
}

TEST_F(Pipes, AmbiguousContentsAreRefused) {
    const Outcome outcome = shell("head -c 3000 /dev/zero | glycine distance - -o o.tsv");
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_THAT(outcome.err, HasSubstr("standard input: the contents fit no format that pipes may hold"));
    const Outcome empty = shell("glycine distance - -o o.tsv < /dev/null");
    EXPECT_EQ(empty.exitCode, 2);
    EXPECT_THAT(empty.err, HasSubstr("standard input: is empty"));
}

TEST_F(Pipes, ResultsGoToStandardOutputAndReportsDoNot) {
    ASSERT_EQ(shell("printf '>a\\nACGT\\n>b\\nACGA\\n' > s.fa").exitCode, 0);
    const Outcome distance = shell("glycine distance s.fa -o - --backend cpu");
    EXPECT_EQ(distance.out, "\ta\tb\na\t0\t1\nb\t1\t0\n");
    EXPECT_THAT(distance.err, AllOf(HasSubstr("standard output"), Not(HasSubstr("error"))));
    const Outcome molten = shell("glycine distance s.fa -o - --molten --shape triangle --backend cpu --json");
    EXPECT_EQ(molten.out, "b\ta\t1\n");
    EXPECT_EQ(nlohmann::json::parse(molten.err)["files"][0], "-");

    ASSERT_EQ(shell("glycine generate signals --channels 2 --samples 200 -o s.npy").exitCode, 0);
    const Outcome entropies = shell("glycine crossapen s.npy -o - --epoch 200 --backend cpu");
    EXPECT_THAT(entropies.out, StartsWith("file,templates,partner,epoch,"));
    EXPECT_EQ(std::ranges::count(entropies.out, '\n'), 1 + 4);

    ASSERT_EQ(shell("glycine generate bounds --atoms 4 -o b.npz").exitCode, 0);
    const Outcome bounds = shell("glycine bounds b.npz -o - --backend cpu");
    EXPECT_THAT(bounds.out, StartsWith("i,j,"));
    EXPECT_EQ(std::ranges::count(bounds.out, '\n'), 1 + 6);
    EXPECT_THAT(files(), ElementsAre("b.npz", "s.fa", "s.npy"));
}

TEST_F(Pipes, GeneratedTextGoesToStandardOutput) {
    const std::string genotypes = "glycine generate genotypes --instances 9 --attributes 70 --missing 0.1";
    const std::string signals = "glycine generate signals --channels 3 --samples 50";
    ASSERT_EQ(shell(genotypes + " -o g.vcf && " + signals + " -o s.csv").exitCode, 0);
    const Outcome calls = shell(genotypes + " -o -");
    EXPECT_EQ(calls.out, readFile(folder_ / "g.vcf"));
    EXPECT_THAT(calls.err, AllOf(HasSubstr("Wrote standard output"), HasSubstr("9 instances × 70 variants")));
    const Outcome samples = shell(signals + " -o - --json");
    EXPECT_EQ(samples.out, readFile(folder_ / "s.csv"));
    EXPECT_EQ(nlohmann::json::parse(samples.err)["files"][0], "-");
    EXPECT_EQ(shell(genotypes + " -o - | glycine distance - -o - --backend cpu").out,
              shell("glycine distance g.vcf -o - --backend cpu").out);
    // Bounds have no text format.
    const Outcome bounds = shell("glycine generate bounds --atoms 4 -o -");
    EXPECT_EQ(bounds.exitCode, 2);
    EXPECT_EQ(bounds.out, "");
    EXPECT_THAT(bounds.err,
                HasSubstr("-o -: standard output is for text; expected a file that ends in .npz"));
    EXPECT_THAT(shell(signals + " --rate 100 -o -").err, HasSubstr("--rate is for .edf files"));
    EXPECT_THAT(files(), ElementsAre("g.vcf", "s.csv"));
}

TEST_F(Pipes, TwoResultsDoNotShareStandardOutput) {
    ASSERT_EQ(shell("printf '>a\\nACGT\\n>b\\nACGA\\n' > s.fa").exitCode, 0);
    const Outcome outcome = shell("glycine distance s.fa -o - -o - --backend cpu");
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_THAT(outcome.err, HasSubstr("two different outputs"));
}

TEST(EndingOfContents, IsRecognisedByTheFirstBytes) {
    const auto ending = [](std::string_view text) {
        return io::endingOfContents(std::as_bytes(std::span(text)));
    };
    EXPECT_EQ(ending("\x93NUMPY\x01"), ".npy");
    EXPECT_EQ(ending("##fileformat=VCFv4.2\n"), ".vcf");
    EXPECT_EQ(ending(">s1\nACGT\n"), ".fa");
    EXPECT_EQ(ending("0       X X X X"), ".edf");
    EXPECT_EQ(ending("HEADER    HYDROLASE"), ".pdb");
    EXPECT_EQ(ending("ATOM      1  N"), ".pdb");
    EXPECT_EQ(ending("data_1IGT\n#\n"), ".cif");
    for (const char* text : {"# made by hand\n\ndata_x\nloop_\n", "\n data_x\n", "DATA_X\n"})
        EXPECT_EQ(ending(text), ".cif") << text;
    for (const char* text : {"EXPDTA    X-RAY DIFFRACTION\n", "SEQRES   1 A   21  GLY ILE\n",
                             "AUTHOR    J.DOE\n", "SOURCE    MOL_ID: 1;\n"})
        EXPECT_EQ(ending(text), ".pdb") << text;
    EXPECT_EQ(ending("AUTHOR name,b\n1,2\n"), ".csv");
    EXPECT_EQ(ending("a,b\n1,2\n"), ".csv");
    EXPECT_EQ(ending("a\tb\n1\t2\n"), ".tsv");
    EXPECT_EQ(ending(std::string_view("\0\0\0\0", 4)), "");
    EXPECT_EQ(ending("\x1f\x8b no gzip after all"), "");
    EXPECT_EQ(ending(""), "");
}

}  // namespace
}  // namespace glycine::test
