// Passes of the `gl` backend: tables of matches, and plans for memberships.
#include <algorithm>
#include <array>

#include "engine/gl/crossapen/fragment_matching.hpp"
#include "engine/gl/crossapen/match_tables.hpp"
#include "engine/gl/crossapen/membership_engine.hpp"
#include "engine/gl/crossapen/pair_sums.hpp"
#include "engine/gl/crossapen/partner_tables.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/crossapen/membership_fixtures.hpp"
#include "tests/gl/gl_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen::gl {
namespace {

// ---- Parts of the gl backend of `crossapen`: every style of its shaders, its tables, and plans for given
// limits. tests/backends/crossapen_backends_test.cpp checks the results.

constexpr Variant kVariants[] = {Variant::Scalar, Variant::Packed, Variant::Bitset, Variant::Dominance};

class GlMatchingStyles : public testing::TestWithParam<std::tuple<Dialect, Variant>> {
  protected:
    void SetUp() override {
        const OwnedBackend& shared = sharedBackend(std::get<0>(GetParam()));
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        backend_ = shared.backend.get();
        backend_->makeCurrent();
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), IsEmpty()); }
    Variant variant() const { return std::get<1>(GetParam()); }

    glycine::gl::GlBackend* backend_ = nullptr;
};

// Every device must find the same matches, whichever style its shaders use.
TEST_P(GlMatchingStyles, AllAgree) {
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
        FragmentMatching(*backend_, {epochs, rule, {&view, 1}}, variant(), *plan, style, silentProgress())
            .run();
        expectSame(found, expectedStatistics(epoch, rule));
    }
}

std::string nameOfCase(const testing::TestParamInfo<std::tuple<Dialect, Variant>>& info) {
    return std::string(toString(std::get<0>(info.param))) + '_' +
           std::string(toString(std::get<1>(info.param)));
}
INSTANTIATE_TEST_SUITE_P(All, GlMatchingStyles,
                         testing::Combine(testing::Values(Dialect::Gl33, Dialect::Es300),
                                          testing::ValuesIn(kVariants)),
                         nameOfCase);

TEST(GlMatching, SaysWhatItCannotDo) {
    const OwnedBackend& shared = sharedBackend(Dialect::Gl33);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    const auto engine = gl::matchEngine().create(*shared.backend);
    const auto reason = [&](const MatchRequest& request) { return engine->supports(request).reason(); };
    EXPECT_EQ(reason({}), "");
    EXPECT_EQ(reason({.rule = {.m = 2}, .samples = 8192}), "");
    if (shared.backend->loopLimit().rounds == 0) {
        EXPECT_EQ(reason({.variant = Variant::Packed, .samples = kMaximumSamples}), "");
        EXPECT_EQ(reason({.samples = kMaximumSamples}), "");
    } else {
        EXPECT_THAT(reason({.samples = kMaximumSamples}), HasSubstr("this driver ends loops after"));
    }
    EXPECT_THAT(reason({.variant = Variant::Dominance, .rule = {.m = 2}}), HasSubstr("m = 1, not 2"));
    EXPECT_THAT(reason({.variant = Variant::Bitset, .samples = 65536}), HasSubstr("65535 samples at most"));
    EXPECT_THAT(reason({.rule = {.m = 65}}), HasSubstr("64 samples at most, not 65"));
}

// Floats hold counts exactly up to 2²⁴: here those of one fragment, whose templates match all of the longest
// epoch that the driver's loops allow.
TEST(GlMatching, CountsTheLongestEpochOnOpenGl21) {
    const OwnedBackend& shared = sharedBackend(Dialect::Gl21);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    glycine::gl::GlBackend& backend = *shared.backend;
    backend.makeCurrent();
    for (const Variant variant : {Variant::Scalar, Variant::Packed}) {
        if (variant == Variant::Scalar && !backend.gl().features.redTargets) continue;
        SCOPED_TRACE(toString(variant));
        std::size_t samples = kMaximumSamples;
        while (!backend.loopLimit().allows(matchLayout(variant, samples, 1).loopRounds)) samples /= 2;
        const MatchLayout layout = matchLayout(variant, samples, 1);
        const glycine::gl::TableWidth width{12};
        using Table = glycine::gl::TableTexture<float>;
        Table signals(backend.textures(), layout.signal.format, width, layout.signal.texels);
        Table partners(backend.textures(), layout.signal.format, width, layout.signal.texels);
        for (Table* const table : {&signals, &partners}) {
            std::fill(table->texel(0), table->texel(layout.signal.texels), 0.0F);
            table->upload(layout.signal.texels);
        }
        Table pairs(backend.textures(), glycine::gl::TextureFormat::RGBA32F, width, 1);
        std::ranges::copy(std::array{0.0F, 0.0F, 0.5F, 0.0F}, pairs.texel(0));
        pairs.upload(1);
        PairSums sums(backend, 1, 1, layout.templatesPerFragment);
        sums.addOnHost(LogTable(samples), samples - 1);
        backend.pass(matchingShader(variant), matchingDefines(variant, 1, width.rowBits, {}, true))
            .output(sums.target())
            .uniform("sampleStride", static_cast<int>(layout.signal.texels))
            .uniform("samples", static_cast<int>(samples))
            .uniform("firstColumn", 0)
            .input("pairs", pairs.texture())
            .input("signals", signals.texture())
            .input("partners", partners.texture())
            .draw({{0, 0}, {1, 1}});
        sums.reduce(1, {0, 1});
        MatchStatistics found;
        sums.read(1, [&found](std::size_t, const MatchStatistics& one) { found = one; });
        const std::size_t templates = layout.templatesPerFragment;
        EXPECT_EQ(found.matchesShort, templates * samples);
        EXPECT_EQ(found.matchesWithin, templates * (samples - 1));
        EXPECT_EQ(found.matchesLong, templates * (samples - 1));
        EXPECT_EQ(found.noShort + found.noLong, 0U);
    }
}

TEST(GlMatching, ChoosesWhatFits) {
    constexpr std::size_t kChannels = 12;  // with fewer channels, tables do not pay off on a GPU
    const auto chosen = [&](std::size_t samples, std::size_t side, const MatchRule& rule) {
        const OwnedEpoch<float> epoch{makeSignals<float>(kChannels, samples, Kind::Smooth, 1), {0.2F}};
        BackendOptions options;
        options.maxTextureSize = side;
        const OwnedBackend limited(options);
        if (!limited.backend) return std::string(limited.reason);
        Matrix<MatchStatistics> statistics(kChannels, kChannels);
        const MatrixView<MatchStatistics> view = statistics.view();
        const std::vector<AnyEpoch> epochs{epoch.view()};
        const auto engine = gl::matchEngine().create(*limited.backend);
        return std::string(
            toString(engine->match(epochs, rule, Variant::Default, {&view, 1}, silentProgress()).variant));
    };
    const OwnedBackend& shared = sharedBackend(Dialect::Gl33);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    EXPECT_EQ(chosen(100, 1024, {.m = 1}), "dominance");
    EXPECT_EQ(chosen(100, 1024, {.m = 2}), "bitset");
    EXPECT_EQ(chosen(50, 1024, {.m = 1}), "packed");
    EXPECT_EQ(chosen(100, 16, {.m = 1}), "packed");
}

TEST(GlMatching, RefusesWhatFitsNowhere) {
    BackendOptions options;
    options.maxTextureSize = 16;
    const OwnedBackend limited(options);
    if (!limited.backend) GTEST_SKIP() << limited.reason;
    const auto engine = gl::matchEngine().create(*limited.backend);
    EXPECT_THAT(engine->supports({.samples = 300}).reason(),
                HasSubstr("no room for a pair of epochs of 300 samples in textures of 16 x 16 texels"));
}

/// Tables of partners as a device draws them.
class RankTables : public OnDialects {
  protected:
    /// Draws the tables of some channels with equal numbers of samples.
    void draw(Variant variant, std::span<const SortedSignal<float>> partners, const Matrix<float>& signals,
              unsigned m, float r) {
        const std::size_t samples = signals.columns();
        const MatchLayout layout = matchLayout(variant, samples, m);
        const auto plan = planMatching(layout, samples, m, backend_->gl().limits, std::size_t{1} << 28);
        ASSERT_TRUE(plan);
        MatchPlan small = *plan;
        small.partners = signals.rows() + 1;
        tables_.emplace(*backend_, variant, samples, m, small, style_);
        for (std::size_t slot = 0; slot < partners.size(); ++slot)
            tables_->sort(slot, {signals.row(slot), samples}, r);
        tables_->upload(partners.size());
        tables_->draw(partners.size());
    }
    /// The numbers of a table, in texel order.
    template <class T>
    static std::vector<T> read(const glycine::gl::Texture& table) {
        const glycine::gl::Framebuffer framebuffer(table);
        std::vector<T> numbers(table.shape().bytes() / sizeof(T));
        glycine::gl::readPixels(framebuffer, 0, table.shape().format, table.extent(), numbers.data());
        return numbers;
    }
    static std::vector<SortedSignal<float>> sorted(const Matrix<float>& signals) {
        std::vector<SortedSignal<float>> result;
        for (std::size_t c = 0; c < signals.rows(); ++c)
            result.emplace_back(std::span<const float>(signals.row(c), signals.columns()));
        return result;
    }
    /// Calls check() in every style that the device supports.
    template <class Check>
    void inAllStyles(const Check& check) {
        for (const bool bitCount : {false, true})
            for (const bool normalised : {false, true}) {
                style_ = {.bitCount = bitCount, .normalised = normalised};
                if (bitCount && !backend_->gl().features.bitCount) continue;
                SCOPED_TRACE(testing::Message() << bitCount << normalised);
                check();
            }
    }

    MatchingStyle style_;
    std::optional<PartnerTables> tables_;
};

INSTANTIATE_TEST_SUITE_P(Dialects, RankTables, testing::Values(Dialect::Gl33, Dialect::Es300),
                         [](const auto& test) { return std::string(toString(test.param)); });

// Three samples in time order: 2, 0, 1. Their ranks are 2, 0, 1; the points are (2, 0) and (0, 1).
TEST_P(RankTables, PrefixCountsByHand) {
    Matrix<float> signal(1, 3);
    std::ranges::copy(std::array{2.0F, 0.0F, 1.0F}, signal.row(0));
    inAllStyles([&] {
        draw(Variant::Dominance, sorted(signal), signal, 1, 0.2F);
        auto table = read<std::int32_t>(tables_->prefixes());
        table.resize(prefixCountTexels(3));
        EXPECT_THAT(table, ElementsAre(0, 0b100, 0b101, 0b101));
    });
}

TEST_P(RankTables, PrefixCountsCountPoints) {
    for (const std::size_t samples : {5, 16, 77, 128, 129, 260}) {
        const Matrix<float> signals = makeSignals<float>(3, samples, Kind::Quantised, 3);
        const auto partners = sorted(signals);
        inAllStyles([&] {
            draw(Variant::Dominance, partners, signals, 1, 0.2F);
            const auto table = read<std::int32_t>(tables_->prefixes());
            for (std::size_t slot = 0; slot < partners.size(); ++slot) {
                const auto& ranks = partners[slot].ranks;
                // points[p][q] counts the points with a first rank below p and a second rank below q.
                Matrix<unsigned> points(samples + 1, samples + 1, 0U);
                for (std::size_t j = 0; j + 1 < samples; ++j) ++points(ranks[j] + 1, ranks[j + 1] + 1);
                for (std::size_t p = 1; p <= samples; ++p)
                    for (std::size_t q = 1; q <= samples; ++q)
                        points(p, q) += points(p - 1, q) + points(p, q - 1) - points(p - 1, q - 1);
                for (std::size_t p = 0; p <= samples; ++p)
                    for (std::size_t q = 0; q <= samples; ++q) {
                        const auto texel =
                            static_cast<std::uint32_t>(table[slot * prefixCountTexels(samples) +
                                                             p / kRanksPerTexel * (samples + 1) + q]);
                        const std::uint32_t rest = texel & ((1U << p % kRanksPerTexel) - 1);
                        ASSERT_EQ((texel >> 16) + static_cast<unsigned>(std::popcount(rest)), points(p, q))
                            << samples << ' ' << slot << ' ' << p << ' ' << q;
                    }
            }
        });
    }
}

TEST_P(RankTables, PrefixSetsHoldPositions) {
    for (const std::size_t samples : {5, 128, 130, 300}) {
        const unsigned m = 3;
        const Matrix<float> signals = makeSignals<float>(2, samples, Kind::Smooth, samples);
        const auto partners = sorted(signals);
        inAllStyles([&] {
            draw(Variant::Bitset, partners, signals, m, 0.2F);
            const auto table = read<std::uint32_t>(tables_->prefixes());
            const std::size_t texels = setTexels(samples);
            for (std::size_t slot = 0; slot < partners.size(); ++slot)
                for (std::size_t k = 0; k <= samples; ++k)
                    for (std::size_t t = 0; t < texels + m; ++t)
                        for (std::size_t place = 0; place < 128; ++place) {
                            const std::size_t position = t + texels * place;
                            const std::uint32_t word =
                                table[4 * (slot * prefixSetTexels(samples, m) + k * (texels + m) + t) +
                                      place % 4];
                            ASSERT_EQ(word >> (place / 4) & 1U,
                                      position < samples && partners[slot].ranks[position] < k ? 1U : 0U)
                                << "set " << k << ", position " << position;
                        }
        });
    }
}

// A bin may count a sample only if the sample lies below x − r for every x in the bin, rounding included.
TEST_P(RankTables, BinsNeverCountTooMany) {
    const std::size_t samples = 200;
    const float r = 0.25F;
    for (const Kind kind : kAllKinds)
        for (const float offset : {0.0F, 1000.0F, -1e7F}) {
            Matrix<float> signals = makeSignals<float>(2, samples, kind, 5);
            for (std::size_t i = 0; i < samples; ++i)
                for (const std::size_t c : {0, 1}) signals(c, i) += offset;
            const auto partners = sorted(signals);
            draw(Variant::Dominance, partners, signals, 1, r);
            const auto all = read<float>(tables_->bins());
            const float* const table = all.data() + 4 * binTexels(samples);  // of the second partner
            const std::vector<float>& values = partners[1].values;
            EXPECT_EQ(table[0], values[0]);
            EXPECT_EQ(table[2], static_cast<float>(partners[1].ranks[samples - 1]));
            const auto bins = static_cast<float>(intervalBins(samples) - 1);
            std::size_t counted = 0, reachable = 0;
            for (int step = -4000; step <= 4000; ++step) {
                const float x = offset + 0.0037F * static_cast<float>(step);
                const float place = std::clamp((x - r - table[0]) * table[1], 0.0F, bins);
                const float* const texel = table + 4 * (static_cast<std::size_t>(place) + 1);
                const auto rank = static_cast<std::size_t>(texel[0]);
                std::size_t expected = 0;
                while (expected < samples && x - values[expected] > r) ++expected;
                ASSERT_LE(rank, expected) << kind << ' ' << x;
                counted += rank;
                reachable += expected;
                for (std::size_t k = 0; k < 3; ++k)
                    ASSERT_EQ(texel[1 + k], values[std::min(rank + k, samples - 1)]);
            }
            // The bins count most of the samples that lie below x − r.
            if (offset == 0) {
                EXPECT_GE(10 * counted, 9 * reachable) << kind;
            }
        }
}

// The range of the samples exceeds the largest float, or a device cannot distinguish it from 0.
TEST_P(RankTables, BinsOfExtremeSamples) {
    const std::size_t samples = 64;
    for (const float scale : {3e38F, 1e-37F, 1e-44F, 0.0F}) {
        Matrix<float> signals = makeSignals<float>(1, samples, Kind::Smooth, 5);
        float largest = 0;
        for (std::size_t i = 0; i < samples; ++i) largest = std::max(largest, std::abs(signals(0, i)));
        for (std::size_t i = 0; i < samples; ++i) signals(0, i) = signals(0, i) / largest * scale;
        const auto partners = sorted(signals);
        draw(Variant::Dominance, partners, signals, 1, 1.0F);
        const auto table = read<float>(tables_->bins());
        for (std::size_t bin = 0; bin < intervalBins(samples); ++bin) {
            const auto rank = static_cast<std::size_t>(table[4 * (bin + 1)]);
            const double edge = double{table[0]} + static_cast<double>(bin) / double{table[1]};
            std::size_t below = 0;
            while (below < samples && double{partners[0].values[below]} <= edge) ++below;
            ASSERT_LE(rank, below) << scale << ' ' << bin;
        }
    }
}

TEST(MatchPlan, PiecesFit) {
    for (const Variant variant : kVariants)
        for (const int side : {64, 100, 1024, 16384})
            for (const std::size_t samples : {10, 100, 1024, 8192})
                for (const std::size_t kibibytes : {100, 256, 1024, 3000, 1 << 20}) {
                    const std::size_t bytes = kibibytes << 10;
                    glycine::gl::GlLimits limits;
                    limits.maxTextureSize = side;
                    limits.maxTextureBytes = bytes;
                    const MatchLayout layout = matchLayout(variant, samples, 1);
                    const auto plan = planMatching(layout, samples, 1, limits, bytes);
                    if (!plan) continue;
                    EXPECT_LE(plan->width.texels(), static_cast<std::size_t>(side));
                    EXPECT_LE(plan->rows, static_cast<std::size_t>(side));
                    EXPECT_LE(plan->columns, static_cast<std::size_t>(side));
                    const auto bytesOf = [&](const TableShape& table, std::size_t count) {
                        const auto shape = plan->width.shape(table.format, count * table.texels);
                        EXPECT_LE(shape.size.y, side);
                        return shape.bytes();
                    };
                    using glycine::gl::TextureFormat;
                    std::size_t total =
                        bytesOf(layout.signal, plan->templates) +
                        bytesOf({TextureFormat::RGBA32UI, samples + 1}, 1) +
                        bytesOf({TextureFormat::RGBA32F, 1}, plan->rows) +
                        PairSums::bytes(plan->rows, plan->columns, layout.templatesPerFragment);
                    for (const TableShape& table : layout.partner) total += bytesOf(table, plan->partners);
                    EXPECT_LE(total, bytes);
                }
}

// Shaders of gl21 number texels in floats. Tables hold the channels whose texels have such numbers.
TEST(MatchPlan, TexelsHaveNumbersThatShadersHold) {
    constexpr std::size_t kSamples = 1000, kBytes = std::size_t{1} << 30, kChannels = 5;
    const auto plan = [&](const MatchLayout& layout, std::size_t largest) {
        glycine::gl::GlLimits limits;
        limits.maxTextureSize = 16384;
        limits.maxTextureBytes = kBytes;
        limits.largestInteger = largest;
        return planMatching(layout, kSamples, 1, limits, kBytes);
    };
    for (const Variant variant : {Variant::Scalar, Variant::Packed}) {
        SCOPED_TRACE(toString(variant));
        const MatchLayout layout = matchLayout(variant, kSamples, 1);
        std::size_t largest = 0;
        for (const TableShape& table : layout.partner) largest = std::max(largest, table.texels);
        EXPECT_GT(plan(layout, std::size_t{1} << 24)->partners, kChannels);
        EXPECT_EQ(plan(layout, kChannels * largest)->partners, kChannels);
        EXPECT_EQ(plan(layout, kChannels * largest - 1)->partners, kChannels - 1);
        EXPECT_EQ(plan(layout, kChannels * layout.signal.texels)->templates, kChannels);
        EXPECT_EQ(plan(layout, kChannels * layout.signal.texels - 1)->templates, kChannels - 1);
    }
}

// Little memory suffices as long as one pair of channels fits, because narrow tables waste little.
TEST(MatchPlan, LittleMemoryHoldsAPair) {
    glycine::gl::GlLimits limits;
    limits.maxTextureSize = 16384;
    limits.maxTextureBytes = std::size_t{256} << 10;
    for (const Variant variant : kVariants)
        EXPECT_TRUE(planMatching(matchLayout(variant, 101, 1), 101, 1, limits, std::size_t{256} << 10))
            << toString(variant);
}

// Where a driver ends loops early, the rounds of a fragment include all loops that no compiler unrolls.
TEST(MatchLayout, LoopRounds) {
    EXPECT_EQ(matchLayout(Variant::Scalar, 1000, 32).loopRounds, 2 * 34 + 1000 + 1U);
    EXPECT_EQ(matchLayout(Variant::Scalar, 1000, 33).loopRounds, 2 * 35 + 1000 * (1 + 34) + 1U);
    EXPECT_EQ(matchLayout(Variant::Packed, 1000, 28).loopRounds, 252U);
    EXPECT_EQ(matchLayout(Variant::Packed, 1000, 29).loopRounds, 34 + 252 + 1000 * 34U);
    EXPECT_EQ(matchLayout(Variant::Packed, 1000, 64).loopRounds, 69 + 66 + 252 + 1000 * (69 + 65U));
    EXPECT_LT(matchLayout(Variant::Dominance, 65535, 1).loopRounds, 1000U);
    EXPECT_GT(matchLayout(Variant::Bitset, 65535, 64).loopRounds, 512U * 8 * 64);
}

// ---- Blocks in which gl sums memberships, and plans for given limits.
// tests/backends/membership_backends_test.cpp checks the results.

class GlMemberships : public OnDialects {};

// One texture holds the sums of only a few channels, another holds the templates of only a few channels.
TEST_P(GlMemberships, SmallTextures) {
    const auto signals = normalisedSignals<float>(7, 45, Kind::Smooth, 5);
    const FuzzyRule rule;
    backend_->makeCurrent();
    for (const std::size_t channels : {1, 2, 3})
        for (const std::size_t rows : {std::size_t{1}, channels}) {
            Matrix<MembershipSums> sums(7, 7);
            MembershipRun(*backend_, rule, {11, 4, 3, channels, rows}, 45, silentProgress())
                .sum(Epoch<float>{signals.view(), {}}, sums.view());
            expectAgreement(sums, signals, rule);
        }
}

TEST_P(GlMemberships, SaysWhatItCannotDo) {
    const auto engine = gl::membershipEngine().create(*backend_);
    EXPECT_THAT(engine->supports({.rule = {2, 0.2, 0.01}}).reason(), HasSubstr("beyond float32"));
    EXPECT_THAT(engine->supports({.samples = kMaximumSamples}).reason(), HasSubstr("do not fit"));
    EXPECT_THAT(engine->supports({.rule = {300000, 0.2, 2}}).reason(), HasSubstr("do not fit"));
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlMemberships,
                         testing::Values(Dialect::Gl33, Dialect::Es300, Dialect::Gl21),
                         [](const auto& test) { return std::string(toString(test.param)); });

TEST(GlMembershipPlan, FitsIntoLimits) {
    glycine::gl::GlLimits limits;
    limits.maxTextureSize = 64;
    limits.maxTextureBytes = std::size_t{1} << 30;
    // 254 templates fill 64 texels; 21 channels of three lines fill 63 lines.
    const auto plan = planMemberships(100, 254, 2, limits, {}, std::size_t{1} << 30);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->texels, 64U);
    EXPECT_EQ(plan->blocks, 1U);
    EXPECT_EQ(plan->channels, 21U);
    EXPECT_EQ(plan->rows, 3U);
    EXPECT_FALSE(planMemberships(1, 258, 2, limits, {}, std::size_t{1} << 30).has_value());
    EXPECT_FALSE(planMemberships(1, 36, 64, limits, {}, std::size_t{1} << 30).has_value());
    // Not even one line of 1024 bytes per texture fits.
    EXPECT_FALSE(planMemberships(1, 254, 2, limits, {}, 3000).has_value());
    EXPECT_EQ(planMemberships(1, 254, 2, limits, {}, 3 * 3 * 1024)->channels, 1U);
    EXPECT_EQ(bytesForOneChannel(254, 2), 3U * 3 * 1024);
    EXPECT_FALSE(planMemberships(1, 254, 2, limits, {}, 3 * 3 * 1024 - 1).has_value());
    limits.maxTextureSize = 16384;
    EXPECT_EQ(planMemberships(1, 8190, 2, limits, {}, std::size_t{1} << 30)->blocks, 8U);
    // Four rounds per texel: 250 of 2048 texels at once, or none.
    EXPECT_EQ(planMemberships(1, 8190, 2, limits, {1000}, std::size_t{1} << 30)->blocks, 9U);
    EXPECT_FALSE(planMemberships(1, 8190, 2, limits, {3}, std::size_t{1} << 30).has_value());
}

}  // namespace
}  // namespace glycine::crossapen::gl
