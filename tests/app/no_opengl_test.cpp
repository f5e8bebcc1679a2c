// A machine without OpenGL: empty files stand in the loader's way under the names of EGL and GLFW, which it
// cannot load then. What was looked for and how it is got is told in one line, and everything else works.

#include <sys/wait.h>

#include <fstream>

#include "tests/app/program_test.hpp"

namespace glycine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class NoOpenGl : public test::ProgramTest {
  protected:
    /// Runs `glycine` where these libraries cannot be loaded.
    test::Outcome runWithout(const std::vector<std::string>& libraries, std::vector<std::string> arguments) {
        const std::filesystem::path folder = hidden_.path();
        for (const std::string& library : libraries) std::ofstream(folder / library).flush();
        arguments.insert(arguments.begin(), {"LD_LIBRARY_PATH=" + folder.string(), GLYCINE_COMMAND});
        return runProgram("env", arguments);
    }
    const std::vector<std::string> all_{"libEGL.so.1", "libglfw.so.3"};
    test::TemporaryFolder hidden_;
};

TEST_F(NoOpenGl, NothingLinksIt) {
    const test::Outcome outcome = runProgram("readelf", {"--dynamic", GLYCINE_COMMAND});
    if (outcome.exitCode != 0) GTEST_SKIP() << "needs: readelf";
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("libc.so"), Not(HasSubstr("libEGL")), Not(HasSubstr("libGL")),
                      Not(HasSubstr("libOpenGL")), Not(HasSubstr("libglfw")), Not(HasSubstr("libX11"))));
}

TEST_F(NoOpenGl, ListSaysWhatIsMissingOnce) {
    const test::Outcome outcome = runWithout(all_, {"list"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    const std::size_t said = outcome.out.find("this machine has no OpenGL");
    ASSERT_NE(said, std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("this machine has no OpenGL", said + 1), std::string::npos) << outcome.out;
    const std::string line = outcome.out.substr(said, outcome.out.find('\n', said) - said);
    EXPECT_THAT(line,
                AllOf(HasSubstr("libEGL.so.1"), HasSubstr("libglfw.so.3"), HasSubstr("apt install libegl1")));
}

TEST_F(NoOpenGl, InfoSaysItOnceToo) {
    const test::Outcome outcome = runWithout(all_, {"info"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    // Before, the choice of the default backend gives its reasons.
    const std::size_t gl = outcome.out.find("\ngl: ");
    ASSERT_NE(gl, std::string::npos) << outcome.out;
    const std::size_t said = outcome.out.find("this machine has no OpenGL", gl);
    ASSERT_NE(said, std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("this machine has no OpenGL", said + 1), std::string::npos) << outcome.out;
    EXPECT_THAT(outcome.out, testing::ContainsRegex("default backend +(cpu|cuda)"));
}

TEST_F(NoOpenGl, CpuWorksAndIsTheDefault) {
    ASSERT_EQ(runWithout(all_, {"generate", "bounds", "--atoms", "40", "-o", "in.npz"}).exitCode, 0);
    const test::Outcome named =
        runWithout(all_, {"bounds", "in.npz", "-o", "a.npz", "--backend", "cpu", "--json"});
    ASSERT_EQ(named.exitCode, 0) << named.err;
    const test::Outcome usual = runWithout(all_, {"bounds", "in.npz", "-o", "b.npz", "--json"});
    ASSERT_EQ(usual.exitCode, 0) << usual.err;
    EXPECT_THAT(usual.json()["device"]["backend"], testing::AnyOf("cpu", "cuda"));
    EXPECT_EQ(test::readFile(folder_.path() / "a.npz"), test::readFile(folder_.path() / "b.npz"));
}

TEST_F(NoOpenGl, GlIsRefusedBeforeAnyWork) {
    ASSERT_EQ(runWithout(all_, {"generate", "bounds", "--atoms", "40", "-o", "in.npz"}).exitCode, 0);
    const test::Outcome outcome = runWithout(all_, {"bounds", "in.npz", "-o", "out.npz", "--backend", "gl"});
    EXPECT_NE(outcome.exitCode, 0);
    EXPECT_THAT(outcome.err, HasSubstr("this machine has no OpenGL"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(files(), std::vector<std::string>{"in.npz"});
}

TEST_F(NoOpenGl, AWindowNeedsGlfwAlone) {
    const test::Outcome outcome = runWithout({"libglfw.so.3"}, {"info", "--context", "glfw"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("GLFW cannot be loaded"));
}

}  // namespace
}  // namespace glycine
