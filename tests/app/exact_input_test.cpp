// Input numbers that cannot be represented exactly in the computation: each command refuses them.

#include <sys/statvfs.h>

#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

template <class T>
std::string npyOf(const char* dtype, const std::vector<std::size_t>& shape, const std::vector<T>& values) {
    std::string bytes = io::npyHeaderText(dtype, shape);
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    return bytes;
}

class ExactInput : public ProgramTest {
  protected:
    void refuse(const std::string& command, const std::string& input, const std::string& output,
                const std::string& place) const {
        expectRefused({command, input, "-o", output}, input + ": " + place);
    }
};

TEST_F(ExactInput, WholeNumbersThatFloat64WouldRound) {
    constexpr std::int64_t kRounded = (std::int64_t{1} << 53) + 1;
    const std::string expected =
        "expected a whole number that float64 holds exactly (up to 2^53 = 9007199254740992 each is)";
    const std::string digits = "9007199254740993";
    writeFile(folder_ / "points.csv", "0.5,1\n" + digits + ",1\n9007199254740992,1\n");
    refuse("distance", "points.csv", "o.tsv", "line 2, column 1: '" + digits + "' was found; " + expected);
    const std::string genes = "gene\ta\tb\nx\t1\t" + digits + "\ny\t1\t2\n";
    writeFile(folder_ / "genes.tsv", genes);
    for (const char* command : {"mutualinfo", "network"})
        refuse(command, "genes.tsv", "o.tsv", "line 2, column 3: '" + digits + "' was found; " + expected);
    writeFile(folder_ / "signals.csv", "a,b\n1," + digits + "\n1,2\n");
    refuse("crossapen", "signals.csv", "o.csv", "line 2, column 2: '" + digits + "' was found; " + expected);

    std::vector<std::int64_t> values(4096, kRounded - 1);
    values[2049] = kRounded;
    writeFile(folder_ / "whole.npy", npyOf("<i8", {2, 2048}, values));
    writeFile(folder_ / "unsigned.npy", npyOf("<u8", {2, 2048}, values));
    for (const char* input : {"whole.npy", "unsigned.npy"})
        for (const char* command : {"mutualinfo", "crossapen"})
            refuse(command, input, std::string(command) == "crossapen" ? "o.csv" : "o.tsv",
                   "(1, 1) is " + digits + "; " + expected);

    writeFile(folder_ / "square.npy", npyOf<std::int64_t>("<i8", {2, 2}, {0, kRounded, kRounded, 0}));
    refuse("tree", "square.npy", "o.nwk", "(0, 1) is " + digits + "; " + expected);
    writeFile(folder_ / "square.tsv", "\ta\tb\na\t0\t" + digits + "\nb\t" + digits + "\t0\n");
    refuse("tree", "square.tsv", "o.nwk", "line 2, column 3: '" + digits + "'; " + expected);
    writeFile(folder_ / "square.phy", "2\na 0 " + digits + "\nb " + digits + " 0\n");
    refuse("tree", "square.phy", "o.nwk", "line 2: '" + digits + "'; " + expected);
}

TEST_F(ExactInput, DistancesOfTheSmallestAndTheLargestNumbers) {
    const auto distances = [&](const std::string& size, const Arguments& how) {
        writeFile(folder_ / "points.csv", "0.0,0.0\n3.0e" + size + ",4.0e" + size + "\n");
        auto all = "distance points.csv -o - --molten --shape triangle --data coordinates"_args;
        all.insert(all.end(), how.begin(), how.end());
        return run(all);
    };
    for (const char* backend : {"reference", "cpu", "gl"})
        for (const char* precision : {"float32", "float64"})
            for (const char* size : {"-200", "-150", "-45", "-20", "0", "25", "150", "200"}) {
                const Outcome outcome = distances(size, {"--backend", backend, "--precision", precision});
                if (outcome.exitCode == 1 && std::string(backend) == "gl") continue;  // not available here
                if (std::string(backend) == "gl" && std::string(precision) == "float64") {
                    EXPECT_EQ(outcome.exitCode, 2);
                    EXPECT_THAT(outcome.err, HasSubstr("textures hold no float64"));
                    continue;
                }
                ASSERT_EQ(outcome.exitCode, 0) << backend << precision << size << outcome.err;
                const double found = std::stod(outcome.out.substr(outcome.out.rfind('\t')));
                const double expected = std::stod(std::string("5e") + size);
                EXPECT_NEAR(found / expected, 1, 1e-6) << backend << " " << precision << " " << size;
                EXPECT_THAT(outcome.err, Not(HasSubstr("2 identical")));
            }
}

TEST_F(ExactInput, BoundsThatADeviceWouldTakeForZero) {
    Matrix<float> upper(3, 3, 0);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) upper(i, j) = i == j ? 0 : i + j == 1 ? 5e-39F : 2;
    io::NpzWriter writer;
    writer.add("upper", io::npyMatrixSource<float>(upper.view()));
    writer.write(folder_ / "b.npz");
    const Outcome other = succeed("bounds b.npz -o - --backend cpu"_args);
    const Outcome usual = run("bounds b.npz -o -"_args);
    EXPECT_EQ(usual.out, other.out);
    const Outcome refused = run("bounds b.npz -o - --backend gl"_args);
    EXPECT_EQ(refused.exitCode, 1);
    if (refused.err.find("OpenGL") != std::string::npos) GTEST_SKIP() << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("lose what a bound of 5e-39 Å leaves"));
}

TEST_F(ExactInput, ControlCharactersOfNamesDoNotReachTheTerminal) {
    const std::string hostile = "x\x1b[31m\b\x7f\xc2\x9b\xe2\x80\xae";
    const std::string shown = "x\\x1b[31m\\x08\\u007f\\u009b\\u202e";
    writeFile(folder_ / (hostile + ".fa"), ">" + hostile + "\nACGT\n>b\nACGA\n");
    const Outcome report = succeed({"distance", hostile + ".fa", "-o", hostile + ".tsv", "--backend", "cpu"});
    EXPECT_THAT(report.out, HasSubstr(shown + ".tsv"));
    EXPECT_THAT(readFile(folder_ / (hostile + ".tsv")), HasSubstr(hostile)) << "files keep what is theirs";
    const Outcome json =
        run({"distance", hostile + ".fa", "-o", hostile + ".tsv", "--backend", "cpu", "--json"});
    EXPECT_EQ(json.json()["files"][0].get<std::string>(), hostile + ".tsv");
    const Outcome missing = run({"distance", hostile + ".csv", "-o", "o.tsv"});
    EXPECT_THAT(missing.err, HasSubstr(shown + ".csv"));
    writeFile(folder_ / "twice.fa", ">" + hostile + "\nAC\n>" + hostile + "\nAC\n");
    const Outcome twice = run("distance twice.fa -o o.tsv"_args);
    EXPECT_THAT(twice.err, HasSubstr("'" + shown + "'"));
    const Outcome lines = run({"distance", "a\nb.csv", "-o", "o.tsv"});
    EXPECT_THAT(lines.err, HasSubstr("a\\x0ab.csv"));
    for (const Outcome& outcome : {report, json, missing, twice, lines})
        for (const std::string& text : {outcome.out, outcome.err})
            EXPECT_TRUE(std::ranges::none_of(text, [](char c) {
                return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f';
            })) << text;
}

TEST_F(ExactInput, TextBeginsWithAByteOrderMark) {
    const std::string mark = "\xef\xbb\xbf";
    writeFile(folder_ / "plain.fa", ">a\nACGT\n>b\nACGA\n");
    writeFile(folder_ / "marked.fa", mark + readFile(folder_ / "plain.fa"));
    const Outcome plain = run("distance plain.fa -o - --backend cpu"_args);
    EXPECT_EQ(run("distance marked.fa -o - --backend cpu"_args).out, plain.out);
    succeed("pairwise marked.fa -o - --backend cpu"_args);
    writeFile(folder_ / "wide.fa", std::string("\xff\xfe>\0a\0\n\0", 8));
    refuse("distance", "wide.fa", "o.tsv",
           "begins with the byte order mark of UTF-16; expected text as UTF-8");
}

TEST_F(ExactInput, OutputsThatCannotBeMadeAreNamedBefore) {
    writeFile(folder_ / "g.csv", "0,1\n1,2\n");
    const std::string longest(250, 'x');
    expectRefused({"distance", "g.csv", "-o", longest + ".tsv"},
                  "its name has 254 bytes; expected at most 238");
    std::ifstream mounts("/proc/self/mounts");
    for (std::string device, folder, type, how, rest;
         mounts >> device >> folder >> type >> how && std::getline(mounts, rest);) {
        struct statvfs status {};
        if (::statvfs(folder.c_str(), &status) != 0 || (status.f_flag & ST_RDONLY) == 0 ||
            !std::filesystem::is_directory(folder))
            continue;
        expectRefused({"distance", "g.csv", "-o", folder + "/o.tsv"},
                      "the file system of " + folder + " is read-only");
        return;
    }
    GTEST_SKIP() << "no file system is mounted read-only";
}

TEST_F(ExactInput, WholeNumbersThatFloat64HoldsAreComputedWith) {
    writeFile(folder_ / "whole.csv", "0.5,9007199254740991\n0.5,9007199254740992\n");
    const Outcome distances = succeed("distance whole.csv -o - --backend cpu --shape triangle --molten"_args);
    EXPECT_EQ(distances.out, "2\t1\t1\n");
    // Signals with a large offset.
    std::vector<std::int64_t> plain, high;
    for (std::int64_t i = 0; i < 400; ++i) {
        plain.push_back(i * 7919 % 101);
        high.push_back((std::int64_t{1} << 50) + 256 * plain.back());
    }
    writeFile(folder_ / "plain.npy", npyOf("<i8", {2, 200}, plain));
    writeFile(folder_ / "high.npy", npyOf("<i8", {2, 200}, high));
    std::string results[2];
    for (const bool isHigh : {false, true}) {
        const Outcome outcome = succeed({"crossapen", isHigh ? "high.npy" : "plain.npy", "-o", "-", "--epoch",
                                         "200", "--backend", "cpu"});
        for (const char c : outcome.out) results[isHigh] += c;
        const std::string name = isHigh ? "high.npy" : "plain.npy";
        for (std::size_t at = results[isHigh].find(name); at != std::string::npos;
             at = results[isHigh].find(name))
            results[isHigh].erase(at, name.size());
    }
    EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace glycine::test
