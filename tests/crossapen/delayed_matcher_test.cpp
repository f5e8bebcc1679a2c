// Time delays on engines of consecutive templates: what the rearranged signals must not change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/error.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"

namespace glycine::crossapen {
namespace {

using namespace fixtures;
using ::testing::HasSubstr;

class DelayedMatcher : public ::testing::Test {
  protected:
    /// On the processor, through the entry that everybody uses.
    template <class T>
    void expectAgreement(const OwnedEpoch<T>& epoch, const MatchRule& rule) {
        const auto found = matchWith(entry(), cpu_, {epoch.view()}, rule, Variant::Merged);
        const auto expected = expectedStatistics(epoch, rule);
        for (std::size_t a = 0; a < expected.rows(); ++a)
            for (std::size_t b = 0; b < expected.columns(); ++b)
                EXPECT_EQ(found[0](a, b), expected(a, b)) << "pair " << a << ", " << b;
    }
    const MatcherEntry& entry() { return *findImplementation(implementations<Matcher>(), cpu_); }
    Support supports(const MatchRequest& request) { return entry().create(cpu_)->supports(request); }

    HostBackend cpu_{"cpu", 1};
};

TEST_F(DelayedMatcher, SamplesOfAnySize) {
    for (const double unit : {1e-30, 1e-6, 1.0, 1e6, 1e30}) {
        OwnedEpoch<float> epoch{makeSignals<float>(3, 90, Kind::Smooth, 7), {static_cast<float>(0.2 * unit)}};
        for (std::size_t i = 0; i < epoch.signals.size(); ++i)
            epoch.signals.data()[i] *= static_cast<float>(unit);
        for (const bool isStrict : {false, true})
            expectAgreement(epoch, {.m = 2, .isStrict = isStrict, .delay = 3});
    }
    // Large beside r: neighbours of the separators must not round to them.
    OwnedEpoch<float> offset{makeSignals<float>(3, 90, Kind::Quantised, 7), {0.25F}};
    for (std::size_t i = 0; i < offset.signals.size(); ++i) offset.signals.data()[i] += 1e6F;
    expectAgreement(offset, {.m = 1, .delay = 4});
    // Nothing but zeros, as channels that cannot be used are, with any r.
    for (const double r : {0.0, 0.2})
        for (const bool isStrict : {false, true})
            expectAgreement(OwnedEpoch<double>{Matrix<double>(2, 40, 0.0), {r}},
                            {.m = 2, .isStrict = isStrict, .delay = 5});
    // All within r of each other.
    expectAgreement(OwnedEpoch<double>{makeSignals<double>(2, 60, Kind::Smooth, 2), {1e9}},
                    {.m = 3, .delay = 2});
}

TEST_F(DelayedMatcher, LongestDelay) {
    for (const unsigned m : {1U, 2U, 5U})
        for (const unsigned delay : {2U, 9U, 31U})
            for (std::size_t more = 0; more < 3; ++more)
                expectAgreement(OwnedEpoch<double>{makeSignals<double>(2, minimumSamples(m, delay) + more,
                                                                       Kind::Quantised, m + delay),
                                                   {0.5}},
                                {.m = m, .delay = delay});
}

TEST_F(DelayedMatcher, SaysWhatItCannotDo) {
    MatchRequest request{.rule = {.m = 2, .delay = 10}, .channels = 3, .samples = 22};
    EXPECT_TRUE(supports(request));
    request.samples = 21;
    EXPECT_THAT(supports(request).reason(), HasSubstr("it takes 2 · 10 + 2 = 22"));
    request.rule.delay = 0;
    EXPECT_THAT(supports(request).reason(), HasSubstr("at least 1 sample"));
    request = {.rule = {.m = 1, .delay = 2000}, .channels = 500, .samples = 4000};
    EXPECT_THAT(supports(request).reason(), HasSubstr("500 channels with a time delay of 2000"));
    const OwnedEpoch<float> huge{Matrix<float>(2, 40, std::numeric_limits<float>::max()), {1}};
    EXPECT_THROW(matchWith(entry(), cpu_, {huge.view()}, {.m = 1, .delay = 2}), UsageError);
}

}  // namespace
}  // namespace glycine::crossapen
