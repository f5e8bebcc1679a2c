// Blocks of gl's sums of memberships, and plans for given limits. What they come to:
// tests/backends/membership_backends_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/gl/crossapen/membership_summer.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "tests/crossapen/membership_fixtures.hpp"
#include "tests/gl/gl_test_backend.hpp"

namespace glycine::crossapen::gl {
namespace {

using namespace fixtures;
using test::OwnedBackend;
using test::sharedBackend;
using testing::HasSubstr;

class GlMemberships : public testing::TestWithParam<Dialect> {
  protected:
    void SetUp() override {
        const OwnedBackend& shared = sharedBackend(GetParam());
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        backend_ = shared.backend.get();
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty()); }

    glycine::gl::GlBackend* backend_ = nullptr;
};

// The sums of few channels fit into a texture, the templates of few into another.
TEST_P(GlMemberships, SmallTextures) {
    const auto signals = normalisedSignals<float>(7, 45, Kind::Smooth, 5);
    const FuzzyRule rule;
    backend_->makeCurrent();
    Progress progress;
    for (const std::size_t channels : {1, 2, 3})
        for (const std::size_t rows : {std::size_t{1}, channels}) {
            Matrix<MembershipSums> sums(7, 7);
            MembershipRun(*backend_, rule, {11, 4, 3, channels, rows}, 45, progress)
                .sum(Epoch<float>{signals.view(), {}}, sums.view());
            expectAgreement(sums, signals, rule);
        }
}

TEST_P(GlMemberships, SaysWhatItCannotDo) {
    const auto summer = gl::membershipSummer().create(*backend_);
    EXPECT_THAT(summer->supports({.rule = {2, 0.2, 0.01}}).reason(), HasSubstr("beyond float32"));
    EXPECT_THAT(summer->supports({.samples = kMaximumSamples}).reason(), HasSubstr("do not fit"));
    EXPECT_THAT(summer->supports({.rule = {300000, 0.2, 2}}).reason(), HasSubstr("do not fit"));
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlMemberships, testing::Values(Dialect::Gl33, Dialect::Es300),
                         [](const auto& test) { return std::string(toString(test.param)); });

TEST(GlMembershipPlan, FitsIntoLimits) {
    glycine::gl::GlLimits limits;
    limits.maxTextureSize = 64;
    limits.maxTextureBytes = std::size_t{1} << 30;
    // 254 templates are 64 texels; 21 channels of three lines are 63.
    const auto plan = planMemberships(100, 254, 2, limits, {}, std::size_t{1} << 30);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->texels, 64U);
    EXPECT_EQ(plan->blocks, 1U);
    EXPECT_EQ(plan->channels, 21U);
    EXPECT_EQ(plan->rows, 3U);
    EXPECT_FALSE(planMemberships(1, 258, 2, limits, {}, std::size_t{1} << 30).has_value());
    EXPECT_FALSE(planMemberships(1, 36, 64, limits, {}, std::size_t{1} << 30).has_value());
    // Not one line of 1024 bytes.
    EXPECT_FALSE(planMemberships(1, 254, 2, limits, {}, 3000).has_value());
    EXPECT_EQ(planMemberships(1, 254, 2, limits, {}, 3 * 3 * 1024)->channels, 1U);
    EXPECT_EQ(bytesForOneChannel(254, 2), 3U * 3 * 1024);
    EXPECT_FALSE(planMemberships(1, 254, 2, limits, {}, 3 * 3 * 1024 - 1).has_value());
    limits.maxTextureSize = 16384;
    EXPECT_EQ(planMemberships(1, 8190, 2, limits, {}, std::size_t{1} << 30)->blocks, 8U);
    // Four rounds a texel: 250 of 2048 texels at once, or none.
    EXPECT_EQ(planMemberships(1, 8190, 2, limits, {1000}, std::size_t{1} << 30)->blocks, 9U);
    EXPECT_FALSE(planMemberships(1, 8190, 2, limits, {3}, std::size_t{1} << 30).has_value());
}

}  // namespace
}  // namespace glycine::crossapen::gl
