// Checks of tests/backends/limits.hpp for `crossapen`: lengths of templates and epochs, few channels.
#include "tests/backends/limits.hpp"
#include "tests/crossapen/membership_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

/// Lengths of templates at which unrolled loops, words of bits and registers end. On `gl` each is a separate
/// program, and software renderers take long for long templates.
const std::vector<std::size_t> kLengths{1, 2, 3, 4, 5, 28, 29, 31, 32, 33, 64};
const std::vector<std::size_t> kFewLengths{1, 2, 32, 33};
const std::vector<std::size_t> kLeastLengths{1, 33};
/// Lengths that are tested with delays.
const std::vector<std::size_t> kDelayedLengths{1, 2, 33};
constexpr std::size_t kLongestAsked = 260;
/// Longest epochs that a serial reference and software renderers compare quickly.
constexpr std::size_t kQuickSamples = 2000;
constexpr std::size_t kManySamples = 70'000;

/// Checks for all match and membership engines. Derived classes define a run and its comparison.
class TemplateLimits : public test::EveryBackend {
  protected:
    /// Callbacks: `supports(m, channels, samples)` and `run(m, channels, samples)`.
    template <class Supports, class Run>
    void askLengths(Supports&& supports, Run&& run) {
        const std::size_t longest = glycine::test::lastTaken(
            1, kMaximumSamples - 2, [&](std::size_t m) { return bool(supports(m, 2, m + 2)); });
        if (longest == 0) {
            EXPECT_TRUE(isSmall()) << supports(1, 2, 3).reason();
            return;
        }
        if (longest < kMaximumSamples - 2)
            glycine::test::expectRefusal(supports(longest + 1, 2, longest + 3), longest + 1);
        glycine::test::expectRefusal(supports(0, 2, 10), 1);
        const bool isQuick = GetParam().backend != "gl" || GetParam().name == "gl_gl33" || isFast();
        const std::vector<std::size_t>& usual = isSmall() ? kLeastLengths : isQuick ? kLengths : kFewLengths;
        std::set<std::size_t> lengths(usual.begin(), usual.end());
        if (!isSmall()) lengths.insert(std::min(longest, kLongestAsked));
        for (const std::size_t m : lengths) {
            if (m > longest) continue;
            glycine::test::expectRefusal(supports(m, 2, m + 1), m + 2);
            for (const std::size_t samples : {m + 2, m + 3, m + 47})
                for (const std::size_t channels : {1, 2}) {
                    SCOPED_TRACE(testing::Message()
                                 << "m = " << m << ", N = " << samples << ", " << channels << " channels");
                    if (const Support support = supports(m, channels, samples); !support) {
                        EXPECT_TRUE(isSmall()) << support.reason();
                        continue;
                    }
                    run(m, channels, samples);
                    if (HasFatalFailure()) return;
                }
        }
    }
    /// `supports` and `run` as above, with the delay as the last argument.
    template <class Supports, class Run>
    void askDelays(Supports&& supports, Run&& run) {
        for (const std::size_t m : isSmall() ? std::vector<std::size_t>{1} : kDelayedLengths) {
            if (!supports(m, 2, 90, 1) && supports(1, 2, 90, 1)) continue;  // only m = 1
            for (const std::size_t samples : {m + 2, 2 * m + 2, std::size_t{90}}) {
                const std::size_t largest = (samples - 2) / m;
                for (const std::size_t delay : std::set<std::size_t>{1, 2, largest}) {
                    SCOPED_TRACE(testing::Message()
                                 << "m = " << m << ", N = " << samples << ", delay " << delay);
                    if (delay > largest) {
                        glycine::test::expectRefusal(supports(m, 2, samples, delay), m * delay + 2);
                        continue;
                    }
                    if (const Support support = supports(m, 2, samples, delay); !support) {
                        EXPECT_TRUE(isSmall()) << support.reason();
                        continue;
                    }
                    run(m, 2, samples, delay);
                    if (HasFatalFailure()) return;
                }
                glycine::test::expectRefusal(supports(m, 2, samples, largest + 1), m * (largest + 1) + 2);
                glycine::test::expectRefusal(supports(m, 2, samples, 0), 1);
            }
        }
        // The longest epoch, whether or not a delay makes it shorter.
        const std::size_t longest = glycine::test::lastTaken(
            4, kMaximumSamples, [&](std::size_t samples) { return bool(supports(1, 1, samples, 2)); });
        if (longest == 0) {
            EXPECT_TRUE(isSmall()) << supports(1, 1, 4, 2).reason();
            return;
        }
        SCOPED_TRACE(testing::Message() << "N = " << longest << ", delay 2");
        glycine::test::expectRefusal(supports(1, 1, longest + 1, 2), longest + 1);
        if (longest <= (isFast() ? kManySamples : kQuickSamples)) run(1, 1, longest, 2);
    }
    template <class Supports, class Run>
    void askEpochs(Supports&& supports, Run&& run) {
        for (const std::size_t m :
             {std::size_t{1}, std::size_t{29}, std::size_t{33}, std::size_t{64}, kLongestAsked}) {
            const std::size_t longest = glycine::test::lastTaken(
                m + 2, kMaximumSamples, [&](std::size_t samples) { return bool(supports(m, 1, samples)); });
            if (longest == 0) continue;
            SCOPED_TRACE(testing::Message() << "m = " << m << ", N = " << longest);
            glycine::test::expectRefusal(supports(m, 1, longest + 1), longest + 1);
            if (longest > (isFast() ? kManySamples : kQuickSamples)) continue;
            run(m, 1, longest);
            if (HasFatalFailure()) return;
        }
    }
};

class MatchLimits : public TemplateLimits {
  protected:
    /// Calls `ask(entry, variant, T, supports, run)` for each variant and format.
    template <class Ask>
    void onAllVariants(Ask&& ask) {
        const Implementation<MatchEngine>* const entry = findImplementation<MatchEngine>(backend());
        ASSERT_NE(entry, nullptr);
        const auto engine = entry->create(backend());
        const auto askFormat = [&]<class T>(T) {
            for (const std::string& name :
                 variantsFor(entry->variants, std::string(toString(kFormatOf<T>)))) {
                SCOPED_TRACE(name + ' ' + std::string(toString(kFormatOf<T>)));
                const Variant variant = fromString<Variant>(name);
                if (!engine->supports({.variant = variant, .format = kFormatOf<T>})) continue;
                ask(
                    [&](std::size_t m, std::size_t channels, std::size_t samples, std::size_t delay = 1) {
                        return engine->supports({.variant = variant,
                                                 .format = kFormatOf<T>,
                                                 .rule = ruleOf(m, delay),
                                                 .channels = channels,
                                                 .samples = samples});
                    },
                    [&](std::size_t m, std::size_t channels, std::size_t samples, std::size_t delay = 1) {
                        // Long templates have some matches, but do not match everywhere.
                        const T r = static_cast<T>(m < 6 ? 0.25 : 2.5);
                        const OwnedEpoch<T> epoch{makeSignals<T>(channels, samples, Kind::Quantised, m), {r}};
                        const MatchRule rule = ruleOf(m, delay);
                        const Matrix<MatchStatistics> found =
                            std::move(matchWith(*entry, backend(), {epoch.view()}, rule, variant).front());
                        const Matrix<MatchStatistics> expected = expectedOf(epoch, rule);
                        expectSame(found, expected);
                    });
                if (HasFatalFailure()) return;
            }
        };
        askFormat(0.0F);
        askFormat(0.0);
    }

  private:
    static MatchRule ruleOf(std::size_t m, std::size_t delay) {
        return {.m = static_cast<unsigned>(m), .delay = static_cast<unsigned>(delay)};
    }
    /// Expected result from the reference; for long epochs, where it is too slow, from `cpu`, which is
    /// compared with it elsewhere.
    template <class T>
    static Matrix<MatchStatistics> expectedOf(const OwnedEpoch<T>& epoch, const MatchRule& rule) {
        if (epoch.signals.columns() <= kQuickSamples) return expectedStatistics(epoch, rule);
        HostBackend cpu("cpu", 2);
        return std::move(matchWith(*findImplementation<MatchEngine>(cpu), cpu, {epoch.view()}, rule).front());
    }
};

TEST_P(MatchLimits, ShortestAndLongestTemplates) {
    onAllVariants([this](auto&& supports, auto&& run) { askLengths(supports, run); });
}
TEST_P(MatchLimits, LongestEpochs) {
    onAllVariants([this](auto&& supports, auto&& run) { askEpochs(supports, run); });
}
TEST_P(MatchLimits, ShortestAndLongestDelays) {
    onAllVariants([this](auto&& supports, auto&& run) { askDelays(supports, run); });
}
INSTANTIATE_TEST_SUITE_P(All, MatchLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         test::nameOf);

class MembershipLimits : public TemplateLimits {
  protected:
    template <class Ask>
    void onAllFormats(Ask&& ask) {
        const Implementation<MembershipEngine>* const entry = findImplementation<MembershipEngine>(backend());
        ASSERT_NE(entry, nullptr);
        const auto engine = entry->create(backend());
        const auto askFormat = [&]<class T>(T) {
            if (variantsFor(entry->variants, std::string(toString(kFormatOf<T>))).empty()) return;
            SCOPED_TRACE(toString(kFormatOf<T>));
            const auto ruleOf = [](std::size_t m, std::size_t delay) {
                return FuzzyRule{static_cast<unsigned>(m), m < 6 ? 0.2 : 2.0, 2,
                                 static_cast<unsigned>(delay)};
            };
            ask(
                [&](std::size_t m, std::size_t channels, std::size_t samples, std::size_t delay = 1) {
                    return engine->supports({.format = kFormatOf<T>,
                                             .rule = ruleOf(m, delay),
                                             .channels = channels,
                                             .samples = samples});
                },
                [&](std::size_t m, std::size_t channels, std::size_t samples, std::size_t delay = 1) {
                    const Matrix<T> signals = normalisedSignals<T>(channels, samples, Kind::Smooth, m);
                    const FuzzyRule rule = ruleOf(m, delay);
                    expectAgreement(sumWith(*entry, backend(), signals, rule), signals, rule);
                });
        };
        askFormat(0.0F);
        askFormat(0.0);
    }
};

TEST_P(MembershipLimits, ShortestAndLongestTemplates) {
    onAllFormats([this](auto&& supports, auto&& run) { askLengths(supports, run); });
}
TEST_P(MembershipLimits, LongestEpochs) {
    onAllFormats([this](auto&& supports, auto&& run) {
        askEpochs(supports, run);
        // As many templates as a fragment processes per partner, in a loop for each.
        if (!GetParam().isHost() && supports(kLongestAsked, 1, 1290)) run(kLongestAsked, 1, 1290);
    });
}
TEST_P(MembershipLimits, ShortestAndLongestDelays) {
    onAllFormats([this](auto&& supports, auto&& run) { askDelays(supports, run); });
}
INSTANTIATE_TEST_SUITE_P(All, MembershipLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         test::nameOf);

}  // namespace
}  // namespace glycine::crossapen
