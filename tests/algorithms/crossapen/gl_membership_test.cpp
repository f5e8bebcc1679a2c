// The gl backend's sums of memberships against the specification, in both dialects that have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/algorithms/crossapen/gl/membership_run.hpp"
#include "engine/core/error.hpp"
#include "engine/gl/debug_log.hpp"
#include "engine/gl/gl_backend.hpp"
#include "tests/algorithms/crossapen/membership_fixtures.hpp"
#include "tests/gl/gl_test_backend.hpp"

namespace glycine::crossapen::gl {
namespace {

using namespace fixtures;
using test::OwnedBackend;
using test::sharedBackend;
using testing::HasSubstr;

class GlFuzzy : public testing::TestWithParam<Dialect> {
  protected:
    void SetUp() override {
        const OwnedBackend& shared = sharedBackend(GetParam());
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        backend_ = shared.backend.get();
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty()); }

    void expectAgrees(const Matrix<float>& signals, const FuzzyRule& rule) {
        expectAgreement(sumWith(gl::membershipSummer(), *backend_, signals, rule), signals, rule);
    }

    glycine::gl::GlBackend* backend_ = nullptr;
};

// Each kind of program, as drivers take long to compile one; every number of templates in the last texel.
TEST_P(GlFuzzy, AgreesWithTheReference) {
    for (const FuzzyRule& rule : {FuzzyRule{1, 0.2, 2},
                                  {2, 0.2, 2},
                                  {2, 0.01, 2},
                                  {4, 0.2, 2},
                                  {7, 0.5, 2},
                                  {2, 0.2, 1},
                                  {2, 0.2, 1.5},
                                  {2, 0.2, 0.5}})
        for (const std::size_t samples : {std::size_t{rule.m} + 2, std::size_t{rule.m} + 3, std::size_t{17},
                                          std::size_t{18}, std::size_t{91}})
            expectAgrees(normalisedSignals<float>(3, samples, Kind::Quantised, samples), rule);
}

// Longer than a group of texels, and than a block of them.
TEST_P(GlFuzzy, SeveralBlocks) {
    expectAgrees(normalisedSignals<float>(3, 1403, Kind::Smooth, 5), {2, 0.2, 2});
    expectAgrees(normalisedSignals<float>(2, 1026, Kind::Smooth, 6), {1, 0.2, 2});
}

TEST_P(GlFuzzy, LongTemplates) {
    expectAgrees(normalisedSignals<float>(2, 77, Kind::Smooth, 5), {75, 2, 2});
    expectAgrees(normalisedSignals<float>(2, 77, Kind::Smooth, 5), {40, 2, 2});
}

// The sums of few channels fit into a texture, the templates of few into another.
TEST_P(GlFuzzy, SmallTextures) {
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

TEST_P(GlFuzzy, VanishingMemberships) {
    Matrix<float> ramps(2, 50);
    for (std::size_t i = 0; i < 50; ++i) {
        ramps(0, i) = static_cast<float>(i);
        ramps(1, i) = -static_cast<float>(i) * 1e9F;
    }
    for (const double power : {2.0, 1.0, 7.5}) {
        const auto sums = sumWith(gl::membershipSummer(), *backend_, ramps, {2, 1e-3, power});
        EXPECT_EQ(sums(0, 1), (MembershipSums{0, 0})) << power;
    }
}

TEST_P(GlFuzzy, EpochsAndProgress) {
    std::vector<Matrix<float>> epochs;
    for (std::uint64_t seed = 0; seed < 3; ++seed)
        epochs.push_back(normalisedSignals<float>(3, 90, Kind::Smooth, seed));
    double fraction = 0;
    Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
    progress.begin("memberships", 3.0 * 9 * 90 * 90);
    const auto sums = sumWith(gl::membershipSummer(), *backend_, epochs, {}, progress);
    for (std::size_t e = 0; e < epochs.size(); ++e) expectAgreement(sums[e], epochs[e], {});
    progress.advance(0);
    EXPECT_NEAR(fraction, 1, 1e-9);

    Progress stopped({}, [] { return true; });
    EXPECT_THROW(sumWith(gl::membershipSummer(), *backend_, epochs, {}, stopped), CancelledError);
}

TEST_P(GlFuzzy, SaysWhatItCannotDo) {
    const auto summer = gl::membershipSummer().create(*backend_);
    EXPECT_TRUE(summer->supports({.channels = 64, .samples = 8192}));
    EXPECT_THAT(summer->supports({.format = NumberFormat::Float64}).reason(), HasSubstr("float32"));
    EXPECT_THAT(summer->supports({.rule = {2, 0.2, 0.01}}).reason(), HasSubstr("beyond float32"));
    EXPECT_THAT(summer->supports({.samples = kMaximumSamples}).reason(), HasSubstr("do not fit"));
    EXPECT_THAT(summer->supports({.rule = {300000, 0.2, 2}}).reason(), HasSubstr("do not fit"));
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlFuzzy, testing::Values(Dialect::Gl33, Dialect::Es300),
                         [](const auto& test) { return std::string(toString(test.param)); });

TEST(GlFuzzyOld, IsNotForOldDialects) {
    const OwnedBackend& shared = sharedBackend(Dialect::Gl21);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    EXPECT_THAT(gl::membershipSummer().create(*shared.backend)->supports({}).reason(), HasSubstr("2.1"));
}

TEST(GlFuzzyPlan, FitsIntoLimits) {
    glycine::gl::GlLimits limits;
    limits.maxTextureSize = 64;
    limits.maxTextureBytes = std::size_t{1} << 30;
    // 254 templates are 64 texels; 21 channels of three lines are 63.
    const auto plan = planMemberships(100, 256, 2, limits, std::size_t{1} << 30);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->texels, 64U);
    EXPECT_EQ(plan->blocks, 1U);
    EXPECT_EQ(plan->channels, 21U);
    EXPECT_EQ(plan->rows, 3U);
    EXPECT_FALSE(planMemberships(1, 260, 2, limits, std::size_t{1} << 30).has_value());
    EXPECT_FALSE(planMemberships(1, 100, 64, limits, std::size_t{1} << 30).has_value());
    // Not one line of 1024 bytes.
    EXPECT_FALSE(planMemberships(1, 256, 2, limits, 3000).has_value());
    EXPECT_EQ(planMemberships(1, 256, 2, limits, 3 * 3 * 1024)->channels, 1U);
    limits.maxTextureSize = 16384;
    EXPECT_EQ(planMemberships(1, 8192, 2, limits, std::size_t{1} << 30)->blocks, 8U);
}

}  // namespace
}  // namespace glycine::crossapen::gl
