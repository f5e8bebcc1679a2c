// How many elements are recounted, what is refused, and how reports describe it.
#include "engine/command/recount.hpp"

#include <mutex>

#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/text/json.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

std::string line(const Recount& recount) {
    Fields fields;
    addRecountField(fields, recount.report());
    return fields.empty() ? "" : fields.front().first + ": " + fields.front().second;
}

TEST(Recount, TakesAQuarterOfASecondOrAFewPercent) {
    Recount recount(NamedBackend("gl"), {}, "pair");
    EXPECT_EQ(recount.begin(12, {1e-6, 1}), 12U);
    EXPECT_EQ(recount.begin(5, {1e-6, 1}), 5U);
    EXPECT_EQ(recount.begin(0, {1e-6, 1}), 0U);
    EXPECT_EQ(recount.begin(12, {0.06, 0.5}), 4U);        // 0.25 s
    EXPECT_EQ(recount.begin(12, {0.11, 0.5, 0.02}), 2U);  // 0.02 s of it are used up
    EXPECT_EQ(recount.begin(12, {0.9, 0.1}), 1U);         // at least one
    EXPECT_EQ(recount.begin(12, {7, 10}), 0U);
    EXPECT_EQ(Recount(NamedBackend("gl"), {}, "pair").begin(12, {0.9, 60}), 3U);  // 3 s of 60
    EXPECT_EQ(Recount(NamedBackend("gl"), {}, "pair").begin(12, {7, 100}), 1U);   // 10 % of the run
    EXPECT_EQ(line(recount), "Check: nothing re-counted with reference: one pair would take 7.00 s");
    recount.continuesAfter(3);
    EXPECT_EQ(line(recount), "Check: re-counted with reference: 3 pairs, all agree");
}

TEST(Recount, EndsWhenItsTimeIsOver) {
    const StoppedClock clock;
    Recount recount(NamedBackend("gl"), {}, "pair");
    EXPECT_EQ(recount.begin(12, {1e-6, 1}), 12U);
    EXPECT_TRUE(recount.continuesAfter(1));
    Clock::advance(0.25);  // the entire time for a run of one second
    EXPECT_FALSE(recount.continuesAfter(1));
    EXPECT_EQ(recount.begin(12, {1e-6, 1}), 1U);  // for another file, after the total time is used up
    EXPECT_FALSE(recount.continuesAfter(2));
    EXPECT_EQ(recount.begin(12, {1e-6, 1000}), 12U);  // for a run that took longer
    Clock::advance(0.1);                              // of 50 s
    EXPECT_TRUE(recount.continuesAfter(3));
    EXPECT_EQ(recount.report()->elements, 7U);
    EXPECT_GE(recount.report()->seconds, 0.35);
}

TEST(Recount, SomeAreTheFirstOfOneOrderOfAll) {
    std::vector<std::size_t> numbers(1000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 3 * i;
    std::vector<std::size_t> order = numbers;
    std::ranges::sort(order, {}, [](std::size_t number) { return derivedSeed(Recount::kSeed, number); });
    for (const std::size_t wanted : {0U, 1U, 10U, 999U, 1000U, 2000U})
        EXPECT_EQ(Recount::someOf(numbers, wanted),
                  std::vector(order.begin(),
                              order.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, order.size()))));
}

TEST(Recount, TakesPlacesFromAllParts) {
    const StoppedClock clock;
    Recount recount(NamedBackend("gl"), {}, "pair");
    std::vector<std::size_t> places;
    const auto count = [&places](std::size_t place) {
        places.push_back(place);
        return std::size_t{4};
    };
    recount.countSome(1000, 10, {1e-6, 1}, count);
    ASSERT_EQ(places.size(), 10U);
    EXPECT_FALSE(std::is_sorted(places.begin(), places.end())) << "where it ends early, a part is left out";
    std::sort(places.begin(), places.end());
    for (std::size_t part = 0; part < places.size(); ++part) EXPECT_EQ(places[part] / 100, part);
    EXPECT_EQ(recount.report()->elements, 40U);

    places.clear();
    recount.countSome(3, 10, {1e-6, 1}, count);
    EXPECT_THAT(places, UnorderedElementsAre(0, 1, 2));
    places.clear();
    recount.countSome(0, 10, {1e-6, 1}, count);
    Recount(NamedBackend("cpu"), {}, "pair").countSome(3, 10, {1e-6, 1}, count);
    EXPECT_THAT(places, IsEmpty());

    recount.countSome(3, 10, {1e-6, 1}, [&places](std::size_t place) {
        places.push_back(place);
        Clock::advance(0.25);
        return std::size_t{1};
    });
    EXPECT_EQ(places.size(), 1U) << "its time is over";
}

TEST(Recount, SeveralThreadsTakeTheSamePlaces) {
    const StoppedClock clock;
    const DefaultThreads threads(3);
    const RecountTime time{1e-6, 1};
    std::vector<std::size_t> alone, together;
    Recount one(NamedBackend("gl"), {}, "pair");
    one.countSome(100'000, 1000, time, [&alone](std::size_t place) {
        alone.push_back(place);
        return std::size_t{2};
    });
    Recount several(NamedBackend("gl"), {}, "pair");
    std::mutex mutex;
    const auto count = [&](std::size_t place) {
        several.compare("blocked", static_cast<double>(place), static_cast<double>(place) + 0.5, 1,
                        [] { return std::string(); });
        const std::lock_guard lock(mutex);
        together.push_back(place);
        return std::size_t{2};
    };
    several.countSomeTogether(100'000, 1000, time, count);
    EXPECT_THAT(together, testing::UnorderedElementsAreArray(alone));
    EXPECT_EQ(several.report()->elements, 2000U);
    EXPECT_EQ(several.report()->largestDifference, 0.5);

    const auto refuse = [&](std::size_t place) {
        several.compare("blocked", 1, place == alone.back() ? 2 : 1, 0, [] { return "the bound of 3"; });
        return std::size_t{1};
    };
    EXPECT_THAT(messageOf<WrongResultError>([&] {
                    several.countSomeTogether(100'000, 1000, {1e-6, 100}, refuse);
                }),
                HasSubstr("the bound of 3"));

    Recount late(NamedBackend("gl"), {}, "pair");
    late.countSomeTogether(100'000, 1000, time, [&mutex](std::size_t) {
        const std::lock_guard lock(mutex);
        Clock::advance(0.25);
        return std::size_t{1};
    });
    EXPECT_EQ(late.report()->elements, 3U * 64) << "its time is over";
}

TEST(Recount, IsAboutGlAndCudaUnlessNotWanted) {
    for (const char* host : {"cpu", "reference"}) {
        Recount recount(NamedBackend(host), {}, "pair");
        EXPECT_EQ(recount.begin(12, {1e-6, 1}), 0U);
        EXPECT_EQ(line(recount), "");
    }
    EXPECT_EQ(Recount(NamedBackend("cuda"), {}, "row", "by hand").begin(12, {1e-6, 1}), 12U);
    BackendRequest request;
    request.isUnchecked = true;
    Recount unchecked(NamedBackend("cuda"), request, "row", "by hand");
    EXPECT_EQ(unchecked.begin(12, {1e-6, 1}), 0U);
    EXPECT_EQ(line(unchecked), "Check: nothing re-counted by hand: --no-check");
    EXPECT_EQ(toJson(*unchecked.report())["skipped"], "--no-check");
    const Recount nothing(NamedBackend("gl"), {}, "pair");
    EXPECT_EQ(line(nothing), "Check: nothing re-counted with reference: there is no pair");
}

TEST(Recount, RefusesWhatRoundingDoesNotExplain) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Recount recount(NamedBackend("gl"), {}, "pair");
    const auto place = [] { return std::string("distance of a and b"); };
    recount.compare("packed", 1, 1, 0, place);
    recount.compare("packed", kNan, kNan, 0, place);
    recount.compare("packed", kInfinity, kInfinity, 0, place);
    recount.compare("packed", 1.25, 1, 0.25, place);
    recount.continuesAfter(4);
    Json json = toJson(*recount.report());
    EXPECT_GT(json["seconds"], 0);
    json.erase("seconds");
    EXPECT_EQ(json, Json::parse(R"({"method": "with reference", "kind": "pair", "elements": 4,
        "agree": true, "largestDifference": 0.25})"));
    for (const auto& [found, expected] :
         {std::pair{1.0, 1.5}, {kNan, 1.0}, {1.0, kNan}, {kInfinity, 1.0}, {-kInfinity, kInfinity}})
        EXPECT_THROW(recount.compare("packed", found, expected, 0.25, place), WrongResultError) << found;
    try {
        recount.compare("packed", 4.06, 0.5, 0, place);
        FAIL();
    } catch (const WrongResultError& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr("the distance of a and b is 4.06 by gl packed (on a device)"),
                          HasSubstr("0.5 when it is counted again with reference"),
                          HasSubstr("nothing was written")));
        EXPECT_EQ(error.exitCode(), 1);
    }
}

}  // namespace
}  // namespace glycine
