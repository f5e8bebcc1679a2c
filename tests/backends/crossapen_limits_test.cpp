// What tests/backends/limits.hpp says, of `crossapen`: lengths of templates and of epochs, few channels.
#include <set>

#include "tests/algorithms/crossapen/membership_fixtures.hpp"
#include "tests/backends/limits.hpp"

namespace glycine::crossapen {
namespace {

using namespace fixtures;

/// Lengths of templates: loops are unrolled, words of bits and registers end there. Each is a program for
/// `gl`, and drivers of software take long for those of long templates.
const std::vector<std::size_t> kLengths{1, 2, 3, 4, 5, 28, 29, 31, 32, 33, 64};
const std::vector<std::size_t> kFewLengths{1, 2, 32, 33};
const std::vector<std::size_t> kLeastLengths{1, 33};
constexpr std::size_t kLongestAsked = 260;
/// Longest epochs that a serial reference, and software that draws, compare in no time.
constexpr std::size_t kQuickSamples = 2000;
constexpr std::size_t kManySamples = 70'000;

/// What all matchers and all that sum memberships are asked. Derived: what one run is, and how it is
/// compared.
class TemplateLimits : public glycine::test::Limits {
  protected:
    /// `supports(m, channels, samples)`, `run(m, channels, samples)`.
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
        const std::vector<std::size_t>& asked = isSmall() ? kLeastLengths : isQuick ? kLengths : kFewLengths;
        std::set<std::size_t> lengths(asked.begin(), asked.end());
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
        const MatcherEntry* const entry = findImplementation(matcherEntries(), backend());
        ASSERT_NE(entry, nullptr);
        const auto matcher = entry->create(backend());
        const auto askFormat = [&]<class T>(T) {
            for (const std::string& name :
                 variantsFor(entry->variants, std::string(toString(kFormatOf<T>)))) {
                SCOPED_TRACE(name + ' ' + std::string(toString(kFormatOf<T>)));
                const Variant variant = fromString<Variant>(name);
                if (!matcher->supports({.variant = variant, .format = kFormatOf<T>})) continue;
                ask(
                    [&](std::size_t m, std::size_t channels, std::size_t samples) {
                        return matcher->supports({.variant = variant,
                                                  .format = kFormatOf<T>,
                                                  .rule = {.m = static_cast<unsigned>(m)},
                                                  .channels = channels,
                                                  .samples = samples});
                    },
                    [&](std::size_t m, std::size_t channels, std::size_t samples) {
                        // Long templates match somewhere, but not everywhere.
                        const T r = static_cast<T>(m < 6 ? 0.25 : 2.5);
                        const OwnedEpoch<T> epoch{makeSignals<T>(channels, samples, Kind::Quantised, m), {r}};
                        const MatchRule rule{static_cast<unsigned>(m), false};
                        const Matrix<MatchStatistics> found =
                            std::move(matchWith(*entry, backend(), {epoch.view()}, rule, variant).front());
                        const Matrix<MatchStatistics> expected = expectedOf(epoch, rule);
                        for (std::size_t a = 0; a < channels; ++a)
                            for (std::size_t b = 0; b < channels; ++b)
                                ASSERT_EQ(found(a, b), expected(a, b)) << "pair " << a << ", " << b;
                    });
                if (HasFatalFailure()) return;
            }
        };
        askFormat(0.0F);
        askFormat(0.0);
    }

  private:
    /// By the specification; of long epochs, where it takes too long, by `cpu`, which is held against it.
    template <class T>
    static Matrix<MatchStatistics> expectedOf(const OwnedEpoch<T>& epoch, const MatchRule& rule) {
        if (epoch.signals.columns() <= kQuickSamples) return expectedStatistics(epoch, rule);
        HostBackend cpu("cpu", 2);
        return std::move(matchWith(cpu::matcher(), cpu, {epoch.view()}, rule).front());
    }
};

TEST_P(MatchLimits, ShortestAndLongestTemplates) {
    onAllVariants([this](auto&& supports, auto&& run) { askLengths(supports, run); });
}
TEST_P(MatchLimits, LongestEpochs) {
    onAllVariants([this](auto&& supports, auto&& run) { askEpochs(supports, run); });
}
INSTANTIATE_TEST_SUITE_P(All, MatchLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         test::nameOf);

class MembershipLimits : public TemplateLimits {
  protected:
    template <class Ask>
    void onAllFormats(Ask&& ask) {
        const MembershipEntry* const entry = findImplementation(membershipEntries(), backend());
        ASSERT_NE(entry, nullptr);
        const auto summer = entry->create(backend());
        const auto askFormat = [&]<class T>(T) {
            if (variantsFor(entry->variants, std::string(toString(kFormatOf<T>))).empty()) return;
            SCOPED_TRACE(toString(kFormatOf<T>));
            const auto ruleOf = [](std::size_t m) {
                return FuzzyRule{static_cast<unsigned>(m), m < 6 ? 0.2 : 2.0, 2};
            };
            ask(
                [&](std::size_t m, std::size_t channels, std::size_t samples) {
                    return summer->supports({.format = kFormatOf<T>,
                                             .rule = ruleOf(m),
                                             .channels = channels,
                                             .samples = samples});
                },
                [&](std::size_t m, std::size_t channels, std::size_t samples) {
                    const Matrix<T> signals = normalisedSignals<T>(channels, samples, Kind::Smooth, m);
                    expectAgreement(sumWith(*entry, backend(), signals, ruleOf(m)), signals, ruleOf(m));
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
        // As many templates as a fragment takes of a partner, each a loop of its own.
        if (!GetParam().isHost() && supports(kLongestAsked, 1, 1290)) run(kLongestAsked, 1, 1290);
    });
}
INSTANTIATE_TEST_SUITE_P(All, MembershipLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         test::nameOf);

}  // namespace
}  // namespace glycine::crossapen
