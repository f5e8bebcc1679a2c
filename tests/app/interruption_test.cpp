// Runs that are stopped or lack resources: signals at any moment, little memory, leftovers of killed runs,
// outputs that cannot be written.

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

class Interruption : public ProgramTest {
  protected:
    /// Sends the signal to a run that waits for its input; expects it to stop on its own and leave nothing.
    void expectStopsWhileItWaits(const Arguments& arguments, int signal) {
        const std::vector<std::string> before = files();
        const pid_t child = start(arguments, {"GLYCINE_STOP_AT=never"});
        waitForHandler(child, signal);
        kill(child, signal);
        const Outcome outcome = finish(child);
        EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
        EXPECT_THAT(outcome.err, MatchesRegex("glycine: cancelled[^\n]*\n"));
        EXPECT_EQ(files(), before);
    }
    /// Output of a run that is stopped at its `poll`th check for cancellation. It must end on its own: the
    /// timer that ends other runs is off.
    Outcome stopAt(std::uint64_t poll, const Arguments& arguments) {
        Outcome outcome = run(arguments, {"GLYCINE_STOP_AT=poll:" + std::to_string(poll)});
        EXPECT_EQ(outcome.exitCode, 130) << "poll " << poll << ": " << outcome.err;
        return outcome;
    }
    /// Stops a run at six places between its beginning and its end; expects that it leaves nothing. Also
    /// expects frequent checks: no step without a check takes more than half of the run.
    void expectStopsAnywhere(const Arguments& arguments) {
        const std::vector<std::string> before = files();
        const std::uint64_t polls = pollsAndFilesOf(arguments);
        for (const double share : {0.0, 0.1, 0.3, 0.5, 0.8, 0.98}) {
            const Outcome outcome = stopAt(pollAt(polls, share), arguments);
            EXPECT_THAT(outcome.err, MatchesRegex("glycine: cancelled[^\n]*\n"));
            EXPECT_EQ(files(), before) << "at " << share << " of " << polls << " polls";
        }
    }
    /// Number of checks of a whole run, whose files are removed.
    std::uint64_t pollsAndFilesOf(const Arguments& arguments) {
        const std::vector<std::string> before = files();
        Polls polls;
        // Another program may hold up a run between two checks, but hardly five times.
        for (int runs = 0; runs == 0 || (runs < 5 && polls.longestSeconds >= 0.5 * polls.seconds); ++runs) {
            polls = pollsOf(arguments);
            for (const std::string& file : files())
                if (std::find(before.begin(), before.end(), file) == before.end())
                    std::filesystem::remove(folder_ / file);
        }
        EXPECT_LT(polls.longestSeconds, 0.5 * polls.seconds);
        return polls.count;
    }
    static std::uint64_t pollAt(std::uint64_t polls, double share) {
        return 1 + static_cast<std::uint64_t>(share * static_cast<double>(polls - 1));
    }
    /// Waits until the process handles the signal, according to the system, or has ended.
    static void waitForHandler(pid_t child, int signal) {
        while (true) {
            std::ifstream file("/proc/" + std::to_string(child) + "/status");
            for (std::string line; std::getline(file, line);) {
                if (line.starts_with("State:") && line.find('Z') != std::string::npos) return;
                if (line.starts_with("SigCgt:") &&
                    (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0)
                    return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    void makePipe(const char* name) { ASSERT_EQ(mkfifo((folder_ / name).c_str(), 0600), 0); }
    /// Runs the program with a limited address space.
    Outcome runWithin(const std::string& kibibytes, const Arguments& arguments) {
        Arguments shell{"-c", "ulimit -v \"$1\"; shift; exec \"$@\"", "sh", kibibytes, GLYCINE_COMMAND};
        shell.insert(shell.end(), arguments.begin(), arguments.end());
        return runProgram("sh", shell);
    }
};

TEST_F(Interruption, PipeThatNobodyWritesInto) {
    makePipe("in.fa");
    makePipe("in.csv");
    makePipe("in.npz");
    for (const int signal : {SIGINT, SIGTERM}) {
        expectStopsWhileItWaits("distance in.fa -o o.tsv"_args, signal);
        expectStopsWhileItWaits("crossapen in.csv -o o.csv"_args, signal);
        expectStopsWhileItWaits("bounds in.npz -o o.npz"_args, signal);
    }
}

TEST_F(Interruption, GeneratingSignals) {
    for (const char* kind : {"white", "ar", "henon", "logistic", "lorenz"})
        expectStopsAnywhere(
            {"generate", "signals", "--channels", "2", "--samples", "200000", "--kind", kind, "-o", "s.csv"});
}

TEST_F(Interruption, GeneratingGenotypes) {
    for (const char* name : {"g.bed", "g.vcf", "g.npy", "g.csv"})
        expectStopsAnywhere(
            {"generate", "genotypes", "--instances", "1000", "--attributes", "10000", "-o", name});
}

TEST_F(Interruption, ReadingAndHashing) {
    // A sparse file: large, but it occupies no space.
    std::ofstream(folder_ / "a.fa") << ">a\n";
    std::filesystem::resize_file(folder_ / "a.fa", std::uintmax_t{1} << 36);
    const Outcome outcome = stopAt(30, "distance a.fa -o o.tsv"_args);
    EXPECT_THAT(outcome.err, MatchesRegex("glycine: cancelled[^\n]*\n"));
    EXPECT_THAT(files(), ElementsAre("a.fa"));
}

TEST_F(Interruption, ReadingPlanes) {
    succeed("generate genotypes --instances 200 --attributes 20000 -o g.bed"_args);
    expectStopsAnywhere("distance g.bed -o o.tsv --backend reference"_args);
}

TEST_F(Interruption, CheckingRows) {
    // Timed runs do not always check equally often; the first half occurs in both calls.
    const auto arguments = "bench bounds --sizes 400 --backend cpu --repeats 1"_args;
    const std::uint64_t polls = pollsAndFilesOf(arguments);
    for (const double share : {0.0, 0.1, 0.2, 0.3, 0.4}) stopAt(pollAt(polls, share), arguments);
}

// Computed results are kept until all files are written, and the message says so.
TEST_F(Interruption, ClusteringDrawingAndWriting) {
    succeed("generate genotypes --instances 2000 --attributes 8 -o g.npy"_args);
    const auto arguments = "distance g.npy -o o.csv -o o.svg --order cluster --backend cpu --tile 500"_args;
    const std::uint64_t polls = pollsAndFilesOf(arguments);
    for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9, 0.98}) {
        // Results kept by the previous run would shorten the next.
        std::filesystem::remove(folder_ / "o.csv.unfinished");
        std::filesystem::remove(folder_ / "o.csv.unfinished.tiles");
        const Outcome outcome = stopAt(pollAt(polls, share), arguments);
        EXPECT_THAT(outcome.err, MatchesRegex("glycine: (cancelled|stopped); [^\n]*\n"));
        EXPECT_THAT(files(), IsSubsetOf({"g.npy", "g.npy.names", "o.csv.unfinished", "o.csv.unfinished.tiles",
                                         "o.svg", "o.nwk", "o.order.tsv"}));
        const bool isKept = std::filesystem::exists(folder_ / "o.csv.unfinished");
        EXPECT_EQ(outcome.err.find("finished tiles are kept in o.csv.unfinished") != std::string::npos,
                  isKept)
            << outcome.err;
        EXPECT_TRUE(isKept || share < 0.5) << share << " of " << polls << ": " << outcome.err;
    }
}

TEST_F(Interruption, LeftoversOfAKilledRunAreRemovedAndThoseOfALivingOneAreNot) {
    const auto touch = [this](const std::string& name) { std::ofstream(folder_ / name) << "half"; };
    touch(".glycine-999999-0.tmp");
    touch(".glycine-12-7.tmp");
    touch(".glycine-old.tmp");
    touch(".s.csv.12-7.tmp");
    touch(".glycine-13-0.tmp");
    const int living = open((folder_ / ".glycine-13-0.tmp").c_str(), O_RDONLY);
    ASSERT_EQ(flock(living, LOCK_EX), 0);
    succeed("generate signals --channels 1 -o s.csv"_args);
    close(living);
    EXPECT_THAT(files(), ElementsAre(".glycine-13-0.tmp", ".glycine-old.tmp", ".s.csv.12-7.tmp", "s.csv"));
}

TEST_F(Interruption, AKilledRunLeavesNothingOrWhatTheNextRemoves) {
    const auto generate = "generate genotypes --instances 1000 --attributes 10000 -o g.csv"_args;
    const std::uint64_t polls = pollsAndFilesOf(generate);
    const Outcome killed =
        run(generate, {"GLYCINE_STOP_AT=poll:" + std::to_string(pollAt(polls, 0.9)) + ":kill"});
    EXPECT_EQ(killed.exitCode, 128 + SIGKILL);
    const int nameless = open(folder_.path().c_str(), O_TMPFILE | O_RDWR, 0600);
    if (nameless >= 0) {
        EXPECT_THAT(files(), ElementsAre());
        close(nameless);
    }
    succeed("generate genotypes --instances 2 --attributes 2 -o g.csv"_args);
    EXPECT_THAT(files(), ElementsAre("g.csv"));
}

TEST_F(Interruption, DevicesAreRefusedBeforeTheWork) {
    succeed("generate bounds --atoms 40 -o in.npz"_args);
    std::filesystem::create_symlink("/dev/full", folder_ / "full.violations.tsv");
    const Outcome outcome = run("bounds in.npz -o o.npz -o full.violations.tsv --backend reference"_args);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_EQ(
        outcome.err,
        "glycine: error: /dev/full: cannot write: it is a device or a pipe; expected a regular file or a new "
        "name\n");
    EXPECT_THAT(files(), ElementsAre("full.violations.tsv", "in.npz"));
}

/// A deflated NPZ file of zeros: a thousandth of its contents' size.
constexpr const char* kDeflatedZeros = R"(import sys, struct, zlib
n = int(sys.argv[2])
header = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (n, n)).ljust(117) + "\n"
head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
total = len(head) + 4 * n * n
packer = zlib.compressobj(1, zlib.DEFLATED, -15)
crc = zlib.crc32(head)
body = [packer.compress(head)]
piece = bytes(1 << 20)
left = 4 * n * n
while left > 0:
    part = piece[:min(left, len(piece))]
    crc = zlib.crc32(part, crc)
    body.append(packer.compress(part))
    left -= len(part)
body.append(packer.flush())
body = b"".join(body)
name = b"upper.npy"
local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 33, crc, len(body), total, len(name), 0) + name
central = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 33, crc, len(body), total, len(name), 0, 0, 0, 0, 0, 0)
central += name
end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(central), len(local) + len(body), 0)
open(sys.argv[1], "wb").write(local + body + central + end)
)";

TEST_F(Interruption, InflatedSizeIsCheckedBeforeInflating) {
    ASSERT_EQ(runProgram("python3", {"-c", kDeflatedZeros, "zeros.npz", "8000"}).exitCode, 0);
    EXPECT_LT(std::filesystem::file_size(folder_ / "zeros.npz"), 2'000'000U);
    // 1.1 GiB would be needed.
    const Outcome outcome = runWithin("1000000", "bounds zeros.npz -o o.npz --backend cpu"_args);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.err,
                MatchesRegex("glycine: error: zeros.npz: member upper.npy: smoothing 8000 atoms needs "
                             "1.1 GiB of memory, and .* are left by the limit on address space "
                             "\\(ulimit -v\\)\n"));
    EXPECT_LT(outcome.peakKibibytes, 200'000);
    EXPECT_THAT(files(), ElementsAre("zeros.npz"));
}

TEST_F(Interruption, ThreadsThatCannotBeHadAreDoneWithout) {
    writeFile(folder_ / "in.tsv", "id\tx\na\t1\nb\t2\nc\t4\n");
    std::size_t done = 0;
    for (std::size_t mebibytes = 50; mebibytes <= 200; mebibytes += 5) {
        const Outcome outcome =
            runWithin(std::to_string(mebibytes * 1024),
                      "distance in.tsv --data coordinates -o o.tsv --backend cpu --threads 64"_args);
        // With less, the program cannot even be loaded.
        if (outcome.exitCode == 127) continue;
        if (outcome.exitCode == 0)
            ++done;
        else
            EXPECT_THAT(outcome.err, HasSubstr("glycine: error: ")) << mebibytes;
    }
    EXPECT_GT(done, 0U);
}

TEST_F(Interruption, CommandsRefuseWhatDoesNotFitWithBothFigures) {
    const auto expectRefusal = [this](const Arguments& arguments) {
        const Outcome outcome = runWithin("3000000", arguments);
        EXPECT_LT(outcome.peakKibibytes, 500'000) << "it was refused after work";
        EXPECT_EQ(outcome.exitCode, 1) << outcome.out;
        EXPECT_THAT(outcome.err,
                    MatchesRegex("glycine: error: [^\n]* needs [^\n]*iB of memory, and [^\n]*iB are left "
                                 "by the limit on address space[^\n]*\n"));
    };
    expectRefusal("generate signals --channels 64 --samples 100000000 -o s.edf"_args);
    succeed("generate genotypes --instances 30000 --attributes 64 -o g.npy"_args);
    // With standard output, the result can only be kept in memory: 30,000² values of 4 bytes.
    expectRefusal("distance g.npy -o - --shape square --backend cpu"_args);
    // A tile of 30,000² values of 8 bytes.
    expectRefusal("distance g.npy -o d.npy --tile 30000 --backend cpu"_args);
    expectRefusal("distance g.npy -o d.tsv --molten --max-distance 3 --tile 30000 --backend cpu"_args);
    expectRefusal("generate bounds --atoms 30000 -o b.npz"_args);
    expectRefusal("generate genotypes --instances 20000000 --attributes 640 -o g.bed"_args);
    expectRefusal("generate genotypes --instances 3 --attributes 4000000000 -o h.npy"_args);
    expectRefusal("validate bounds --sizes 12000 --backend cpu --precision float32"_args);
    expectRefusal("validate distance --sizes 9000x100 --backend cpu"_args);
    expectRefusal("validate crossapen --samples 2000000 --backend cpu"_args);
    expectRefusal("bench bounds --sizes 20000 --backend cpu"_args);
    expectRefusal("bench distance --sizes 9000x10000000 --backend cpu"_args);
    expectRefusal("bench crossapen --samples 100000000 --backend cpu"_args);
    EXPECT_THAT(files(), ElementsAre("g.npy"));
}

// OpenGL drivers end a process that has too little memory: the choice of a backend must not get that far.
TEST_F(Interruption, LittleAddressSpaceEndsNoRunWithASignal) {
    if (const std::string lack = lackOfOwnAddresses(); !lack.empty()) GTEST_SKIP() << lack;
    succeed("generate genotypes --instances 20 --attributes 64 -o g.npy"_args);
    succeed("generate bounds --atoms 40 -o b.npz"_args);
    succeed("generate signals --channels 2 --samples 200 -o s.csv"_args);
    std::ofstream(folder_ / "e.tsv") << "gene\ts1\ts2\ts3\ts4\na\t1\t2\t3\t4\nb\t4\t1\t3\t2\nc\t2\t2\t5\t1\n";
    std::ofstream(folder_ / "p.fa") << ">a\nMKVLAAGIV\n>b\nMKVLGIV\n>c\nMKLAAGV\n";
    const Arguments commands[] = {
        "distance g.npy -o d.tsv"_args,
        "bounds b.npz -o b.csv"_args,
        "crossapen s.csv -o c.csv --epoch 200"_args,
        "mutualinfo e.tsv -o m.tsv --bins 3 --spline-order 2"_args,
        "align p.fa -o a.fa"_args,
        "distance g.npy -o d.tsv --backend gl"_args,
        {"list"},
        {"info"},
    };
    for (std::size_t mebibytes = 250; mebibytes <= 700; mebibytes += 50)
        for (const Arguments& command : commands) {
            const Outcome outcome = runWithin(std::to_string(mebibytes * 1024), command);
            const std::string where = command.front() + " within " + std::to_string(mebibytes) + " MiB: ";
            if (outcome.exitCode == 0) continue;
            EXPECT_EQ(outcome.exitCode, 1) << where << outcome.err;
            EXPECT_THAT(outcome.err, MatchesRegex("glycine: error: [^\n]+\n")) << where;
        }
    EXPECT_EQ(runWithin("409600", commands[0]).exitCode, 0) << "cpu does it";
    const Outcome named = runWithin("409600", commands[5]);
    EXPECT_EQ(named.exitCode, 1);
    EXPECT_THAT(named.err, AllOf(HasSubstr("the backend gl is not available: making an OpenGL context needs"),
                                 HasSubstr("the limit on it (ulimit -v) leaves")));
    EXPECT_THAT(runWithin("409600", {"info"}).out, HasSubstr("(ulimit -v) leaves"));
}

TEST_F(Interruption, CommandsRunInWhatTheyNeed) {
    // Each run needs more than half of its limit.
    const auto expectRun = [this](const std::string& kibibytes, const Arguments& arguments) {
        const Outcome outcome = runWithin(kibibytes, arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    };
    succeed("generate genotypes --instances 4000 --attributes 64 -o g.npy"_args);
    expectRun("1000000", "distance g.npy -o d.npy --backend cpu --threads 2"_args);
    expectRun("1000000", "bench distance --sizes 4000x64 --backend cpu --threads 2 --repeats 1"_args);
    expectRun("600000", "bench bounds --sizes 2000 --which upper --backend cpu --threads 2 --repeats 1"_args);
}

}  // namespace
}  // namespace glycine::test
