// Every backend and number format of `crossapen` must give the reference's sums for Cross-Fuzzy entropy,
// except for rounding.
#include "tests/backends/every_backend.hpp"
#include "tests/crossapen/membership_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

class MembershipBackends
    : public glycine::test::WithImplementation<glycine::test::EveryBackend, MembershipEngine> {
  protected:
    template <class T>
    bool has() const {
        return !variantsFor(entry_->variants, std::string(toString(kFormatOf<T>))).empty();
    }
    /// Calls `ask` with a number of each format that the backend supports.
    template <class Ask>
    void onAllFormats(const Ask& ask) {
        test::onTypes<float, double>([&]<class T>(T) { return has<T>(); }, ask);
    }
    template <class T>
    void expectAgrees(const Matrix<T>& signals, const FuzzyRule& rule) {
        const MembershipRequest request{
            .format = kFormatOf<T>, .rule = rule, .channels = signals.rows(), .samples = signals.columns()};
        ASSERT_TRUE(engine_->supports(request)) << engine_->supports(request).reason();
        expectAgreement(sumWith(*entry_, backend(), signals, rule), signals, rule);
    }
};

TEST_P(MembershipBackends, AgreeWithTheReference) {
    const FuzzyRule others[] = {{4, 0.2, 2}, {7, 0.5, 2}, {2, 0.2, 1}};
    onAllFormats([&]<class T>(T) {
        std::vector<FuzzyRule> rules(std::begin(kRules), std::end(kRules));
        rules.insert(rules.end(), std::begin(others), std::end(others));
        for (const FuzzyRule& rule : rules) {
            const std::size_t m = rule.m;
            for (const Kind kind : {Kind::Smooth, Kind::Quantised, Kind::Constant})
                for (const std::size_t samples :
                     {m + 2, m + 3, std::size_t{17}, std::size_t{18}, std::size_t{19}, std::size_t{36},
                      std::size_t{91}, std::size_t{101}, 128 + m}) {
                    // Drivers are slow to compile programs, and calls take longer than their work.
                    if (GetParam().backend == "gl" && kind != Kind::Quantised && samples != 101) continue;
                    SCOPED_TRACE(testing::Message() << kind);
                    expectAgrees(normalisedSignals<T>(3, samples, kind, samples), rule);
                    if (HasFatalFailure()) return;
                }
        }
    });
}

// Lengths at which backends start another block of templates, band of rows or group of texels.
TEST_P(MembershipBackends, AgreeForLongEpochs) {
    if (GetParam().backend == "reference") GTEST_SKIP() << "it knows no blocks, bands or groups of texels";
    onAllFormats([this]<class T>(T) {
        for (const std::size_t samples : {258, 259, 515, 1031})
            expectAgrees(normalisedSignals<T>(2, samples, Kind::Smooth, samples), {2, 0.2, 2});
        expectAgrees(normalisedSignals<T>(3, 1403, Kind::Smooth, 5), {2, 0.2, 2});
        expectAgrees(normalisedSignals<T>(2, 1026, Kind::Smooth, 6), {1, 0.2, 2});
        expectAgrees(normalisedSignals<T>(1, 2503, Kind::Smooth, 6), {1, 0.2, 2});
    });
}

TEST_P(MembershipBackends, AgreeForLongTemplates) {
    onAllFormats([this]<class T>(T) {
        for (const unsigned m : {40U, 75U})
            expectAgrees(normalisedSignals<T>(2, 77, Kind::Smooth, 5), {m, 2, 2});
        expectAgrees(normalisedSignals<T>(2, 1203, Kind::Smooth, 7), {1100, 2000, 2});
    });
}

TEST_P(MembershipBackends, AgreeWithATimeDelay) {
    onAllFormats([this]<class T>(T) {
        for (const unsigned m : {1U, 2U, 3U, 5U})
            for (const unsigned delay : {2U, 3U, 7U, 30U})
                for (const std::size_t more : {0, 1, 45}) {
                    if (GetParam().backend == "gl" && m > 3 && more != 45) continue;
                    const std::size_t samples = minimumSamples(m, delay) + more;
                    expectAgrees(normalisedSignals<T>(2, samples, Kind::Smooth, samples), {m, 0.2, 2, delay});
                    if (HasFatalFailure()) return;
                }
        expectAgrees(normalisedSignals<T>(3, 97, Kind::Quantised, 3), {2, 0.2, 1.5, 4});
        // A second block of templates.
        expectAgrees(normalisedSignals<T>(2, 603, Kind::Smooth, 8), {2, 0.2, 2, 11});
    });
}

// The pairs are numbered in a triangle.
TEST_P(MembershipBackends, ManyChannels) {
    onAllFormats([this]<class T>(T) {
        expectAgrees(normalisedSignals<T>(67, 24, Kind::Smooth, 1), {1, 0.2, 2});
    });
}

// Distances whose memberships underflow: sums are zero, not garbage, and the entropy is infinite.
TEST_P(MembershipBackends, VanishingMemberships) {
    onAllFormats([this]<class T>(T) {
        Matrix<T> ramps(2, 50);
        for (std::size_t i = 0; i < 50; ++i) {
            ramps(0, i) = static_cast<T>(i);
            ramps(1, i) = -static_cast<T>(i) * 1e9F;
        }
        for (const double power : {2.0, 1.0, 7.5}) {
            const MembershipSums short1 = sumWith(*entry_, backend(), ramps, {1, 1e-3, power})(0, 1);
            EXPECT_EQ(short1.longSum, 0) << power;
            EXPECT_EQ(crossFuzzyEntropy(short1, 50, 1, false), std::numeric_limits<double>::infinity());
            EXPECT_EQ(sumWith(*entry_, backend(), ramps, {2, 1e-3, power})(0, 1), (MembershipSums{0, 0}))
                << power;
        }
    });
}

TEST_P(MembershipBackends, EpochsAndProgress) {
    onAllFormats([this]<class T>(T) {
        std::vector<Matrix<T>> epochs;
        for (std::uint64_t seed = 0; seed < 5; ++seed)
            epochs.push_back(normalisedSignals<T>(3, 90, Kind::Smooth, seed));
        double fraction = 0;
        Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
        // Rounding may lose up to a millionth of the progress.
        progress.begin("memberships", 5.0 * 9 * 90 * 90 * (1 - 1e-6));
        const auto sums = sumWith(*entry_, backend(), epochs, {}, progress);
        for (std::size_t e = 0; e < epochs.size(); ++e) expectAgreement(sums[e], epochs[e], {});
        EXPECT_EQ(fraction, 1);
        EXPECT_TRUE(sumWith(*entry_, backend(), std::vector<Matrix<T>>{}, {}, progress).empty());
    });
}

TEST_P(MembershipBackends, StopWhenCancelledAndGoOn) {
    onAllFormats([this]<class T>(T) {
        std::vector<Matrix<T>> epochs;
        epochs.push_back(normalisedSignals<T>(4, 300, Kind::Smooth, 1));
        test::expectStops({0},
                          [&](Progress& progress) { sumWith(*entry_, backend(), epochs, {}, progress); });
        expectAgrees(epochs.front(), {});
    });
}

TEST_P(MembershipBackends, SameFromRunToRun) {
    onAllFormats([this]<class T>(T) {
        // The reference knows no blocks of templates.
        const std::size_t samples = GetParam().backend == "reference" ? 150 : 700;
        const auto signals = normalisedSignals<T>(5, samples, Kind::Smooth, 2);
        const auto first = sumWith(*entry_, backend(), signals, {});
        const auto second = sumWith(*entry_, backend(), signals, {});
        for (std::size_t a = 0; a < 5; ++a)
            for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(first(a, b), second(a, b));
    });
}

TEST_P(MembershipBackends, RefuseWithAReason) {
    const auto reason = [&](const MembershipRequest& request) { return engine_->supports(request).reason(); };
    ASSERT_TRUE(has<float>()) << "also OpenGL 2.1 has it";
    EXPECT_EQ(reason({.channels = 64, .samples = 8192}), "");
    if (has<double>()) {
        EXPECT_EQ(reason({.format = NumberFormat::Float64, .channels = 64, .samples = 8192}), "");
    }
    EXPECT_THAT(reason({.variant = Variant::Packed}), HasSubstr("variant 'packed' finds matches"));
    EXPECT_THAT(reason({.rule = {2, 0, 2}}), HasSubstr("r > 0"));
    EXPECT_THAT(reason({.rule = {2, 0.2, -1}}), HasSubstr("power n > 0"));
    EXPECT_THAT(reason({.rule = {3, 0.2, 2}, .samples = 4}), HasSubstr("too short"));
    EXPECT_THAT(reason({.rule = {3, 0.2, 2, 5}, .samples = 16}), HasSubstr("3 · 5 + 2 = 17"));
    EXPECT_THAT(reason({.rule = {3, 0.2, 2, 0}, .samples = 16}), HasSubstr("at least 1 sample"));
    if (!has<double>()) {
        EXPECT_THAT(reason({.format = NumberFormat::Float64}), HasSubstr("float32"));
    }
}

INSTANTIATE_TEST_SUITE_P(All, MembershipBackends, testing::ValuesIn(test::allSettings()), test::nameOf);

}  // namespace
}  // namespace glycine::crossapen
