// `glycine mutualinfo`, stopped and called again.
#include <csignal>

#include "engine/io/arrays/npy.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "tests/app/program_test.hpp"

namespace glycine::mutualinfo {
namespace {

using test::readFile;
using testing::HasSubstr;

class MutualInformationResume : public test::ProgramTest {};

TEST_F(MutualInformationResume, GoesOnWhereItWasStopped) {
    const Matrix<double> expression = randomExpression({.genes = 240, .samples = 200});
    io::writeNpy<double>(folder_ / "x.npy", expression.view());
    const std::vector<std::string> arguments{"mutualinfo", "x.npy",  "-o", "mi.npy", "--backend",
                                             "reference",  "--tile", "40", "--json"};
    const test::Outcome stopped = runUntilEntry(arguments, 1);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    EXPECT_THAT(stopped.err, HasSubstr("the same command goes on from there"));
    ASSERT_FALSE(std::filesystem::exists(folder_ / "mi.npy"));
    const test::Outcome done = run(arguments);
    ASSERT_EQ(done.exitCode, 0) << done.err;
    EXPECT_GT(done.json()["tilesResumed"], 0);
    EXPECT_EQ(done.json()["tiles"], 21);
    const test::Outcome whole = run({"mutualinfo", "x.npy", "-o", "whole.npy", "--backend", "cpu"});
    ASSERT_EQ(whole.exitCode, 0) << whole.err;
    const Matrix<double> resumed = io::readNpyMatrix<double>(folder_ / "mi.npy");
    const Matrix<double> expected = io::readNpyMatrix<double>(folder_ / "whole.npy");
    for (std::size_t i = 0; i < resumed.size(); ++i)
        ASSERT_NEAR(resumed.data()[i], expected.data()[i], 1e-12) << i;
}

}  // namespace
}  // namespace glycine::mutualinfo
