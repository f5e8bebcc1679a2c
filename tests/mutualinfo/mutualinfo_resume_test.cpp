// Tests how `mutualinfo` and `network` resume after a stop.

#include "engine/io/arrays/npy.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "tests/app/program_test.hpp"

namespace glycine::mutualinfo {
namespace {

// ---- `glycine mutualinfo`, stopped and called again.

class MutualInformationResume : public test::ProgramTest {};

TEST_F(MutualInformationResume, GoesOnWhereItWasStopped) {
    const Matrix<double> expression = randomExpression({.genes = 240, .samples = 200});
    io::writeNpy<double>(folder_ / "x.npy", expression.view());
    const auto arguments = "mutualinfo x.npy -o mi.npy --backend reference --tile 40 --json"_args;
    const test::Outcome stopped = runUntilEntry(arguments, 1);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    EXPECT_THAT(stopped.err, HasSubstr("the same command goes on from there"));
    ASSERT_FALSE(std::filesystem::exists(folder_ / "mi.npy"));
    const Outcome done = succeed(arguments);
    EXPECT_GT(done.json()["tilesResumed"], 0);
    EXPECT_EQ(done.json()["tiles"], 21);
    const Outcome whole = succeed("mutualinfo x.npy -o whole.npy --backend cpu"_args);
    const Matrix<double> resumed = io::readNpyMatrix<double>(folder_ / "mi.npy");
    const Matrix<double> expected = io::readNpyMatrix<double>(folder_ / "whole.npy");
    for (std::size_t i = 0; i < resumed.size(); ++i)
        ASSERT_NEAR(resumed.data()[i], expected.data()[i], 1e-12) << i;
}

// ---- `glycine network`, stopped and called again.

class NetworkResume : public test::ProgramTest {
  protected:
    void SetUp() override {
        const Matrix<double> expression = randomExpression({.genes = 90, .samples = 100});
        io::writeNpy<double>(folder_ / "x.npy", expression.view());
    }
};

TEST_F(NetworkResume, BootstrapsGoOn) {
    const auto arguments =
        "network x.npy -o net.tsv --method aracne --backend reference --json --threshold 0.3 "
        "--tile 40 --bootstraps 30"_args;
    // The run first computes six tiles of the matrix, then bootstraps.
    const test::Outcome stopped = runUntilEntry(arguments, 9);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    EXPECT_THAT(stopped.err, HasSubstr("the same command goes on from there"));
    ASSERT_FALSE(std::filesystem::exists(folder_ / "net.tsv"));
    // Bootstraps with another seed are refused.
    std::vector<std::string> others = arguments;
    others.insert(others.end(), {"--seed", "2"});
    EXPECT_EQ(run(others).exitCode, 2);
    const Outcome done = succeed(arguments);
    EXPECT_GT(done.json()["bootstraps"]["kept"], 0);
    EXPECT_EQ(done.json()["tilesResumed"], 6);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "net.tsv.unfinished"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "net.tsv.bootstraps.unfinished"));
    const std::string resumed = readFile(folder_ / "net.tsv");
    const Outcome whole = succeed(arguments);
    EXPECT_EQ(whole.json()["bootstraps"]["kept"], 0);
    EXPECT_EQ(readFile(folder_ / "net.tsv"), resumed);
    EXPECT_GT(std::count(resumed.begin(), resumed.end(), '\n'), 20);
}

/// The command checks the file of kept bootstraps before it computes anything.
TEST_F(NetworkResume, ForeignBootstrapsAreRefusedAtOnce) {
    auto call =
        "network x.npy -o net.tsv --method mi --backend cpu --threshold 0.3 --tile 40 --bootstraps 30"_args;
    const test::Outcome stopped = runUntilEntry(call, 9);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    for (const char* file : {"net.tsv.unfinished", "net.tsv.unfinished.tiles"})
        ASSERT_TRUE(std::filesystem::remove(folder_ / file)) << file;
    const std::vector<std::string> before = files();
    call.insert(call.end(), {"--seed", "2"});
    // The run would stop at the first tile.
    const test::Outcome refused = runUntilEntry(call, 1);
    EXPECT_EQ(refused.exitCode, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("net.tsv.bootstraps.unfinished"));
    EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace glycine::mutualinfo
