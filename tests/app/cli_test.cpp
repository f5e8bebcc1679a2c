// The program from a user's view: exit codes, messages, files.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "engine/core/matrix.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

class CommandLine : public test::ProgramTest {
  protected:
    /// A chain of six atoms with five known steps of 1.5 Å; `lower` is the lower bound between its ends.
    void writeChain(const std::string& name, double lower, double firstLower = 0) const {
        constexpr std::size_t n = 6;
        Matrix<double> upper(n, n, std::numeric_limits<double>::infinity());
        Matrix<double> lowers(n, n, 0.0);
        for (std::size_t i = 0; i < n; ++i) upper(i, i) = 0;
        for (std::size_t i = 0; i + 1 < n; ++i) upper(i, i + 1) = upper(i + 1, i) = 1.5;
        lowers(0, n - 1) = lowers(n - 1, 0) = lower;
        lowers(0, 1) = lowers(1, 0) = firstLower;
        io::NpzWriter writer;
        writer.add("upper", io::npyMatrixSource<double>(std::as_const(upper).view()));
        writer.add("lower", io::npyMatrixSource<double>(std::as_const(lowers).view()));
        writer.add("atoms", {"N1", "CA1", "C1", "N2", "CA2", "C2"});
        writer.write(folder_ / name);
        io::writeNpy<double>(folder_ / "u.npy", std::as_const(upper).view());
        io::writeNpy<double>(folder_ / "l.npy", std::as_const(lowers).view());
    }

    void writePdb(const std::string& name) const {
        std::ofstream(folder_ / name)
            << "ATOM      1  N   GLY A   1       0.000   0.000   0.000  1.00  0.00           N  \n"
               "ATOM      2  CA  GLY A   1       1.458   0.000   0.000  1.00  0.00           C  \n"
               "ATOM      3  C   GLY A   1       2.009   1.420   0.000  1.00  0.00           C  \n"
               "ATOM      4  HA2 GLY A   1       1.820  -0.510   0.890  1.00  0.00           H  \n"
               "END\n";
    }

    Matrix<double> readMatrix(const std::string& npz, const std::string& name) const {
        const io::NpzReader reader(folder_ / npz);
        return io::readNpyMatrix<double>(*reader.open(name));
    }
};

TEST_F(CommandLine, HelpAndVersion) {
    const Outcome help = succeed({"--help"});
    EXPECT_THAT(help.out,
                AllOf(HasSubstr("Usage: glycine COMMAND"), HasSubstr("bounds"), HasSubstr("validate")));
    const Outcome bounds = succeed({"help", "bounds"});
    EXPECT_THAT(bounds.out,
                AllOf(HasSubstr("Usage: glycine bounds"), HasSubstr("--explain"), HasSubstr("Examples:")));
    EXPECT_EQ(run("bounds -h"_args).out, bounds.out);
    EXPECT_THAT(run({"help", "bench", "bounds"}).out, HasSubstr("Usage: glycine bench bounds"));
    EXPECT_THAT(bounds.out, HasSubstr("without N: 3\n"));
    EXPECT_THAT(run("generate --help"_args).out,
                HasSubstr("Generate random genotypes of any size, for distance\n"));
    const Outcome version = succeed({"--version"});
    EXPECT_THAT(version.out, StartsWith("glycine "));
}

TEST_F(CommandLine, WrongUseIsNamed) {
    EXPECT_EQ(run({}).exitCode, 2);
    expectRefused({"smooth"}, "unknown command 'smooth'; known: ");
    expectRefused({"bench"}, "needs the name of an algorithm");
    expectRefused({"bench", "folding"}, "unknown algorithm 'folding'; known: ");
    expectRefused({"bounds"}, "--output is required");
    expectRefused("bounds -o o.npz"_args, "nothing to smooth");
    writeChain("in.npz", 0);
    expectRefused("bounds in.npz -o o.npz --fast"_args, "--fast");
    expectRefused("bounds in.npz -o o.npz --backend metal"_args, "unknown backend 'metal'");
    expectRefused("bounds in.npz -o o.npz --tolerence 3"_args,
                  "unknown option --tolerence; nearest: --tolerance; see `glycine bounds --help`");
    expectRefused("bench bounds --repeat=3"_args, "unknown option --repeat; nearest: --repeats");
    expectRefused("bounds in.npz -o o.npz --xyzzy"_args,
                  "unknown option --xyzzy; see `glycine bounds --help`");
    expectRefused(
        "bounds in.npz -o o.npz --variant quick"_args,
        "unknown variant 'quick'; known: reference: serial; cpu: dense, sparse, recursive; gl: scalar, ");
    expectRefused("bounds in.npz -o o.npz --precision half"_args, "unknown number format 'half'");
    expectRefused("bounds in.npz -o o.npz --backend cpu --variant packed"_args, "no variant 'packed'");
    expectRefused("bounds in.npz -o o.npz --known 0.5"_args,
                  "--known is for structures (.pdb, .cif); the input holds bounds");
    expectRefused("bounds in.npz -o o.npz --violation-tolerance nan"_args,
                  "--violation-tolerance: 'nan' is not a finite number");
    expectRefused("bounds in.npz -o o.npz --device 0"_args, "--backend");
    expectRefused("bounds in.npz -o o.npz --backend cpu --dialect es300"_args, "--dialect concerns gl");
    expectRefused("bounds in.npz -o o.npz --upper u.npy"_args, "not both");
    expectRefused("bounds u.npy -o o.npz"_args, "--upper");
    expectRefused("bounds in.txt -o o.npz"_args, "unknown kind of file");
    expectRefused("bounds in.npz -o o.npz --explain many"_args, "--explain");
    expectRefused("generate bounds --atoms 0 -o o.npz"_args, "--atoms");
    expectRefused("validate bounds in.npz --sizes 3"_args, "not both");
    expectRefused("bench bounds --which lower"_args, "known: upper, both");
    expectRefused("bench distance --input in.npy --seed 3"_args, "--seed is for generated inputs");
    for (std::vector<std::string> command : std::vector<std::vector<std::string>>{
             "bounds in.pdb -o o.npz"_args,
             "generate bounds --atoms 3 -o o.npz"_args,
             "generate genotypes --instances 3 --attributes 3 -o o.npy"_args,
             "generate signals --channels 3 -o o.npy"_args,
             "generate expression --genes 3 --samples 3 -o o.tsv"_args,
             {"validate", "bounds"},
             {"validate", "distance"},
             {"validate", "crossapen"},
             {"bench", "bounds"},
             {"bench", "distance"},
             {"bench", "crossapen"},
             {"reproduce", "allpairs-figure-4"}}) {
        command.insert(command.end(), {"--seed", "-1"});
        expectRefused(command, "--seed: '-1' is not a number of at least 0");
    }
}

TEST_F(CommandLine, OutputsAreCheckedBeforeAnyWork) {
    writeChain("in.npz", 0);
    const std::string before = readFile(folder_ / "in.npz");
    expectRefused("bounds in.npz -o in.npz"_args, "is the input");
    expectRefused("bounds in.npz -o ./in.npz"_args, "is the input");
    EXPECT_EQ(readFile(folder_ / "in.npz"), before);
    expectRefused("bounds in.npz -o o.npy"_args, "does not end in .npz");
    expectRefused("bounds in.npz -o o.npz -o o.jpg"_args,
                  "does not end in .npz, .csv, .tsv, .png, .svg or .pdf");
    expectRefused("bounds in.npz -o o.npz -o o.npz"_args, "two different outputs");
    expectRefused("bounds in.npz -o missing/o.npz"_args, "no folder missing");
    expectRefused("bounds in.npz -o o.npz --violations v.tsv"_args, "-o FILE.violations.tsv");
    expectRefused("bounds in.npz -o a.violations.tsv -o b.violations.tsv"_args,
                  "names two files .violations.tsv");
}

TEST_F(CommandLine, WrongInputIsNamedAndNothingWritten) {
    expectRefused("bounds missing.npz -o o.npz -o o.png"_args, "missing.npz");
    std::ofstream(folder_ / "text.npz") << "no archive";
    expectRefused("bounds text.npz -o o.npz"_args, "text.npz");
    writeChain("inverted.npz", 0, 2.0);
    expectRefused("bounds inverted.npz -o o.npz"_args, "(0, 1)");
    std::ofstream(folder_ / "empty.pdb") << "END\n";
    expectRefused("bounds empty.pdb -o o.npz"_args, "empty.pdb");
    writePdb("gly.pdb");
    expectRefused("bounds gly.pdb -o o.npz --model 7"_args, "7");
    expectRefused("bounds gly.pdb -o o.npz --known 1.5"_args, "1.5");
    expectRefused("bounds gly.pdb -o o.npz --atoms backbone"_args, "backbone");
}

TEST_F(CommandLine, SmoothsAChain) {
    writeChain("in.npz", 0);
    const Outcome outcome = succeed("bounds in.npz -o o.npz --backend cpu -o o.png -o o.tsv"_args);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("5 of 15 pairs (33.3 %)"), HasSubstr("Backend     cpu, variant"),
                      HasSubstr("10 pairs without a bound got one"), HasSubstr("Violations  none"),
                      HasSubstr("o.npz ("), HasSubstr("o.png ("), HasSubstr("o.tsv (")));
    const Matrix<double> upper = readMatrix("o.npz", "upper");
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(upper(i, j), 1.5 * std::abs(double(i) - double(j)));
    EXPECT_THAT(readFile(folder_ / "o.png"), StartsWith("\x89PNG"));
    EXPECT_THAT(readFile(folder_ / "o.tsv"), HasSubstr("CA2"));
    EXPECT_EQ(files(), (std::vector<std::string>{"in.npz", "l.npy", "o.npz", "o.png", "o.tsv", "u.npy"}));
}

TEST_F(CommandLine, TakesPairsOfMatricesAndUpperBoundsAlone) {
    writeChain("in.npz", 4.5);
    succeed("bounds --upper u.npy --lower l.npy -o both.npz --precision fixed"_args);
    EXPECT_EQ(readMatrix("both.npz", "lower")(0, 4), 3.0);  // 4.5 − 1.5, exact in fixed point
    succeed("bounds --upper u.npy -o upper.npz"_args);
    EXPECT_EQ(readMatrix("upper.npz", "upper")(0, 5), 7.5);
}

TEST_F(CommandLine, ReportsAsJson) {
    writeChain("in.npz", 9);
    const Outcome outcome = succeed("bounds in.npz -o o.npz --backend reference --explain --json"_args);
    const nlohmann::json json = outcome.json();
    EXPECT_EQ(json["atoms"], 6);
    EXPECT_EQ(json["knownPairs"], 5);
    EXPECT_EQ(json["backend"], "reference");
    EXPECT_EQ(json["variant"], "serial");
    EXPECT_EQ(json["numberFormat"], "float32");
    EXPECT_EQ(json["tightened"]["upper"]["fromUnknown"], 10);
    EXPECT_EQ(json["violations"]["count"], 15);
    ASSERT_EQ(json["contradictions"].size(), 1u);
    EXPECT_EQ(json["contradictions"][0]["upperPath"], (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(json["contradictions"][0]["upperSum"], 7.5);
    EXPECT_EQ(json["files"], (std::vector<std::string>{"o.npz"}));
    EXPECT_GE(json["seconds"]["upper"], 0);
}

// Two unconnected molecules, each with a contradiction: contradictions that are not shown are still counted
// and written.
TEST_F(CommandLine, SaysHowManyContradictionsThereAre) {
    Matrix<double> upper(8, 8, std::numeric_limits<double>::infinity());
    Matrix<double> lower(8, 8, 0.0);
    for (std::size_t i = 0; i < 8; ++i) {
        upper(i, i) = 0;
        if (i % 4 != 3) upper(i, i + 1) = upper(i + 1, i) = 1;
    }
    for (const std::size_t i : {0, 4}) lower(i, i + 3) = lower(i + 3, i) = 5 + static_cast<double>(i);
    io::NpzWriter writer;
    writer.add("upper", io::npyMatrixSource<double>(upper.view()));
    writer.add("lower", io::npyMatrixSource<double>(lower.view()));
    writer.write(folder_ / "two.npz");
    const auto call =
        "bounds two.npz -o o.npz --backend reference --explain 1 -o groups.contradictions.tsv "
        "-o pairs.violations.tsv"_args;
    const Outcome shown = succeed(call);
    EXPECT_THAT(shown.out,
                AllOf(HasSubstr("1 of 2 groups of contradicting bounds, which together prove all 12"),
                      HasSubstr("atom 5 and atom 8 must"), Not(HasSubstr("atom 1 and atom 4 must"))));
    const auto lines = [this](const std::string& file) {
        const std::string text = readFile(folder_ / file);
        return std::count(text.begin(), text.end(), '\n');
    };
    EXPECT_EQ(lines("groups.contradictions.tsv"), 3);
    EXPECT_EQ(lines("pairs.violations.tsv"), 13);
    std::vector<std::string> asJson = call;
    asJson.emplace_back("--json");
    const nlohmann::json json = run(asJson).json();
    EXPECT_EQ(json["contradictions"].size(), 2U);
    EXPECT_EQ(json["violations"]["count"], 12);
    EXPECT_EQ(json["violations"]["listed"], 12);
    EXPECT_EQ(json["files"].size(), 3U);
}

TEST_F(CommandLine, RoundsOutwardOnRequest) {
    writeChain("in.npz", 0);
    const auto call = [](std::vector<std::string> more) {
        auto all = "bounds in.npz -o o.npz --backend reference"_args;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const Outcome outward = succeed(call("--rounding outward"_args));
    EXPECT_THAT(outward.out, HasSubstr("Rounding    outward, to multiples of 2⁻²"));
    const nlohmann::json json = run(call("--rounding outward --json"_args)).json();
    EXPECT_EQ(json["rounding"], "outward");
    EXPECT_GT(json["step"], 0);
    EXPECT_EQ(run(call({"--json"})).json()["rounding"], "nearest");
    EXPECT_EQ(run(call("--precision fixed --json"_args)).json()["rounding"], "outward");
    EXPECT_EQ(run(call("--precision fixed --json"_args)).json()["settings"]["rounding"], "outward");
    expectRefused(call("--precision fixed --rounding nearest"_args), "rounds outward, always");
    expectRefused(call("--rounding up"_args), "unknown rounding 'up'");
}

TEST_F(CommandLine, ExplainsContradictions) {
    writeChain("in.npz", 9);
    const Outcome plain = run("bounds in.npz -o o.npz --backend cpu"_args);
    EXPECT_THAT(plain.out, AllOf(HasSubstr("15 inconsistent pairs"), HasSubstr("--explain")));
    const Outcome explained = succeed("bounds in.npz -o o.npz --backend cpu --explain 1"_args);
    EXPECT_THAT(explained.out, AllOf(HasSubstr("N1 and C2 must be at least 9.0000"), HasSubstr("CA1 - C1"),
                                     HasSubstr("1 group of contradicting bounds, which proves all 15")));
    EXPECT_THAT(plain.out, HasSubstr("the worst 3 of 15; -o FILE.violations.tsv writes all"));
    // The tolerance determines which violations count.
    const Outcome tolerant = run("bounds in.npz -o o.npz --backend cpu --violation-tolerance 2"_args);
    EXPECT_THAT(tolerant.out, HasSubstr("Violations  none"));
    writeChain("inverted.npz", 0, 2.0);
    const Outcome allowed = succeed("bounds inverted.npz -o o.npz --backend cpu --allow-inconsistent"_args);
    EXPECT_THAT(allowed.out, HasSubstr("1 pair came in with a lower bound above the upper bound"));
}

TEST_F(CommandLine, MakesBoundsFromAStructure) {
    writePdb("gly.pdb");
    const Outcome all = succeed("bounds gly.pdb -o all.npz --json"_args);
    EXPECT_EQ(all.json()["atoms"], 4);
    EXPECT_EQ(all.json()["knownPairs"], 6);
    EXPECT_EQ(run("bounds gly.pdb -o heavy.npz --atoms heavy --json"_args).json()["atoms"], 3);
    EXPECT_EQ(run("bounds gly.pdb -o ca.npz --atoms ca --json"_args).json()["atoms"], 1);
    const Outcome few = run("bounds gly.pdb -o few.npz --cutoff 1.6 --tolerance 0.25 --json"_args);
    EXPECT_EQ(few.json()["knownPairs"], 3);
    EXPECT_NEAR(readMatrix("few.npz", "upper")(0, 1), 1.458 + 0.25, 1e-6);
}

TEST_F(CommandLine, GeneratesTheSameFileForTheSameSeed) {
    const auto common = "generate bounds --atoms 40 --known 0.2"_args;
    const auto generate = [&](const std::string& seed, const std::string& file) {
        std::vector<std::string> arguments = common;
        arguments.insert(arguments.end(), {"--seed", seed, "-o", file});
        succeed(arguments);
    };
    generate("3", "a.npz");
    generate("3", "b.npz");
    generate("4", "c.npz");
    const Matrix<double> a = readMatrix("a.npz", "upper");
    const Matrix<double> b = readMatrix("b.npz", "upper");
    const Matrix<double> c = readMatrix("c.npz", "upper");
    ASSERT_EQ(a.rows(), 40u);
    EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
    EXPECT_FALSE(std::equal(a.data(), a.data() + a.size(), c.data()));
    expectRefused("generate bounds --atoms 40 --known 2 -o d.npz"_args, "2");
}

TEST_F(CommandLine, ListsEveryBackendWithAnAnswer) {
    const nlohmann::json json = run("list --json"_args).json();
    std::vector<std::string> backends;
    for (const nlohmann::json& variant : json["variants"]) {
        backends.push_back(variant["backend"]);
        if (variant["backend"] == "gl" && variant["variant"] != "") {
            EXPECT_FALSE(variant["dialects"].empty());
            for (const nlohmann::json& answer : variant["dialects"])
                EXPECT_TRUE(answer["available"] == true || !answer["reason"].get<std::string>().empty());
        } else {
            EXPECT_TRUE(variant["available"] == true || !variant["reason"].get<std::string>().empty());
        }
    }
    EXPECT_THAT(backends, IsSupersetOf({"reference", "cpu", "gl", "cuda"}));
    const Outcome table = succeed({"list"});
    EXPECT_THAT(table.out,
                AllOf(HasSubstr("serial *"), HasSubstr("packed-branch"), HasSubstr("gl33 es300 gl21")));
}

TEST_F(CommandLine, InfoDescribesTheMachine) {
    const nlohmann::json json = run("info --json"_args).json();
    EXPECT_FALSE(json["environment"]["build"].get<std::string>().empty());
    EXPECT_THAT(json["defaultBackend"]["rule"].get<std::string>(),
                HasSubstr("cuda, and gl on a GPU, unless cpu is expected to be faster at it; cpu"));
    for (const nlohmann::json& backend : json["backends"]) {
        const char* member = backend["available"] == true ? "device" : "reason";
        EXPECT_FALSE(backend[member].get<std::string>().empty()) << backend["name"];
    }
    const Outcome text = succeed({"info"});
    EXPECT_THAT(text.out, AllOf(HasSubstr("default backend"), HasSubstr("reference: "), HasSubstr("cuda: ")));
}

TEST_F(CommandLine, ValidatesTheProcessor) {
    const Outcome outcome = run("validate bounds --backend cpu --sizes 1,2,5,17 --json"_args);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
    const nlohmann::json json = outcome.json();
    EXPECT_EQ(json["agrees"], true);
    EXPECT_EQ(json["rows"].size(), 9u);  // three variants in three formats
    for (const nlohmann::json& row : json["rows"]) {
        // Limits by tetrangles, which default variants have, are compared at three sizes of their own.
        const int inputs = row["variant"] == "dense" ? 12 + 6 : 12;
        EXPECT_EQ(row["inputs"], inputs);
        if (row["numberFormat"] == "fixed") {
            EXPECT_EQ(row["equalToTheBit"], inputs);
        }
    }
    writeChain("in.npz", 9);
    const Outcome own = succeed("validate bounds in.npz --backend cpu"_args);
    EXPECT_THAT(own.out, HasSubstr("All 9 configurations agree with the reference."));
}

TEST_F(CommandLine, ValidatesEveryBackendThatIsThere) {
    const Outcome outcome = run("validate bounds --sizes 3,65"_args);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("agree with the reference."));
    EXPECT_THAT(outcome.out, Not(HasSubstr("DISAGREES")));
}

TEST_F(CommandLine, BenchVerifiesAndReports) {
    const Outcome outcome =
        succeed("bench bounds --sizes 32,64 --backend reference,cpu --repeats 2 -o report.json --json"_args);
    const nlohmann::json json = outcome.json();
    EXPECT_EQ(json, nlohmann::json::parse(readFile(folder_ / "report.json")));
    ASSERT_EQ(json["rows"].size(), 4u);
    for (const nlohmann::json& row : json["rows"]) {
        EXPECT_EQ(row["verified"], true);
        EXPECT_EQ(row["seconds"]["total"]["count"], 2);
        EXPECT_GT(row["rates"]["upper"]["best"], 0);
        EXPECT_LE(row["seconds"]["total"]["min"], row["seconds"]["total"]["median"]);
    }
    EXPECT_EQ(json["rows"][0]["size"], 32);
    EXPECT_EQ(json["rows"][0]["backend"], "reference");
    EXPECT_EQ(json["rows"][0]["ratioToFirst"], 1.0);
    EXPECT_FALSE(json["environment"]["processor"].get<std::string>().empty());

    const Outcome upper = run("bench bounds --sizes 32 --backend cpu --which upper --repeats 1 --json"_args);
    EXPECT_FALSE(upper.json()["rows"][0]["seconds"].contains("lower"));
}

TEST_F(CommandLine, FailsOnABrokenShaderWithoutAResult) {
    writeChain("in.npz", 0);
    fs::create_directories(folder_ / "shaders" / "common");
    std::ofstream(folder_ / "shaders" / "common" / "rectangle.vert") << "this is no shader\n";
    const Outcome outcome = run("bounds in.npz -o o.npz --backend gl --shaders shaders"_args);
    EXPECT_EQ(outcome.exitCode, 1) << outcome.out;
    EXPECT_THAT(outcome.err, StartsWith("glycine: error: "));
    EXPECT_FALSE(fs::exists(folder_ / "o.npz"));
}

TEST_F(CommandLine, StopsOnCtrlCWithoutAFile) {
    succeed("generate bounds --atoms 200 -o in.npz"_args);
    const auto arguments = "bounds in.npz -o o.npz -o o.png --backend reference"_args;
    const std::uint64_t polls = pollsOf(arguments).count;
    fs::remove(folder_ / "o.npz");
    fs::remove(folder_ / "o.png");
    const Outcome outcome = run(arguments, {"GLYCINE_STOP_AT=poll:" + std::to_string(polls / 2)});
    EXPECT_EQ(outcome.exitCode, 130);
    EXPECT_EQ(outcome.err, "glycine: cancelled; nothing was written\n");
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(files(), (std::vector<std::string>{"in.npz"}));
}

TEST_F(CommandLine, ReplacesAnOlderResultOnlyWithACompleteOne) {
    writeChain("in.npz", 0);
    std::ofstream(folder_ / "o.npz") << "an older result";
    EXPECT_EQ(run("bounds in.npz -o o.npz --backend cpu --max-memory x"_args).exitCode, 2);
    EXPECT_EQ(readFile(folder_ / "o.npz"), "an older result");
    succeed("bounds in.npz -o o.npz --backend cpu"_args);
    EXPECT_EQ(readMatrix("o.npz", "upper").rows(), 6u);
}

TEST_F(CommandLine, FailsWhenStandardOutputIsFull) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "this system has no /dev/full";
    const std::string command =
        std::string("'") + GLYCINE_COMMAND + "' --version > /dev/full 2> '" + errFile().string() + "'";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_THAT(readFile(errFile()), HasSubstr("standard output"));
    fs::remove(errFile());
}

}  // namespace
}  // namespace glycine
