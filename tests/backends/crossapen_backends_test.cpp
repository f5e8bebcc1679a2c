// Every backend, variant and number format of `crossapen` must find exactly the reference's matches.
#include "tests/backends/every_backend.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

template <class T>
constexpr NumberFormat kFormat = sizeof(T) == sizeof(float) ? NumberFormat::Float32 : NumberFormat::Float64;

template <class T>
MatchRequest requestFor(const OwnedEpoch<T>& epoch, const MatchRule& rule, Variant variant) {
    return {.variant = variant,
            .format = kFormat<T>,
            .rule = rule,
            .channels = epoch.signals.rows(),
            .samples = epoch.signals.columns(),
            .hasPairTolerances = epoch.tolerance.size() > 1};
}

/// Device memory for a few epochs.
constexpr std::size_t kLittle = std::size_t{1} << 20;

class CrossApEnBackends : public glycine::test::WithImplementation<glycine::test::EveryBackend, MatchEngine> {
  protected:
    /// Calls `ask` with a number of each format that the backend supports.
    template <class Ask>
    void onAllFormats(const Ask& ask) {
        test::onTypes<float, double>([&]<class T>(T) { return !variants<T>().empty(); }, ask);
    }
    template <class T>
    std::vector<Variant> variants() const {
        return variantsOf<Variant>(toString(kFormat<T>));
    }

    /// Runs every variant that supports the epochs on all of them in one call; returns the number of such
    /// variants.
    template <class T>
    int expectAgreement(const std::vector<OwnedEpoch<T>>& epochs, const MatchRule& rule) {
        std::vector<AnyEpoch> views;
        std::vector<Matrix<MatchStatistics>> expected;
        for (const OwnedEpoch<T>& epoch : epochs) {
            views.push_back(epoch.view());
            expected.push_back(expectedStatistics(epoch, rule));
        }
        int taken = 0;
        for (const Variant variant : variants<T>()) {
            if (!engine_->supports(requestFor(epochs.front(), rule, variant))) continue;
            ++taken;
            SCOPED_TRACE(testing::Message() << toString(variant) << ' ' << toString(kFormat<T>) << ", "
                                            << epochs.front().signals.rows()
                                            << " channels, N = " << epochs.front().signals.columns()
                                            << ", m = " << rule.m << (rule.isStrict ? ", strict" : ""));
            const auto found = matchWith(*entry_, backend(), views, rule, variant);
            for (std::size_t e = 0; e < epochs.size(); ++e) expectSame(found[e], expected[e]);
        }
        return taken;
    }
    template <class T>
    int expectAgreement(OwnedEpoch<T> epoch, const MatchRule& rule) {
        std::vector<OwnedEpoch<T>> epochs;
        epochs.push_back(std::move(epoch));
        return expectAgreement(epochs, rule);
    }
    /// Number of variants for templates of m samples: all but those that only support m = 1.
    template <class T>
    int countVariantsFor(unsigned m) const {
        const std::vector<Variant> all = variants<T>();
        return static_cast<int>(std::count_if(all.begin(), all.end(), [m](Variant variant) {
            return m == 1 || variant != Variant::Dominance;
        }));
    }
};

/// Tolerance r of each pair, in steps of Kind::Quantised, including 0; symmetric.
template <class T>
std::vector<T> pairTolerances(std::size_t channels) {
    std::vector<T> tolerances;
    for (std::size_t a = 0; a < channels; ++a)
        for (std::size_t b = 0; b < channels; ++b)
            tolerances.push_back(T(0.25) * static_cast<T>((a + b + a * b) % 4));
    return tolerances;
}

TEST_P(CrossApEnBackends, TimeDelays) {
    onAllFormats([&](auto zero) {
        using T = decltype(zero);
        for (const Kind kind : kAllKinds)
            for (const unsigned m : {1U, 3U})
                for (const std::size_t delays : sweep({2, 7}, {7}))
                    for (const std::size_t samples : {minimumSamples(m, delays), std::size_t{130}}) {
                        const auto delay = static_cast<unsigned>(delays);
                        const T r = kind == Kind::Quantised ? T(0.25) : T(0.2);
                        const auto epoch = [&] {
                            return OwnedEpoch<T>{makeSignals<T>(3, samples, kind, samples + m), {r}};
                        };
                        EXPECT_EQ(expectAgreement(epoch(), {.m = m, .delay = delay}), countVariantsFor<T>(m));
                        EXPECT_EQ(expectAgreement(epoch(), {.m = m, .isStrict = true, .delay = delay}),
                                  countVariantsFor<T>(m));
                    }
        // A different r for each pair, including 0, which matches nothing if r is strict.
        OwnedEpoch<T> pairs{makeSignals<T>(2, 70, Kind::Quantised, 5), {T(0.25), T(0.5), T(0.5), T(0)}};
        for (const bool isStrict : {false, true})
            EXPECT_GT(expectAgreement(OwnedEpoch<T>{pairs.signals.clone(), pairs.tolerance},
                                      {.m = 2, .isStrict = isStrict, .delay = 4}),
                      0);
    });
}

TEST_P(CrossApEnBackends, AgreeWithTheReference) {
    onAllFormats([this]<class T>(T) {
        for (unsigned m = 1; m <= 5; ++m) {
            if (!isSwept() && m > 2 && m < 5) continue;
            std::vector<std::size_t> lengths =
                sweep({m + 2UL, m + 3UL, 31UL + m, 131, 203}, {m + 2UL, m + 3UL, 203});
            if (GetParam().isHost()) {  // calls cost little more than their work
                lengths.clear();
                for (std::size_t n = m + 2; n <= 300; n += n < 24 ? 1 : n / 5) lengths.push_back(n);
            }
            for (const std::size_t samples : lengths)
                for (const bool isStrict : {false, true}) {
                    std::vector<OwnedEpoch<T>> epochs;
                    for (const Kind kind : kAllKinds)
                        epochs.push_back({makeSignals<T>(3, samples, kind, samples * m), {T(0.25)}});
                    EXPECT_EQ(expectAgreement(epochs, {m, isStrict}), countVariantsFor<T>(m));
                    if (HasFatalFailure()) return;
                }
        }
    });
}

TEST_P(CrossApEnBackends, AgreeForLongTemplates) {
    onAllFormats([this]<class T>(T) {
        for (const unsigned m : {4U, 8U, 9U, 20U, 31U, 32U, 33U, 40U, 64U}) {
            // On gl, each is a separate program, and MatchLimits has more of them.
            if (GetParam().backend == "gl" && (m == 20 || m == 31 || m == 40)) continue;
            if (!isSwept() && m > 4 && m < 64) continue;
            for (const std::size_t samples : {m + 2UL, 2UL * m, 150UL + m, 257UL, 513UL, 1025UL}) {
                const bool isQuick = GetParam().backend == "cuda";
                // On slow backends only some lengths: even and odd, the bits of a register, and one more.
                const bool isSome = m == 4 || m == 9 || m == 33 || m == 64;
                if (!isQuick && (samples > 513 || (samples > 150UL + m && !isSome))) continue;
                std::vector<OwnedEpoch<T>> epochs;
                epochs.push_back({makeSignals<T>(2, samples, Kind::Constant, m), {T(0.5)}});
                if (isQuick) epochs.push_back({makeSignals<T>(2, samples, Kind::Smooth, m), {T(0.5)}});
                expectAgreement(epochs, {m, false});
                if (HasFatalFailure()) return;
            }
        }
    });
}

// Lengths close to the start of another segment, strip, partial sum or block in a backend.
TEST_P(CrossApEnBackends, AgreeForLongEpochs) {
    if (GetParam().backend == "reference") GTEST_SKIP() << "it knows no segments, strips or blocks";
    onAllFormats([this]<class T>(T) {
        for (const unsigned m : {1U, 2U, 3U, 5U})
            for (const std::size_t samples :
                 sweep({256, 257, 511, 513, 1024, 1025, 1537, 2047, 2048, 2049, 2050, 2311, 4500},
                       {256, 257, 2049})) {
                if (!isSwept() && m == 3) continue;
                // On gl, pieces of epochs are the same for any m.
                if (GetParam().backend == "gl" && m == 2 && samples > 1025 && samples != 2049 &&
                    samples != 4500)
                    continue;
                std::vector<Kind> kinds{samples % 2 == 0 ? Kind::Smooth
                                        : samples == 257 ? Kind::Constant
                                                         : Kind::Quantised};
                if (GetParam().backend == "cuda")
                    kinds = {Kind::Smooth, Kind::Quantised, Kind::Constant};
                else if (m > 2 && samples > 1025)
                    continue;  // slow, and no different from m = 2
                std::vector<OwnedEpoch<T>> epochs;
                for (const Kind kind : kinds)
                    epochs.push_back({makeSignals<T>(2, samples, kind, samples), {T(0.25)}});
                expectAgreement(epochs, {m, m == 2});
                if (HasFatalFailure()) return;
            }
        expectAgreement<T>({makeSignals<T>(2, 1024, Kind::Separate, 1), {T(0.2)}}, {1, false});
        expectAgreement<T>({makeSignals<T>(2, 1024, Kind::Separate, 2), {T(0.2)}}, {2, false});
    });
}

TEST_P(CrossApEnBackends, EveryPairHasItsOwnTolerance) {
    onAllFormats([this]<class T>(T) {
        for (const std::size_t m : sweep({1, 2, 3, 5}, {1, 5}))
            for (const bool isStrict : {false, true})
                for (const std::size_t samples : sweep({m + 2, 100, 203}, {m + 2, 203})) {
                    std::vector<OwnedEpoch<T>> epochs;
                    for (const Kind kind : kAllKinds)
                        epochs.push_back({makeSignals<T>(4, samples, kind, 9), pairTolerances<T>(4)});
                    expectAgreement(epochs, {static_cast<unsigned>(m), isStrict});
                }
    });
}

// Samples that differ by r, by its neighbouring numbers in the format, and by rounded values of these. A
// comparison in another format, or of y with x ± r instead of x − y with r, would give other counts.
TEST_P(CrossApEnBackends, RoundOnceAsTheFormatDoes) {
    onAllFormats([this]<class T>(T) {
        const T r = T(0.2);
        OwnedEpoch<T> epoch{Matrix<T>(2, 96), {r}};
        T offset = T(0.1);
        for (std::size_t i = 0; i < 96; ++i) {
            if (i % 6 == 0) offset += T(1) / T(3);
            T step = r;
            for (std::size_t k = 0; k < i % 6; ++k) step = std::nextafter(step, k % 2 == 0 ? T(0) : T(1));
            epoch.signals(0, i) = offset;
            epoch.signals(1, i) = offset + (i % 2 == 0 ? step : -step);
        }
        for (const bool isStrict : {false, true})
            for (const unsigned m : {1U, 2U})
                expectAgreement<T>({epoch.signals.clone(), epoch.tolerance}, {m, isStrict});
    });
}

// Inputs for which sorted tables are least useful: all samples equal, one far away, a range that is only
// rounding, r beyond the range.
TEST_P(CrossApEnBackends, UnevenSamples) {
    onAllFormats([this]<class T>(T) {
        const std::size_t samples = 70;
        for (const T r : {T(0), T(1e-6), T(0.25), T(1e7)})
            for (const T far : {T(0.5), T(1e6), T(-3e30)}) {
                OwnedEpoch<T> epoch{makeSignals<T>(3, samples, Kind::Smooth, 4), {r}};
                std::fill_n(epoch.signals.row(0), samples, T(0.5));
                epoch.signals(0, 17) = far;
                epoch.signals(1, 18) = far;
                for (std::size_t i = 0; i < samples; ++i)
                    epoch.signals(2, i) = T(4e6) + T(0.25) * static_cast<T>(i % 9);
                for (const bool isStrict : {false, true})
                    for (const unsigned m : {1U, 2U})
                        expectAgreement<T>({epoch.signals.clone(), epoch.tolerance}, {m, isStrict});
                if (HasFatalFailure()) return;
            }
    });
}

TEST_P(CrossApEnBackends, ZeroAndSignedZero) {
    onAllFormats([this]<class T>(T) {
        for (const bool isStrict : {false, true})
            for (const unsigned m : {1U, 2U}) {
                OwnedEpoch<T> epoch{Matrix<T>(2, 40, T(0)), {T(0)}};
                for (std::size_t i = 0; i < 40; ++i)
                    epoch.signals(i % 2, i) = i % 3 == 0 ? T(-0.0) : T(i % 5);
                expectAgreement<T>(std::move(epoch), {m, isStrict});
            }
    });
}

// The largest numbers, whose differences are infinite, and the smallest. Fragment shaders need not support
// either.
TEST_P(CrossApEnBackends, ExtremeNumbers) {
    if (GetParam().backend == "gl")
        GTEST_SKIP() << "GLSL leaves infinities and denormal numbers to the driver";
    onAllFormats([this]<class T>(T) {
        constexpr T huge = std::numeric_limits<T>::max();
        for (const T r : {T(0), std::numeric_limits<T>::denorm_min(), huge / 2, huge}) {
            std::vector<OwnedEpoch<T>> epochs(2);
            for (OwnedEpoch<T>& epoch : epochs) epoch = {makeSignals<T>(2, 50, Kind::Quantised, 3), {r}};
            epochs[0].signals(0, 3) = huge;
            epochs[0].signals(1, 4) = -huge;
            epochs[1].signals(0, 49) = -huge;
            epochs[1].signals(1, 5) = T(-0.0);
            epochs[1].signals(0, 6) = std::numeric_limits<T>::denorm_min();
            for (const bool isStrict : {false, true})
                for (const unsigned m : {1U, 2U, 4U}) expectAgreement(epochs, {m, isStrict});
            if (HasFatalFailure()) return;
        }
    });
}

TEST_P(CrossApEnBackends, OneChannelAndMany) {
    onAllFormats([this]<class T>(T) {
        for (const std::size_t channels : sweep({1, 2, 67, 131}, {1, 67}))
            for (const unsigned m : {1U, 2U}) {
                std::vector<OwnedEpoch<T>> epochs;
                for (const Kind kind : kAllKinds) {
                    const bool isQuick = GetParam().backend == "cuda" || channels < 67;
                    if (!isQuick && kind != Kind::Quantised && kind != Kind::Separate) continue;
                    epochs.push_back(
                        {makeSignals<T>(channels, 37, kind, channels), pairTolerances<T>(channels)});
                }
                expectAgreement(epochs, {m, false});
                if (HasFatalFailure()) return;
            }
    });
}

TEST_P(CrossApEnBackends, ManyEpochs) {
    onAllFormats([this]<class T>(T) {
        std::vector<OwnedEpoch<T>> epochs;
        for (std::uint64_t e = 0; e < 37; ++e)
            epochs.push_back(
                {makeSignals<T>(3, 65, Kind::Smooth, e), {T(0.2) + T(0.1) * static_cast<T>(e % 5)}});
        for (const unsigned m : {1U, 2U}) expectAgreement(epochs, {m, false});
    });
}

TEST_P(CrossApEnBackends, NoEpochsNoChannels) {
    onAllFormats([this]<class T>(T) {
        for (const Variant variant : variants<T>()) {
            EXPECT_TRUE(matchWith(*entry_, backend(), {}, {.m = 1}, variant).empty());
            const OwnedEpoch<T> nobody{Matrix<T>(0, 70), {T(0.2)}};
            EXPECT_TRUE(matchWith(*entry_, backend(), {nobody.view()}, {.m = 1}, variant).front().empty());
            EXPECT_EQ(engine_->match({}, {.m = 1}, variant, {}, silentProgress()).variant, variant);
        }
    });
}

// Signals may be rows of a larger matrix.
TEST_P(CrossApEnBackends, RowsNeedNotBeContiguous) {
    onAllFormats([this]<class T>(T) {
        const Matrix<T> recording = makeSignals<T>(2, 400, Kind::Smooth, 2);
        const T r = T(0.2);
        const Epoch<T> epoch{recording.view().block(0, 100, 2, 130), {&r, 1}};
        const OwnedEpoch<T> copy{Matrix<T>(epoch.signals), {r}};
        for (const unsigned m : {1U, 2U})
            for (const Variant variant : variants<T>())
                if (engine_->supports(requestFor(copy, {.m = m}, variant)))
                    expectSame(matchWith(*entry_, backend(), {epoch}, {.m = m}, variant).front(),
                               expectedStatistics(copy, {.m = m}));
    });
}

TEST_P(CrossApEnBackends, ProgressCoversTheWorkAndStops) {
    const std::size_t samples = 300;
    const OwnedEpoch<float> epoch{makeSignals<float>(3, samples, Kind::Smooth, 3), {0.2F}};
    const std::vector<AnyEpoch> epochs(5, epoch.view());
    std::vector<Matrix<MatchStatistics>> statistics;
    std::vector<MatrixView<MatchStatistics>> views;
    for (std::size_t e = 0; e < epochs.size(); ++e) views.push_back(statistics.emplace_back(3, 3).view());
    for (const Variant variant : variants<float>()) {
        SCOPED_TRACE(toString(variant));
        double last = 0;
        Progress progress([&](const ProgressUpdate& update) { last = update.fraction; });
        // Rounding may lose up to a millionth of the progress.
        progress.begin("matches", 5 * 9 * static_cast<double>(samples * samples) * (1 - 1e-6));
        const MatchOutcome outcome = engine_->match(epochs, {.m = 1}, variant, views, progress);
        EXPECT_EQ(last, 1);
        EXPECT_EQ(outcome.variant, variant);
        EXPECT_GT(outcome.times.compute, 0);

        const auto match = [&](Progress& one) { engine_->match(epochs, {.m = 1}, variant, views, one); };
        test::expectStops({0}, match);
        // There, so little work is a single portion.
        if (GetParam().backend != "gl") test::expectStops({1}, match);
        engine_->match(epochs, {.m = 1}, variant, views, progress);
        expectSame(statistics.front(), expectedStatistics(epoch, {.m = 1}));
    }
}

TEST_P(CrossApEnBackends, RefuseWithAReason) {
    const auto reason = [&](const MatchRequest& request) { return engine_->supports(request).reason(); };
    if (GetParam().dialect() == Dialect::Gl21)
        for (const Variant variant : {Variant::Dominance, Variant::Bitset}) {
            EXPECT_THAT(reason({.variant = variant}), HasSubstr("OpenGL 2.1"));
        }
    EXPECT_EQ(reason({}), "");
    EXPECT_THAT(reason({.rule = {.m = 0}}), HasSubstr("m ≥ 1"));
    EXPECT_THAT(reason({.rule = {.m = 3}, .samples = 4}), HasSubstr("too short"));
    EXPECT_THAT(reason({.samples = kMaximumSamples + 1}), HasSubstr("too long"));
    if (variants<double>().empty()) {
        EXPECT_THAT(reason({.format = NumberFormat::Float64}), HasSubstr("float32"));
    }
}

INSTANTIATE_TEST_SUITE_P(All, CrossApEnBackends, testing::ValuesIn(test::allSettings()), test::nameOf);

/// Textures of few texels, memory for few epochs.
class SmallCrossApEnBackends : public CrossApEnBackends {};

TEST_P(SmallCrossApEnBackends, WorkPieceByPiece) {
    const std::size_t samples = GetParam().backend == "cuda" ? 203 : 101;
    onAllFormats([&]<class T>(T) {
        for (const unsigned m : {1U, 2U, 3U}) {
            std::vector<OwnedEpoch<T>> epochs;
            for (std::uint64_t seed = 0; seed < 37; ++seed)
                epochs.push_back(
                    {makeSignals<T>(5, samples, kAllKinds[seed % 4], seed), pairTolerances<T>(5)});
            EXPECT_EQ(expectAgreement(epochs, {m, false}), countVariantsFor<T>(m));
            if (HasFatalFailure()) return;
        }
    });
}

std::vector<test::Setting> smallSettings(std::size_t textureSide) {
    std::vector<test::Setting> settings = test::smallSettings(textureSide, kLittle, std::size_t{160} << 10);
    test::Setting both = settings[0];
    both.name = "gl_small_textures_little_memory";
    both.options.maxDeviceBytes = kLittle;
    test::Setting more = settings[1];
    more.name = "gl_more_memory";
    more.options.maxDeviceBytes = 4 * kLittle;
    settings.insert(settings.end(), {both, more});
    return settings;
}
INSTANTIATE_TEST_SUITE_P(SixtyFour, SmallCrossApEnBackends, testing::ValuesIn(smallSettings(64)),
                         test::nameOf);
INSTANTIATE_TEST_SUITE_P(FortyThree, SmallCrossApEnBackends, testing::ValuesIn(smallSettings(43)),
                         test::nameOf);

}  // namespace
}  // namespace glycine::crossapen
