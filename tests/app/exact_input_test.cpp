// Numbers of inputs that are not what is computed with: each command refuses them.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/io/arrays/npy.hpp"
#include "tests/app/program_test.hpp"

namespace glycine::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

TEST_F(ExactInput, WholeNumbersThatFloat64HoldsAreComputedWith) {
    writeFile(folder_ / "whole.csv", "0.5,9007199254740991\n0.5,9007199254740992\n");
    const Outcome distances =
        run({"distance", "whole.csv", "-o", "-", "--backend", "cpu", "--shape", "triangle", "--molten"});
    ASSERT_EQ(distances.exitCode, 0) << distances.err;
    EXPECT_EQ(distances.out, "2\t1\t1\n");
    // Signals on a large offset.
    std::vector<std::int64_t> plain, high;
    for (std::int64_t i = 0; i < 400; ++i) {
        plain.push_back(i * 7919 % 101);
        high.push_back((std::int64_t{1} << 50) + 256 * plain.back());
    }
    writeFile(folder_ / "plain.npy", npyOf("<i8", {2, 200}, plain));
    writeFile(folder_ / "high.npy", npyOf("<i8", {2, 200}, high));
    std::string results[2];
    for (const bool isHigh : {false, true}) {
        const Outcome outcome = run({"crossapen", isHigh ? "high.npy" : "plain.npy", "-o", "-", "--epoch",
                                     "200", "--backend", "cpu"});
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
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
