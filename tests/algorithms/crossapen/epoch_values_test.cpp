#include "engine/algorithms/crossapen/epoch_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/algorithms/crossapen/entropyhub.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "tests/algorithms/crossapen/crossapen_fixtures.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::crossapen {
namespace {

using test::messageOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kSamples = 70;

/// Two epochs of three channels.
SignalSet someSignals() {
    SignalSet signals;
    signals.channels = {"a", "b", "c"};
    signals.epochSamples = kSamples;
    signals.epochs = {{1, 0, 0, 0}, {2, 0, kSamples + 3, 0}};
    signals.segments.push_back(fixtures::makeSignals<double>(3, 2 * kSamples + 3, fixtures::Kind::Smooth, 5));
    return signals;
}

std::vector<double> compute(const SignalSet& signals, const EntropyOptions& options,
                            const char* backendName = "cpu") {
    HostBackend backend(backendName, 2);
    EpochEntropies entropies(backend, options);
    const std::size_t epochs = signals.epochs.size();
    std::vector<double> values(epochs * epochShape(options, signals.channels.size()).values(), -1);
    Progress progress;
    entropies.compute(signals, {0, epochs}, values, progress);
    return values;
}

/// Straight from the definition: one epoch, one pair.
MatchStatistics statisticsOf(MatrixView<const double> epoch, std::size_t a, std::size_t b, double r,
                             unsigned m) {
    Matrix<double> pair(2, epoch.columns());
    std::copy_n(epoch.row(a), epoch.columns(), pair.row(0));
    std::copy_n(epoch.row(b), epoch.columns(), pair.row(1));
    HostBackend backend("reference", 1);
    const auto matcher = createImplementation("crossapen", matcherEntries(), backend);
    Matrix<MatchStatistics> statistics(2, 2);
    const MatrixView<MatchStatistics> view = statistics.view();
    const AnyEpoch item = Epoch<double>{pair.view(), {&r, 1}};
    Progress progress;
    matcher->match({&item, 1}, {m, false}, Variant::Default, {&view, 1}, progress);
    return statistics(0, 1);
}

EntropyOptions inDoublePrecision() {
    EntropyOptions options;
    options.format = NumberFormat::Float64;
    return options;
}

TEST(EpochValues, ElementIsTheEntropyOfColumnAgainstRow) {
    const SignalSet signals = someSignals();
    const EntropyOptions options = inDoublePrecision();
    const std::vector<double> values = compute(signals, options);
    // Quantities: bias max, bias 0, share; 3 × 3 each.
    ASSERT_EQ(values.size(), 2u * 3 * 9);
    for (std::size_t e = 0; e < 2; ++e) {
        Matrix<double> normalised(3, kSamples);
        normalise(signals.epoch(e), Deviation::Sample, normalised.view());
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) {
                const MatchStatistics pair = statisticsOf(normalised.view(), a, b, 0.2, 1);
                const double* value = &values[e * 27 + a * 3 + b];
                EXPECT_EQ(value[0], crossApproximateEntropy(pair, kSamples, 1, Bias::Max));
                EXPECT_EQ(value[9], crossApproximateEntropy(pair, kSamples, 1, Bias::Zero));
                EXPECT_EQ(value[18], shareWithoutMatch(pair, kSamples, 1));
            }
    }
}

TEST(EpochValues, SingleChannelsAreTheDiagonal) {
    const SignalSet signals = someSignals();
    EntropyOptions options = inDoublePrecision();
    for (const auto& [pairs, single] :
         {std::pair{Measure::CrossApEn, Measure::ApEn}, std::pair{Measure::CrossSampEn, Measure::SampEn}}) {
        options.measure = pairs;
        const std::vector<double> all = compute(signals, options);
        options.measure = single;
        const std::vector<double> own = compute(signals, options);
        const std::size_t quantities = quantitiesOf(options).size();
        ASSERT_EQ(own.size(), 2 * quantities * 3);
        for (std::size_t e = 0; e < 2; ++e)
            for (std::size_t q = 0; q < quantities; ++q)
                for (std::size_t a = 0; a < 3; ++a)
                    EXPECT_EQ(own[(e * quantities + q) * 3 + a], all[(e * quantities + q) * 9 + a * 4]);
    }
}

TEST(EpochValues, UnusableChannelsLeaveTheOthersAlone) {
    SignalSet signals = someSignals();
    const EntropyOptions options = inDoublePrecision();
    const std::vector<double> before = compute(signals, options);
    std::fill_n(signals.segments[0].row(1), kSamples, 7.0);  // epoch 0: constant
    signals.segments[0](2, kSamples + 3 + 10) = kNan;        // epoch 1: not a number
    const std::vector<double> values = compute(signals, options);
    for (std::size_t e = 0; e < 2; ++e)
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) {
                const std::size_t bad = e == 0 ? 1 : 2;
                const double value = values[e * 27 + a * 3 + b];
                if (a == bad || b == bad)
                    EXPECT_TRUE(std::isnan(value)) << e << a << b;
                else
                    EXPECT_EQ(value, before[e * 27 + a * 3 + b]);
            }
    const auto is = [](std::size_t epoch, std::size_t channel, const char* reason) {
        return ::testing::AllOf(Field(&UnusableChannel::epoch, epoch),
                                Field(&UnusableChannel::channel, channel),
                                Field(&UnusableChannel::reason, reason));
    };
    EXPECT_THAT(unusableChannels(signals, options),
                ElementsAre(is(0, 1, "constant"), is(1, 2, "not finite")));
    EntropyOptions absolute = options;
    absolute.isAbsolute = true;
    EXPECT_THAT(unusableChannels(signals, absolute), ElementsAre(is(1, 2, "not finite")));
    EXPECT_NEAR(compute(signals, absolute)[4], 0, 1e-12) << "a constant series is as regular as can be";
}

TEST(EpochValues, AbsoluteToleranceIsInTheUnitOfTheSignals) {
    SignalSet signals = someSignals();
    EntropyOptions options = inDoublePrecision();
    options.isAbsolute = true;
    options.tolerance = 0.25;
    const std::vector<double> before = compute(signals, options);
    for (std::size_t i = 0; i < signals.segments[0].size(); ++i) signals.segments[0].data()[i] *= 8;
    options.tolerance = 2;
    EXPECT_EQ(compute(signals, options), before);
}

TEST(EpochValues, EntropyHubTakesUAndVTheOtherWayRound) {
    const SignalSet signals = someSignals();
    EntropyOptions options = inDoublePrecision();
    options.convention = Convention::EntropyHub;
    const std::vector<double> values = compute(signals, options);
    ASSERT_EQ(values.size(), 18u);
    const double r = entropyHubTolerances(signals.epoch(0), 0.2)(0, 2);
    const MatchStatistics pair = statisticsOf(signals.epoch(0), 0, 2, r, 1);
    EXPECT_EQ(values[2], entropyHubCrossApEn(pair, kSamples, 1));
}

TEST(EpochValues, FormatsDifferAndBackendsDoNot) {
    const SignalSet signals = someSignals();
    for (const Measure measure : {Measure::CrossApEn, Measure::CrossSampEn, Measure::SampEn})
        for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64}) {
            EntropyOptions options;
            options.measure = measure;
            options.format = format;
            EXPECT_EQ(compute(signals, options, "cpu"), compute(signals, options, "reference"));
        }
}

TEST(EntropyOptions, QuantitiesBeginWithTheOneAskedFor) {
    EntropyOptions options;
    const auto names = [&] {
        std::vector<std::string> result;
        for (const Quantity& quantity : quantitiesOf(options)) result.push_back(quantity.name);
        return result;
    };
    EXPECT_THAT(names(), ElementsAre("crossapen_max", "crossapen_zero", "share_without_match"));
    options.bias = Bias::None;
    EXPECT_THAT(names(),
                ElementsAre("crossapen_none", "crossapen_zero", "crossapen_max", "share_without_match"));
    options.measure = Measure::ApEn;
    options.bias = Bias::Zero;
    EXPECT_THAT(names(), ElementsAre("apen_zero", "apen_max", "share_without_match"));
    options.measure = Measure::CrossSampEn;
    EXPECT_THAT(names(), ElementsAre("crosssampen"));
    options.convention = Convention::EntropyHub;
    EXPECT_THAT(names(), ElementsAre("crosssampen_entropyhub"));
}

TEST(EntropyOptions, MistakesAreNamed) {
    const auto problem = [](auto change, std::size_t samples = 100) {
        EntropyOptions options;
        change(options);
        return messageOf<UsageError>([&] { checkOptions(options, samples); });
    };
    EXPECT_THAT(problem([](EntropyOptions& o) { o.rule.m = 0; }), HasSubstr("at least 1"));
    EXPECT_THAT(problem([](EntropyOptions& o) { o.rule.m = 5; }, 6), HasSubstr("m + 2 = 7"));
    EXPECT_THAT(problem([](EntropyOptions& o) { o.tolerance = 0; }), HasSubstr("r = 0"));
    EXPECT_THAT(problem([](EntropyOptions& o) { o.tolerance = kNan; }), HasSubstr("r = nan"));
    EXPECT_THAT(problem([](EntropyOptions& o) { o.tolerance = 1e300; }), HasSubstr("r = 1e+300"));
    EXPECT_THAT(problem([](EntropyOptions& o) {
                    o.measure = Measure::SampEn;
                    o.convention = Convention::EntropyHub;
                }),
                HasSubstr("entropyhub"));
    checkOptions({}, 3);
}

}  // namespace
}  // namespace glycine::crossapen
