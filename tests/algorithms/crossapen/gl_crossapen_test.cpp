// Every gl variant of `crossapen` in both dialects against the specification: the same matches, to the last
// one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "engine/algorithms/crossapen/gl/fragment_matching.hpp"
#include "engine/algorithms/crossapen/gl/match_plan.hpp"
#include "engine/algorithms/crossapen/gl/rank_tables.hpp"
#include "engine/core/error.hpp"
#include "engine/gl/debug_log.hpp"
#include "engine/gl/gl_backend.hpp"
#include "tests/algorithms/crossapen/crossapen_fixtures.hpp"
#include "tests/gl/gl_test_backend.hpp"

namespace glycine::crossapen::gl {
namespace {

using namespace fixtures;
using test::OwnedBackend;
using test::sharedBackend;
using testing::HasSubstr;

constexpr Variant kVariants[] = {Variant::Scalar, Variant::Packed, Variant::Bitset, Variant::Dominance};

bool takes(Variant variant, const MatchRule& rule) {
    return variant != Variant::Dominance || rule.m == 1;
}

/// Runs the variant over all epochs in one call; what it finds must be the specification's, epoch by epoch.
void expectRight(glycine::gl::GlBackend& backend, const std::vector<OwnedEpoch<float>>& owned,
                 const MatchRule& rule, Variant variant) {
    SCOPED_TRACE(testing::Message() << toString(variant) << ", " << owned.front().signals.rows()
                                    << " channels, N = " << owned.front().signals.columns()
                                    << ", m = " << rule.m << (rule.isStrict ? ", strict" : ""));
    std::vector<AnyEpoch> epochs;
    for (const OwnedEpoch<float>& epoch : owned) epochs.emplace_back(epoch.view());
    const auto found = matchWith(gl::matcher(), backend, epochs, rule, variant);
    for (std::size_t e = 0; e < owned.size(); ++e) {
        const Matrix<MatchStatistics> expected = expectedStatistics(owned[e], rule);
        for (std::size_t a = 0; a < expected.rows(); ++a)
            for (std::size_t b = 0; b < expected.columns(); ++b)
                ASSERT_EQ(found[e](a, b), expected(a, b)) << "epoch " << e << ", pair " << a << ", " << b;
    }
}

void expectRight(glycine::gl::GlBackend& backend, const OwnedEpoch<float>& owned, const MatchRule& rule,
                 Variant variant) {
    std::vector<OwnedEpoch<float>> epochs;
    epochs.push_back({owned.signals.clone(), owned.tolerance});
    expectRight(backend, epochs, rule, variant);
}

class GlCrossApEn : public testing::TestWithParam<std::tuple<Dialect, Variant>> {
  protected:
    void SetUp() override {
        const OwnedBackend& shared = sharedBackend(std::get<0>(GetParam()));
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        backend_ = shared.backend.get();
        backend_->makeCurrent();
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty()); }
    Variant variant() const { return std::get<1>(GetParam()); }
    void expectSame(const OwnedEpoch<float>& epoch, const MatchRule& rule) {
        if (takes(variant(), rule)) expectRight(*backend_, epoch, rule, variant());
    }

    glycine::gl::GlBackend* backend_ = nullptr;
};

TEST_P(GlCrossApEn, AgreesWithTheReference) {
    for (const unsigned m : {1U, 2U, 3U, 5U})
        for (const Kind kind : kAllKinds)
            for (const std::size_t samples : {m + 2UL, m + 3UL, 131UL})
                for (const bool isStrict : {false, true}) {
                    SCOPED_TRACE(testing::Message() << kind);
                    expectSame({makeSignals<float>(3, samples, kind, samples * m), {0.25F}}, {m, isStrict});
                    if (HasFatalFailure()) return;
                }
}

// More templates than one partial sum takes, and an odd number of them.
TEST_P(GlCrossApEn, AgreesForLongEpochs) {
    for (const unsigned m : {1U, 2U}) {
        expectSame({makeSignals<float>(2, 1024, Kind::Separate, m), {0.2F}}, {m, false});
        expectSame({makeSignals<float>(2, 1537, Kind::Quantised, m), {0.2F}}, {m, m == 2});
    }
}

TEST_P(GlCrossApEn, EveryPairHasItsOwnTolerance) {
    const std::size_t channels = 4;
    for (const unsigned m : {1U, 2U}) {
        OwnedEpoch<float> epoch{makeSignals<float>(channels, 100, Kind::Quantised, 9), {}};
        for (std::size_t a = 0; a < channels; ++a)
            for (std::size_t b = 0; b < channels; ++b)
                epoch.tolerance.push_back(0.25F * static_cast<float>(a + b));
        for (const bool isStrict : {false, true}) expectSame(epoch, {m, isStrict});
    }
}

// Samples that differ by r, by its neighbours among the floats, and by what rounding makes of these.
TEST_P(GlCrossApEn, RoundsOnce) {
    const float r = 0.2F;
    OwnedEpoch<float> epoch{Matrix<float>(2, 96), {r}};
    float offset = 0.1F;
    for (std::size_t i = 0; i < 96; ++i) {
        if (i % 6 == 0) offset += 1.0F / 3.0F;
        float step = r;
        for (std::size_t k = 0; k < i % 6; ++k) step = std::nextafter(step, k % 2 == 0 ? 0.0F : 1.0F);
        epoch.signals(0, i) = offset;
        epoch.signals(1, i) = offset + (i % 2 == 0 ? step : -step);
    }
    for (const bool isStrict : {false, true})
        for (const unsigned m : {1U, 2U}) expectSame(epoch, {m, isStrict});
}

// Where bins say least: all samples equal, one far away, a range that is all rounding, r beyond the range.
TEST_P(GlCrossApEn, UnevenSamples) {
    const std::size_t samples = 70;
    for (const float r : {0.0F, 1e-6F, 0.25F, 1e7F})
        for (const float far : {0.5F, 1e6F, -3e30F}) {
            OwnedEpoch<float> epoch{makeSignals<float>(3, samples, Kind::Smooth, 4), {r}};
            std::fill_n(epoch.signals.row(0), samples, 0.5F);
            epoch.signals(0, 17) = far;
            epoch.signals(1, 18) = far;
            for (std::size_t i = 0; i < samples; ++i)
                epoch.signals(2, i) = 4e6F + 0.25F * static_cast<float>(i % 9);
            for (const bool isStrict : {false, true})
                for (const unsigned m : {1U, 2U}) expectSame(epoch, {m, isStrict});
            if (HasFatalFailure()) return;
        }
}

TEST_P(GlCrossApEn, ZeroAndSignedZero) {
    OwnedEpoch<float> epoch{Matrix<float>(2, 40, 0.0F), {0.0F}};
    for (std::size_t i = 0; i < 40; ++i)
        epoch.signals(i % 2, i) = i % 3 == 0 ? -0.0F : static_cast<float>(i % 5);
    for (const bool isStrict : {false, true})
        for (const unsigned m : {1U, 2U}) expectSame(epoch, {m, isStrict});
}

TEST_P(GlCrossApEn, SeveralEpochs) {
    std::vector<OwnedEpoch<float>> owned;
    for (std::uint64_t e = 0; e < 5; ++e)
        owned.push_back({makeSignals<float>(3, 65, Kind::Smooth, e), {0.2F + 0.1F * static_cast<float>(e)}});
    expectRight(*backend_, owned, {.m = 1}, variant());
}

TEST_P(GlCrossApEn, NoEpochsNoChannels) {
    EXPECT_TRUE(matchWith(gl::matcher(), *backend_, {}, {.m = 1}, variant()).empty());
    const OwnedEpoch<float> nobody{Matrix<float>(0, 70), {0.2F}};
    EXPECT_TRUE(matchWith(gl::matcher(), *backend_, {nobody.view()}, {.m = 1}, variant()).front().empty());
    expectSame({makeSignals<float>(1, 70, Kind::Smooth, 1), {0.2F}}, {.m = 1});
}

// Signals may lie in a larger matrix.
TEST_P(GlCrossApEn, RowsNeedNotBeContiguous) {
    const Matrix<float> recording = makeSignals<float>(2, 400, Kind::Smooth, 2);
    const float r = 0.2F;
    const Epoch<float> epoch{recording.view().block(0, 100, 2, 130), {&r, 1}};
    const OwnedEpoch<float> copy{Matrix<float>(epoch.signals), {r}};
    const auto found = matchWith(gl::matcher(), *backend_, {epoch}, {.m = 1}, variant());
    const auto expected = expectedStatistics(copy, {.m = 1});
    for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t b = 0; b < 2; ++b) EXPECT_EQ(found.front()(a, b), expected(a, b));
}

TEST_P(GlCrossApEn, ProgressCoversTheWorkAndStops) {
    const std::size_t samples = 80;
    const OwnedEpoch<float> epoch{makeSignals<float>(3, samples, Kind::Smooth, 3), {0.2F}};
    const std::vector<AnyEpoch> epochs{epoch.view(), epoch.view()};
    std::vector<Matrix<MatchStatistics>> statistics;
    statistics.emplace_back(3, 3);
    statistics.emplace_back(3, 3);
    const MatrixView<MatchStatistics> views[] = {statistics[0].view(), statistics[1].view()};
    double last = 0;
    Progress progress([&](const ProgressUpdate& update) { last = update.fraction; });
    progress.begin("matches", 2 * 9 * static_cast<double>(samples * samples));
    const auto matcher = gl::matcher().create(*backend_);
    const MatchOutcome outcome = matcher->match(epochs, {.m = 1}, variant(), views, progress);
    EXPECT_NEAR(last, 1, 1e-9);
    EXPECT_EQ(outcome.variant, variant());
    EXPECT_GT(outcome.times.compute, 0);

    Progress cancelled({}, [] { return true; });
    EXPECT_THROW(matcher->match(epochs, {.m = 1}, variant(), views, cancelled), CancelledError);
}

// Any device must find the same, whatever its shaders are made for.
TEST_P(GlCrossApEn, AllStylesAgree) {
    const bool hasBitCount = backend_->gl().features.bitCount;
    const OwnedEpoch<float> epoch{makeSignals<float>(2, 300, Kind::Quantised, 3), {0.25F}};
    const std::vector<Epoch<float>> epochs{epoch.view()};
    for (const MatchingStyle& style :
         {MatchingStyle{}, MatchingStyle{.carrySave = true}, MatchingStyle{.normalised = true},
          MatchingStyle{.bitCount = hasBitCount}, MatchingStyle{hasBitCount, true, true}}) {
        SCOPED_TRACE(testing::Message() << style.bitCount << style.carrySave << style.normalised);
        const MatchRule rule{variant() == Variant::Dominance ? 1U : 2U, false};
        const auto plan = planMatching(matchLayout(variant(), 300, rule.m), 300, rule.m,
                                       backend_->gl().limits, std::size_t{1} << 28);
        ASSERT_TRUE(plan);
        Matrix<MatchStatistics> found(2, 2);
        const MatrixView<MatchStatistics> view = found.view();
        Progress progress;
        FragmentMatching(*backend_, {epochs, rule, {&view, 1}}, variant(), *plan, style, progress).run();
        const Matrix<MatchStatistics> expected = expectedStatistics(epoch, rule);
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t b = 0; b < 2; ++b) EXPECT_EQ(found(a, b), expected(a, b));
    }
}

std::string nameOfCase(const testing::TestParamInfo<std::tuple<Dialect, Variant>>& info) {
    return std::string(toString(std::get<0>(info.param))) + '_' +
           std::string(toString(std::get<1>(info.param)));
}
INSTANTIATE_TEST_SUITE_P(All, GlCrossApEn,
                         testing::Combine(testing::Values(Dialect::Gl33, Dialect::Es300),
                                          testing::ValuesIn(kVariants)),
                         nameOfCase);

/// Tiles: textures of few texels, little memory, draws of next to no time.
class GlCrossApEnLimits : public testing::TestWithParam<Variant> {};

TEST_P(GlCrossApEnLimits, SmallTexturesAndLittleMemory) {
    std::vector<OwnedEpoch<float>> owned;
    for (std::uint64_t e = 0; e < 3; ++e)
        owned.push_back({makeSignals<float>(5, 101, Kind::Smooth, e), {0.3F}});
    for (const std::size_t side : {43, 64})
        for (const std::size_t bytes : {0, 1 << 20}) {
            SCOPED_TRACE(testing::Message() << side << " texels, " << bytes << " bytes");
            BackendOptions options;
            options.maxTextureSize = side;
            options.maxDeviceBytes = bytes;
            options.passBudgetMilliseconds = 0.01;
            const OwnedBackend limited(options);
            if (!limited.backend) GTEST_SKIP() << limited.reason;
            for (const unsigned m : {1U, 3U}) {
                const MatchRule rule{m, false};
                if (!takes(GetParam(), rule)) continue;
                const auto matcher = gl::matcher().create(*limited.backend);
                const MatchRequest request{
                    .variant = GetParam(), .rule = rule, .channels = 5, .samples = 101};
                ASSERT_TRUE(matcher->supports(request)) << matcher->supports(request).reason();
                expectRight(*limited.backend, owned, rule, GetParam());
            }
        }
}
INSTANTIATE_TEST_SUITE_P(All, GlCrossApEnLimits, testing::ValuesIn(kVariants),
                         [](const auto& one) { return std::string(toString(one.param)); });

TEST(GlCrossApEnSupport, SaysWhatItCannotDo) {
    const OwnedBackend& shared = sharedBackend(Dialect::Gl33);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    const auto matcher = gl::matcher().create(*shared.backend);
    const auto reason = [&](const MatchRequest& request) { return matcher->supports(request).reason(); };
    EXPECT_EQ(reason({}), "");
    EXPECT_EQ(reason({.rule = {.m = 2}, .samples = 8192}), "");
    EXPECT_EQ(reason({.variant = Variant::Packed, .samples = kMaximumSamples}), "");
    EXPECT_EQ(reason({.samples = kMaximumSamples}), "");
    EXPECT_THAT(reason({.format = NumberFormat::Float64}), HasSubstr("float32"));
    EXPECT_THAT(reason({.variant = Variant::Halo}), HasSubstr("'halo'; it has: scalar, packed, bitset"));
    EXPECT_THAT(reason({.variant = Variant::Dominance, .rule = {.m = 2}}), HasSubstr("m = 1, not 2"));
    EXPECT_THAT(reason({.variant = Variant::Bitset, .samples = 65536}), HasSubstr("65535 samples at most"));
    EXPECT_THAT(reason({.rule = {.m = 65}}), HasSubstr("64 samples at most, not 65"));
    EXPECT_THAT(reason({.rule = {.m = 3}, .samples = 4}), HasSubstr("too short"));
}

TEST(GlCrossApEnSupport, ChoosesWhatFits) {
    constexpr std::size_t kChannels = 12;  // fewer make no tables worth while on a graphics processor
    const auto chosen = [&](std::size_t samples, std::size_t side, const MatchRule& rule) {
        const OwnedEpoch<float> epoch{makeSignals<float>(kChannels, samples, Kind::Smooth, 1), {0.2F}};
        BackendOptions options;
        options.maxTextureSize = side;
        const OwnedBackend limited(options);
        if (!limited.backend) return std::string(limited.reason);
        Matrix<MatchStatistics> statistics(kChannels, kChannels);
        const MatrixView<MatchStatistics> view = statistics.view();
        const std::vector<AnyEpoch> epochs{epoch.view()};
        Progress progress;
        const auto matcher = gl::matcher().create(*limited.backend);
        return std::string(
            toString(matcher->match(epochs, rule, Variant::Default, {&view, 1}, progress).variant));
    };
    const OwnedBackend& shared = sharedBackend(Dialect::Gl33);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    EXPECT_EQ(chosen(100, 1024, {.m = 1}), "dominance");
    EXPECT_EQ(chosen(100, 1024, {.m = 2}), "bitset");
    EXPECT_EQ(chosen(50, 1024, {.m = 1}), "packed");
    EXPECT_EQ(chosen(100, 16, {.m = 1}), "packed");
}

TEST(GlCrossApEnSupport, RefusesWhatFitsNowhere) {
    BackendOptions options;
    options.maxTextureSize = 16;
    const OwnedBackend limited(options);
    if (!limited.backend) GTEST_SKIP() << limited.reason;
    const auto matcher = gl::matcher().create(*limited.backend);
    EXPECT_THAT(matcher->supports({.samples = 300}).reason(),
                HasSubstr("no room for a pair of epochs of 300 samples in textures of 16 x 16 texels"));
}

TEST(GlCrossApEnSupport, OldDialectIsRefused) {
    const OwnedBackend& shared = sharedBackend(Dialect::Gl21);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    EXPECT_THAT(gl::matcher().create(*shared.backend)->supports({}).reason(), HasSubstr("OpenGL 2.1"));
}

// Three samples 2, 0, 1 in time: ranks 2, 0, 1; the points (2, 0) and (0, 1).
TEST(RankTables, PrefixCountsByHand) {
    const std::vector<float> values{2, 0, 1};
    const SortedSignal<float> sorted{std::span<const float>(values)};
    std::vector<std::int32_t> table(prefixCountTexels(3));
    fillPrefixCounts(sorted, table);
    EXPECT_THAT(table, testing::ElementsAre(0, 0b100, 0b101, 0b101));
}

TEST(RankTables, PrefixCountsCountPoints) {
    const std::size_t samples = 77;
    const Matrix<float> signal = makeSignals<float>(1, samples, Kind::Quantised, 3);
    const SortedSignal<float> sorted{std::span<const float>(signal.row(0), samples)};
    std::vector<std::int32_t> table(prefixCountTexels(samples));
    fillPrefixCounts(sorted, table);
    for (std::size_t p = 0; p <= samples; ++p)
        for (std::size_t q = 0; q <= samples; ++q) {
            unsigned expected = 0;
            for (std::size_t j = 0; j + 1 < samples; ++j)
                expected += sorted.ranks[j] < p && sorted.ranks[j + 1] < q ? 1 : 0;
            const auto texel = static_cast<std::uint32_t>(table[p / kRanksPerTexel * (samples + 1) + q]);
            const std::uint32_t rest = texel & ((1U << p % kRanksPerTexel) - 1);
            ASSERT_EQ((texel >> 16) + static_cast<unsigned>(std::popcount(rest)), expected) << p << ' ' << q;
        }
}

TEST(RankTables, PrefixSetsHoldPositions) {
    for (const std::size_t samples : {5, 128, 130, 300}) {
        const std::size_t m = 3;
        const Matrix<float> signal = makeSignals<float>(1, samples, Kind::Smooth, samples);
        const SortedSignal<float> sorted{std::span<const float>(signal.row(0), samples)};
        std::vector<std::uint32_t> table(4 * prefixSetTexels(samples, m));
        fillPrefixSets(sorted, m, table);
        const std::size_t texels = setTexels(samples);
        for (std::size_t k = 0; k <= samples; ++k)
            for (std::size_t t = 0; t < texels + m; ++t)
                for (std::size_t place = 0; place < 128; ++place) {
                    const std::size_t position = t + texels * place;
                    const std::uint32_t word = table[4 * (k * (texels + m) + t) + place % 4];
                    ASSERT_EQ(word >> (place / 4) & 1U,
                              position < samples && sorted.ranks[position] < k ? 1U : 0U)
                        << "set " << k << ", position " << position;
                }
    }
}

// No bin may count a sample that is not within reach of all that falls into it, rounding included.
TEST(RankTables, BinsNeverCountTooMany) {
    for (const Kind kind : kAllKinds)
        for (const float offset : {0.0F, 1000.0F, -1e7F}) {
            const std::size_t samples = 200;
            Matrix<float> signal = makeSignals<float>(1, samples, kind, 5);
            for (std::size_t i = 0; i < samples; ++i) signal(0, i) += offset;
            const SortedSignal<float> sorted{std::span<const float>(signal.row(0), samples)};
            const float r = 0.25F;
            std::vector<float> table(4 * binTexels(samples));
            fillBins(sorted, r, table);
            const auto bins = static_cast<float>(intervalBins(samples) - 1);
            for (int step = -4000; step <= 4000; ++step) {
                const float x = offset + 0.0037F * static_cast<float>(step);
                const float place = std::clamp((x - r - table[0]) * table[1], 0.0F, bins);
                const float* const texel = table.data() + 4 * (static_cast<std::size_t>(place) + 1);
                std::size_t expected = 0;
                while (expected < samples && x - sorted.values[expected] > r) ++expected;
                ASSERT_LE(texel[0], static_cast<float>(expected)) << kind << ' ' << x;
            }
        }
}

TEST(MatchPlan, PiecesFit) {
    for (const Variant variant : kVariants)
        for (const int side : {64, 100, 1024, 16384})
            for (const std::size_t samples : {10, 100, 1024, 8192})
                for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{1} << 30}) {
                    glycine::gl::GlLimits limits;
                    limits.maxTextureSize = side;
                    limits.maxTextureBytes = bytes;
                    const MatchLayout layout = matchLayout(variant, samples, 1);
                    const auto plan = planMatching(layout, samples, 1, limits, bytes);
                    if (!plan) continue;
                    EXPECT_LE(plan->width.texels(), static_cast<std::size_t>(side));
                    EXPECT_LE(plan->rows, static_cast<std::size_t>(side));
                    EXPECT_LE(plan->columns, static_cast<std::size_t>(side));
                    std::size_t total = plan->templates * layout.signal.bytes();
                    for (const TableShape& table : layout.partner) {
                        const auto shape = plan->width.shape(table.format, plan->partners * table.texels);
                        EXPECT_LE(shape.height, side);
                        total += shape.bytes();
                    }
                    EXPECT_LE(total, bytes);
                }
}

}  // namespace
}  // namespace glycine::crossapen::gl
