// Reports of where the time of a command went.
#include "engine/command/time_report.hpp"

#include <nlohmann/json.hpp>

#include "tests/test.hpp"

namespace glycine {
namespace {

TEST(TimeReport, NamesStagesThatAddUpToTheWallClock) {
    const StoppedClock clock;
    TimeLine times;
    Clock::advance(1);
    times.end("startUp");
    Clock::advance(0.01);
    times.end("check");  // negligible
    Clock::advance(8);
    times.divide({{"upload", 0.5}, {"compute", 4}, {"download", 1.25}, {"store", 0.5, 1.5}});
    Clock::advance(2);
    times.end("guide tree");
    Clock::advance(0.99);  // not assigned to a stage yet
    EXPECT_EQ(
        describeTimes(times, true),
        "12.0 s: start-up 1.00 s, copying 1.75 s, computing 4.00 s, storing 2.00 s (1.50 s in parallel with "
        "other stages), guide tree 2.00 s, other 2.75 s");
    EXPECT_EQ(
        describeTimes(times, true, {{"compute", "comparing"}, {"upload", "to the device"}}),
        "12.0 s: start-up 1.00 s, to the device 500 ms, comparing 4.00 s, copying 1.25 s, storing 2.00 s "
        "(1.50 s in parallel with other stages), guide tree 2.00 s, other 2.75 s");
    EXPECT_EQ(describeTimes(times, false, {{"upload", "to the device"}}),
              "12.0 s: start-up 1.00 s, preparing 1.75 s, computing 4.00 s, storing 500 ms, guide tree 2.00 "
              "s, other 2.75 s");
}

TEST(TimeReport, IsJsonWithEveryStage) {
    const StoppedClock clock;
    TimeLine times;
    Clock::advance(1);
    times.end("read");
    Clock::advance(4);
    times.divide({{"compute", 2}, {"store", 0.5, 1.5}});
    Clock::advance(0.25);
    EXPECT_EQ(nlohmann::json(timesJson(times)),
              nlohmann::json::parse(R"({"wall": 5.25, "read": 1, "compute": 2, "store": 0.5, "other": 1.75,
                                        "overlapped": {"store": 1.5}})"));
}

TEST(TimeReport, KnowsWhatStagesArePartOf) {
    EXPECT_EQ(groupOf("startUp"), TimeGroup::StartUp);
    EXPECT_EQ(groupOf("read"), TimeGroup::Reading);
    EXPECT_EQ(groupOf("upload"), TimeGroup::Preparation);
    EXPECT_EQ(groupOf("recount"), TimeGroup::Checks);
    EXPECT_EQ(groupOf("store"), TimeGroup::Writing);
    EXPECT_EQ(groupOf("other"), TimeGroup::Other);
    EXPECT_EQ(groupOf("compute"), TimeGroup::Kernel);
    EXPECT_EQ(groupOf("posteriors"), TimeGroup::Kernel) << "an algorithm's own";
}

}  // namespace
}  // namespace glycine
