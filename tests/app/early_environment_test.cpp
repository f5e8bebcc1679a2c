// The program limits how long threads of GNU OpenMP spin, unless the user did. It does not start itself again
// for that (app/early_environment.hpp).

#include "tests/app/program_test.hpp"

namespace glycine {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GLYCINE_IS_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GLYCINE_IS_SANITIZED
#endif
#ifdef GLYCINE_IS_SANITIZED
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

class EarlyEnvironment : public test::ProgramTest {
  protected:
    /// The settings that GNU OpenMP reports when it is loaded, one per start of the program:
    /// "GOMP_SPINCOUNT = '5000'".
    std::vector<std::string> spinCounts(const std::string& program, std::vector<std::string> environment) {
        // Of the tests' own, which set OMP_WAIT_POLICY.
        environment.insert(environment.begin(), {"-u", "OMP_WAIT_POLICY", "-u", "GOMP_SPINCOUNT"});
        environment.insert(environment.end(), {"OMP_DISPLAY_ENV=verbose", program});
        for (const char* const argument :
             {"generate", "genotypes", "--instances", "3", "--attributes", "5", "-o", "g.npy"})
            environment.emplace_back(argument);
        const test::Outcome outcome = runProgram("env", environment);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        std::vector<std::string> counts;
        std::istringstream lines(outcome.err);
        for (std::string line; std::getline(lines, line);)
            if (const std::size_t begin = line.find("GOMP_SPINCOUNT"); begin != std::string::npos)
                counts.push_back(line.substr(begin));
        return counts;
    }
    std::vector<std::string> spinCounts(const std::vector<std::string>& environment) {
        return spinCounts(GLYCINE_COMMAND, environment);
    }
    void SetUp() override {
        test::ProgramTest::SetUp();
        if (spinCounts({"GOMP_SPINCOUNT=7"}).empty())
            GTEST_SKIP() << "the OpenMP runtime is not GNU's: it does not report GOMP_SPINCOUNT";
    }
};

using ::testing::ElementsAre;

TEST_F(EarlyEnvironment, LimitsSpinningWithoutASecondStart) {
    if (kIsSanitized) GTEST_SKIP() << "sanitizers are not ready before the libraries";
    for (const char* const variable : {"_=/bin/x", "OLDPWD=/tmp", "SHLVL=1", "HOSTNAME=box"})
        EXPECT_THAT(spinCounts({"-i", variable}), ElementsAre("GOMP_SPINCOUNT = '5000'")) << variable;
    if (!std::string_view(GLYCINE_MPI_COMMAND).empty()) {
        EXPECT_THAT(spinCounts(GLYCINE_MPI_COMMAND, {"_=x"}), ElementsAre("GOMP_SPINCOUNT = '5000'"));
    }
}

TEST_F(EarlyEnvironment, StartsAgainWhereThereIsNothingToBorrow) {
    const std::vector<std::string> counts = spinCounts({"-i"});
    ASSERT_EQ(counts.size(), 2U);
    EXPECT_NE(counts.front(), counts.back());
    EXPECT_EQ(counts.back(), "GOMP_SPINCOUNT = '5000'");
}

TEST_F(EarlyEnvironment, KeepsTheUsersChoice) {
    EXPECT_THAT(spinCounts({"GOMP_SPINCOUNT=77", "_=x"}), ElementsAre("GOMP_SPINCOUNT = '77'"));
    EXPECT_THAT(spinCounts({"OMP_WAIT_POLICY=passive", "_=x"}), ElementsAre("GOMP_SPINCOUNT = '0'"));
}

TEST_F(EarlyEnvironment, ReturnsWhatItBorrowed) {
    if (kIsSanitized) GTEST_SKIP() << "sanitizers are not ready before the libraries";
    const std::vector<std::string> variables{"-i", "A=1", "PWD=/here", "_=shell", "B=2"};
    const auto outputOf = [&](const std::string& program) {
        std::vector<std::string> arguments = variables;
        arguments.push_back(program);
        return runProgram("env", arguments);
    };
    const test::Outcome printed = outputOf(GLYCINE_PRINT_ENVIRONMENT);
    EXPECT_EQ(printed.exitCode, 0);
    EXPECT_EQ(printed.out, "A=1\nPWD=/here\n_=shell\nB=2\n");
}

}  // namespace
}  // namespace glycine

#undef GLYCINE_IS_SANITIZED
