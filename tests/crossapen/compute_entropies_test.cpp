// Tests computeEntropies: quantities per epoch from signals, and the options that decide them.
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

using ::testing::Field;

constexpr std::size_t kSamples = 70;

/// Two epochs of three channels, taken as windows of one recording.
class Recording {
  public:
    std::vector<Signals> epochs() const {
        return {signals.view().block(0, 0, 3, kSamples), signals.view().block(0, kSecond, 3, kSamples)};
    }
    static constexpr std::size_t kSecond = kSamples + 3;
    Matrix<double> signals = fixtures::makeSignals<double>(3, kSecond + kSamples, fixtures::Kind::Smooth, 5);
};

/// Keeps every epoch. It can also claim that an earlier run has stored some epochs.
class Collector final : public EntropySink {
  public:
    explicit Collector(std::size_t epochValues, std::vector<std::size_t> kept = {})
        : epochValues_(epochValues), kept_(std::move(kept)) {}
    bool has(std::size_t epoch) const override {
        return std::find(kept_.begin(), kept_.end(), epoch) != kept_.end();
    }
    void store(Range epochs, std::span<const double> values) override {
        EXPECT_EQ(values.size(), epochs.size() * epochValues_);
        tiles.push_back(epochs);
        all.insert(all.end(), values.begin(), values.end());
    }
    std::vector<Range> tiles;
    std::vector<double> all;

  private:
    std::size_t epochValues_;
    std::vector<std::size_t> kept_;
};

std::vector<double> compute(const Recording& recording, const EntropyOptions& options,
                            const char* backendName = "cpu") {
    HostBackend backend(backendName, 2);
    Collector sink(epochShape(options, 3).values());
    computeEntropies(backend, recording.epochs(), options, sink, silentProgress());
    return sink.all;
}

/// The statistics of one pair in one epoch, directly from the definition.
MatchStatistics statisticsOf(MatrixView<const double> epoch, std::size_t a, std::size_t b, double r,
                             unsigned m) {
    Matrix<double> pair(2, epoch.columns());
    std::copy_n(epoch.row(a), epoch.columns(), pair.row(0));
    std::copy_n(epoch.row(b), epoch.columns(), pair.row(1));
    HostBackend backend("reference", 1);
    const auto engine = createImplementation<MatchEngine>(backend);
    Matrix<MatchStatistics> statistics(2, 2);
    const MatrixView<MatchStatistics> view = statistics.view();
    const AnyEpoch item = Epoch<double>{pair.view(), {&r, 1}};
    engine->match({&item, 1}, {m, false}, Variant::Default, {&view, 1}, silentProgress());
    return statistics(0, 1);
}

EntropyOptions inDoublePrecision() {
    EntropyOptions options;
    options.format = NumberFormat::Float64;
    return options;
}

TEST(EpochValues, ElementIsTheEntropyOfColumnAgainstRow) {
    const Recording recording;
    const EntropyOptions options = inDoublePrecision();
    const std::vector<double> values = compute(recording, options);
    // Quantities: bias max, bias 0, share; 3 × 3 values each.
    ASSERT_EQ(values.size(), 2u * 3 * 9);
    for (std::size_t e = 0; e < 2; ++e) {
        Matrix<double> normalised(3, kSamples);
        normalise(recording.epochs()[e], Deviation::Sample, normalised.view());
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
    const Recording recording;
    EntropyOptions options = inDoublePrecision();
    for (const auto& [pairs, single] :
         {std::pair{Measure::CrossApEn, Measure::ApEn}, std::pair{Measure::CrossSampEn, Measure::SampEn}}) {
        options.measure = pairs;
        const std::vector<double> all = compute(recording, options);
        options.measure = single;
        const std::vector<double> own = compute(recording, options);
        const std::size_t quantities = quantitiesOf(options).size();
        ASSERT_EQ(own.size(), 2 * quantities * 3);
        for (std::size_t e = 0; e < 2; ++e)
            for (std::size_t q = 0; q < quantities; ++q)
                for (std::size_t a = 0; a < 3; ++a)
                    EXPECT_EQ(own[(e * quantities + q) * 3 + a], all[(e * quantities + q) * 9 + a * 4]);
    }
}

TEST(EpochValues, UnusableChannelsLeaveTheOthersAlone) {
    Recording recording;
    const EntropyOptions options = inDoublePrecision();
    const std::vector<double> before = compute(recording, options);
    std::fill_n(recording.signals.row(1), kSamples, 7.0);  // epoch 0: constant
    recording.signals(2, Recording::kSecond + 10) = kNaN;  // epoch 1: NaN
    const std::vector<double> values = compute(recording, options);
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
        return AllOf(Field(&UnusableChannel::epoch, epoch), Field(&UnusableChannel::channel, channel),
                     Field(&UnusableChannel::reason, reason));
    };
    EXPECT_THAT(unusableChannels(recording.epochs(), options),
                ElementsAre(is(0, 1, "constant"), is(1, 2, "not finite")));
    EntropyOptions absolute = options;
    absolute.isAbsolute = true;
    EXPECT_THAT(unusableChannels(recording.epochs(), absolute), ElementsAre(is(1, 2, "not finite")));
    EXPECT_NEAR(compute(recording, absolute)[4], 0, 1e-12) << "a constant series is as regular as can be";
}

TEST(EpochValues, AbsoluteToleranceIsInTheUnitOfTheSignals) {
    Recording recording;
    EntropyOptions options = inDoublePrecision();
    options.isAbsolute = true;
    options.tolerance = 0.25;
    const std::vector<double> before = compute(recording, options);
    for (std::size_t i = 0; i < recording.signals.size(); ++i) recording.signals.data()[i] *= 8;
    options.tolerance = 2;
    EXPECT_EQ(compute(recording, options), before);
}

TEST(EpochValues, EntropyHubTakesUAndVTheOtherWayRound) {
    const Recording recording;
    EntropyOptions options = inDoublePrecision();
    options.convention = Convention::EntropyHub;
    const std::vector<double> values = compute(recording, options);
    ASSERT_EQ(values.size(), 18u);
    const double r = entropyHubTolerances(recording.epochs()[0], 0.2)(0, 2);
    const MatchStatistics pair = statisticsOf(recording.epochs()[0], 0, 2, r, 1);
    EXPECT_EQ(values[2], entropyHubCrossApEn(pair, kSamples, 1));
}

TEST(EpochValues, FormatsDifferAndBackendsDoNot) {
    const Recording recording;
    for (const Measure measure : {Measure::CrossApEn, Measure::CrossSampEn, Measure::SampEn})
        for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64}) {
            EntropyOptions options;
            options.measure = measure;
            options.format = format;
            EXPECT_EQ(compute(recording, options, "cpu"), compute(recording, options, "reference"));
        }
}

TEST(EpochValues, OfEpochsThatTheSinkHasAreNotComputedAgain) {
    const Recording recording;
    const std::vector<Signals> two = recording.epochs();
    const std::vector<Signals> epochs{two[0], two[1], two[1], two[0]};
    const EntropyOptions options;
    const std::size_t values = epochShape(options, 3).values();
    HostBackend backend("cpu", 2);
    Collector sink(values, {1});
    const EntropyReport report = computeEntropies(backend, epochs, options, sink, silentProgress());
    EXPECT_THAT(sink.tiles, ElementsAre(Range{0, 1}, Range{2, 4}));
    const std::vector<double> both = compute(recording, options);
    EXPECT_TRUE(std::equal(both.begin(), both.end(), sink.all.begin()));
    EXPECT_TRUE(std::equal(both.begin(), both.begin() + values, sink.all.begin() + 2 * values));
    EXPECT_EQ(report.backend, "cpu");
    EXPECT_EQ(report.device, backend.device());
    EXPECT_NE(report.variant, "default");
    EXPECT_EQ(report.epochs, 4u);
    EXPECT_EQ(report.epochsResumed, 1u);
    EXPECT_EQ(report.comparisons, 3.0 * 9 * kSamples * kSamples);
    EXPECT_GT(report.times.total(), 0);
    EXPECT_EQ(computeEntropies(backend, {}, options, sink, silentProgress()).variant, "default");
}

TEST(EpochValues, WhatCannotBeComputedIsRefusedFirst) {
    const Recording recording;
    std::vector<Signals> epochs = recording.epochs();
    HostBackend backend("cpu", 2);
    Collector sink(0);
    EntropyOptions options;
    const auto run = [&] { computeEntropies(backend, epochs, options, sink, silentProgress()); };
    options.variant = Variant::Dominance;
    EXPECT_THAT(messageOf<UnavailableError>(run), HasSubstr("'dominance'"));
    options.rule.m = 0;
    EXPECT_THAT(messageOf<UsageError>(run), HasSubstr("at least 1"));
    epochs[1] = epochs[1].block(0, 0, 2, kSamples);
    EXPECT_THAT(messageOf<UsageError>(run), HasSubstr("epoch 1 has 2 × 70 samples, epoch 0 3 × 70"));
}

TEST(EntropyOptions, QuantitiesBeginWithTheRequestedOne) {
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
    EXPECT_THAT(problem([](EntropyOptions& o) { o.tolerance = kNaN; }), HasSubstr("r = nan"));
    EXPECT_THAT(problem([](EntropyOptions& o) { o.tolerance = 1e300; }), HasSubstr("r = 1e+300"));
    EXPECT_THAT(problem([](EntropyOptions& o) { o.tolerance = 1e-38; }),
                HasSubstr("r = 1e-38: float32 has no numbers as small; take the format float64"));
    checkOptions({.tolerance = 1.2e-38}, 100);
    checkOptions({.tolerance = 1e-300, .format = NumberFormat::Float64}, 100);
    EXPECT_THAT(problem([](EntropyOptions& o) {
                    o.measure = Measure::SampEn;
                    o.convention = Convention::EntropyHub;
                }),
                HasSubstr("entropyhub"));
    for (const Convention convention : {Convention::Paper, Convention::EntropyHub})
        EXPECT_THAT(problem([convention](EntropyOptions& o) {
                        o.measure = Measure::CrossFuzzyEn;
                        o.convention = convention;
                    }),
                    HasSubstr("m = 1 is too short for crossfuzzyen"));
    checkOptions({}, 3);
    checkOptions({.measure = Measure::CrossFuzzyEn, .rule = {.m = 2}}, 4);
}

}  // namespace
}  // namespace glycine::crossapen
