// Signals: polled by loops, and enforced where no loop polls. Each case runs in a process of its own.

#include <csignal>
#include <cstdio>

#include "engine/core/cancellation.hpp"
#include "engine/core/stopwatch.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

class CancellationDeathTest : public testing::Test {
  protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void workThatAsks(int signal) {
    installCancellationHandler();
    ::raise(signal);
    try {
        throwIfCancellationRequested();
    } catch (const CancelledError& error) {
        std::fprintf(stderr, "asked");
        std::_Exit(error.exitCode());
    }
    std::_Exit(0);
}

TEST_F(CancellationDeathTest, WorkThatPollsStops) {
    EXPECT_EXIT(workThatAsks(SIGINT), testing::ExitedWithCode(130), "asked");
    EXPECT_EXIT(workThatAsks(SIGTERM), testing::ExitedWithCode(130), "asked");
}

TEST_F(CancellationDeathTest, BackgroundWorkIsCancelled) {
    EXPECT_EXIT(
        {
            installCancellationHandler();
            BackgroundWork work("reading", 10);
            work.advance(1);
            ::raise(SIGTERM);
            try {
                work.advance(1);
            } catch (const CancelledError&) {
                std::_Exit(7);
            }
        },
        testing::ExitedWithCode(7), "");
}

TEST(Cancellation, ComesFromTheSourceOfAProgram) {
    throwIfCancellationRequested();
    setCancellationSource([] { return true; });
    EXPECT_THROW(throwIfCancellationRequested(), CancelledError);
    setCancellationSource(nullptr);
    throwIfCancellationRequested();
}

[[noreturn]] void workThatNeverAsks(const fs::path& file, int signals) {
    installCancellationHandler();
    const DiscardOnAbort discard(file);
    { const DiscardOnAbort finished(file.string() + ".finished"); }
    for (int i = 0; i < signals; ++i) ::raise(SIGTERM);
    while (true) ::pause();
}

TEST_F(CancellationDeathTest, WorkThatNeverPollsIsEndedAndLeavesNothingHalf) {
    const fs::path file = fs::path(testing::TempDir()) / "abandoned.tmp";
    const fs::path finished = file.string() + ".finished";
    for (const int signals : {1, 2}) {
        std::ofstream(file) << "half";
        std::ofstream(finished) << "whole";
        EXPECT_EXIT(workThatNeverAsks(file, signals), testing::ExitedWithCode(130),
                    "cancelled in the middle of a step; no output file is incomplete");
        EXPECT_FALSE(fs::exists(file));
        EXPECT_TRUE(fs::exists(finished));
        fs::remove(finished);
    }
}

TEST(BackgroundWork, IsShownWhileNoStageIsUnderWay) {
    const StoppedClock clock;
    std::vector<ProgressUpdate> updates;
    Progress progress([&updates](const ProgressUpdate& update) { updates.push_back(update); });
    setProcessProgress(&progress);
    const auto work = [](double total) {
        BackgroundWork reading("reading a.csv", total);
        Clock::advance(0.12);
        reading.advance(1024);
    };
    work(4096);
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0].stage, "reading a.csv");
    EXPECT_DOUBLE_EQ(updates[0].fraction, 0.25);
    work(0);
    ASSERT_EQ(updates.size(), 2U);
    EXPECT_EQ(updates[1].stage, "reading a.csv (1.0 KiB)");
    EXPECT_LT(updates[1].fraction, 0);
    progress.begin("computing", 2);
    work(4096);
    EXPECT_EQ(updates.size(), 2U);
    progress.advance(2);
    work(4096);
    EXPECT_EQ(updates.back().stage, "reading a.csv");
    setProcessProgress(nullptr);
}

}  // namespace
}  // namespace glycine
