// Where the time of a command goes, and when its process began.
#include "engine/core/time_line.hpp"

#include "engine/core/system/machine.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

std::vector<std::tuple<std::string, double, double>> stagesOf(const TimeLine& times) {
    std::vector<std::tuple<std::string, double, double>> stages;
    for (const TimedStage& time : times.stages())
        stages.emplace_back(time.stage, time.seconds, time.overlapped);
    return stages;
}
using Stages = std::vector<std::tuple<std::string, double, double>>;

TEST(TimeLine, IsOneStageAfterAnother) {
    const StoppedClock clock;
    TimeLine times;
    Clock::advance(2);
    EXPECT_EQ(times.end("startUp"), 2);
    Clock::advance(1);
    times.end("read");
    EXPECT_EQ(times.end("nothing"), 0);
    Clock::advance(4);
    times.end("startUp");
    Clock::advance(8);
    EXPECT_EQ(times.wall(), 15);
    EXPECT_EQ(stagesOf(times), (Stages{{"startUp", 6, 0}, {"read", 1, 0}}));
}

TEST(TimeLine, DividesAmongPartsAndWhatTheyLeave) {
    const StoppedClock clock;
    TimeLine times;
    Clock::advance(8);
    EXPECT_EQ(times.divide({{"compute", 4}, {"upload", 0}, {"store", 1, 3}}), 8);
    EXPECT_EQ(stagesOf(times), (Stages{{"compute", 4, 0}, {"store", 1, 3}, {"other", 3, 0}}));
    Clock::advance(2);
    times.divide({{"store", 0.5}}, "pairs");
    EXPECT_EQ(stagesOf(times),
              (Stages{{"compute", 4, 0}, {"store", 1.5, 3}, {"other", 3, 0}, {"pairs", 1.5, 0}}));
}

TEST(TimeLine, PartsThatOverlapAddUpToTheWallClockAllTheSame) {
    const StoppedClock clock;
    TimeLine times;
    Clock::advance(6);
    times.divide({{"compute", 8}, {"copy", 4}});
    EXPECT_EQ(stagesOf(times), (Stages{{"compute", 4, 4}, {"copy", 2, 2}}));
    // With a clock that stands still.
    times.divide({{"compute", 1}});
    EXPECT_EQ(stagesOf(times), (Stages{{"compute", 4, 5}, {"copy", 2, 2}}));
}

TEST(TimeLine, MayBeginBeforeItIsMade) {
    const StoppedClock clock;
    const Clock::TimePoint begin = Clock::now();
    Clock::advance(3);
    EXPECT_EQ(Clock::processStart(), Clock::now()) << "a clock that is held knows of no process";
    TimeLine times(begin);
    EXPECT_EQ(times.end("startUp"), 3);
}

// The process began in tick 1200, with ticks of a hundredth of a second: between 12.00 and 12.01 s.
TEST(SecondsOfProcess, AreReadFromTheSystem) {
    const std::string stat = "17 (a) (b c) S 1 17 17 0 -1 4194304 99 0 0 0 5 6 7 8 20 0 1 0 1200 313 389\n";
    const auto seconds = [&](double now, double processor) {
        return secondsOfProcess(stat, now, processor, 0.01).value();
    };
    EXPECT_DOUBLE_EQ(seconds(12.5, 0.1), 0.49) << "as late as the tick allows";
    EXPECT_DOUBLE_EQ(seconds(12.5, 0.495), 0.495) << "a thread has worked so long";
    EXPECT_DOUBLE_EQ(seconds(12.5, 3), 0.5) << "several have";
    EXPECT_DOUBLE_EQ(seconds(12.004, 0), 0);
    EXPECT_EQ(secondsOfProcess(stat, 11.9, 0, 0.01), std::nullopt) << "it has not begun";
    EXPECT_EQ(secondsOfProcess("17 (a) S 1 17", 12.5, 0, 0.01), std::nullopt);
    EXPECT_EQ(secondsOfProcess("", 12.5, 0, 0.01), std::nullopt);
}

TEST(SecondsOfProcess, AreOfThisProcess) {
    const std::optional<double> seconds = secondsOfProcess();
    if (!seconds) GTEST_SKIP() << "the system does not tell when a process began";
    EXPECT_GT(*seconds, 0);
    EXPECT_LE(Clock::processStart(), Clock::now());
}

}  // namespace
}  // namespace glycine
