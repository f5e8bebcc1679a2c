// The ceilings of OpenGL: what is timed is computed, in each dialect.
#include <gmock/gmock.h>

#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/gl_probes.hpp"
#include "tests/gl/gl_test_backend.hpp"

namespace glycine::gl {
namespace {

class GlProbes : public testing::TestWithParam<Dialect> {};

TEST_P(GlProbes, ComputeWhatTheyAreTimedFor) {
    test::OwnedBackend& shared = test::sharedBackend(GetParam());
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    GlBackend& backend = *shared.backend;
    backend.makeCurrent();
    DebugLog::take();
    int measured = 0;
    for (const DeviceProbe& probe : glProbes(backend)) {
        SCOPED_TRACE(probe.name);
        if (!probe.absent.empty()) continue;
        const DeviceProbe::Runner run = probe.start();
        for (const std::size_t portions : {std::size_t{1}, std::size_t{2}}) {
            const ProbeRun one = run(portions);  // throws what is wrong
            EXPECT_GT(one.amount, 0);
            EXPECT_GT(one.seconds, 0);
            if (!probe.isTime()) continue;
            EXPECT_GE(one.amount, 1024. * static_cast<double>(portions)) << "of batches";
            EXPECT_GT(one.least, 0);
            EXPECT_LE(one.least, one.seconds / one.amount * 1.001) << "the best of them";
        }
        ++measured;
    }
    EXPECT_GE(measured, GetParam() == Dialect::Gl21 ? 8 : 15);
    EXPECT_THAT(DebugLog::take(), testing::IsEmpty());
}

TEST(GlProbeChains, EndWhereEveryRoundLeadsThem) {
    // Eight chains from 100, after each round by one lower, the last one by two in the first round.
    EXPECT_LT(expectedChainSum<std::int32_t>(1 << 18), 8 * ((1 << 18) - kProbeRounds));
    EXPECT_EQ(expectedChainSum<float>(1 << 18), static_cast<float>(expectedChainSum<std::int32_t>(1 << 18)));
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlProbes, testing::ValuesIn(allDialects()),
                         [](const auto& param) { return std::string(toString(param.param)); });

}  // namespace
}  // namespace glycine::gl
