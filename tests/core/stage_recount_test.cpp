// What may be counted again of the stages of a run, what is refused, and what is told of it.
#include "engine/core/stage_recount.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/named_backend.hpp"

namespace glycine {
namespace {

using test::NamedBackend;
using testing::AllOf;
using testing::HasSubstr;

TEST(StageRecount, IsOfDevicesAlone) {
    for (const char* device : {"gl", "cuda"}) {
        EXPECT_TRUE(StageRecount(NamedBackend(device), false, "pair").isWanted());
        EXPECT_FALSE(StageRecount(NamedBackend(device), true, "pair").isWanted());
    }
    for (const char* host : {"cpu", "reference"})
        EXPECT_FALSE(StageRecount(NamedBackend(host), false, "pair").isWanted());
}

TEST(StageRecount, EachStageHasTimeOfItsOwn) {
    StageRecount recount(NamedBackend("gl"), false, "pair");
    recount.enter("posteriors", "pair", "blocked");
    EXPECT_EQ(recount.affordable(10, 7, 0.1), 0U);
    EXPECT_EQ(recount.counted().skipped, "one pair of posteriors would take 7.00 s");
    EXPECT_EQ(recount.affordable(10, 0.9, 0.1), 1U);  // one, at least
    EXPECT_EQ(recount.affordable(10, 0.9, 0.1), 0U);
    EXPECT_EQ(recount.affordable(10, 1e-3, 0.1), 0U);
    EXPECT_EQ(recount.affordable(10'000, 1e-3, 100), 4100U);  // what is left of 5 s of 100
    recount.add(250, 0.25);
    recount.enter("refinement", "join", "blocked");
    EXPECT_EQ(recount.affordable(10, 1e-3, 0.1), 10U);
    EXPECT_EQ(recount.affordable(1000, 1e-3, 0.1), 240U);
    recount.add(10, 100);  // whatever it took
    EXPECT_EQ(recount.affordable(1000, 1e-3, 10), 250U);
    recount.enter("posteriors", "pair", "blocked");
    recount.add(1, 0.01);
    ASSERT_EQ(recount.counted().stages.size(), 2U);
    EXPECT_EQ(recount.counted().stages[0].elements, 251U);
    EXPECT_EQ(recount.counted().stages[1].elements, 10U);
    EXPECT_EQ(recount.counted().elements, 261U);
}

TEST(StageRecount, RefusalsNameElementBothValuesAndDevice) {
    StageRecount recount(NamedBackend("gl"), false, "pair");
    recount.enter("posteriors", "pair", "blocked");
    recount.compare(1.25, 1, 0.25, [] { return std::string("value"); });
    EXPECT_EQ(recount.counted().stages[0].largestDifference, 0.25);
    const auto messageOf = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const WrongResultError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(
        messageOf([&] { recount.compare(2, 1, 0.25, [] { return std::string("value of a"); }); }),
        HasSubstr("the value of a is 2 by gl blocked (on a device) and 1 when it is counted again on the "
                  "host, which rounding does not explain (0.2 allowed); nothing was written"));
    EXPECT_THAT(
        messageOf([&] { recount.requireWithin(2, 0, 1, [] { return std::string("share of a"); }); }),
        HasSubstr("the share of a is 2 by gl blocked (on a device); expected 0 to 1; nothing was written"));
    const NamedBackend gl("gl");
    EXPECT_THAT(messageOf([&] {
                    namingDevice(gl, [] { return requireBelow(7, 7, [] { return std::string("place"); }); });
                }),
                HasSubstr("the place is 7; expected less than 7, by gl (on a device); nothing was written"));
    EXPECT_EQ(namingDevice(gl, [] { return requireBelow(6, 7, [] { return std::string("place"); }); }), 6U);
}

}  // namespace
}  // namespace glycine
