
#include "engine/crossapen/input/signal_filters.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

std::vector<double> tone(double frequency, double rate, std::size_t samples, double phase = 0.3) {
    std::vector<double> values(samples);
    for (std::size_t i = 0; i < samples; ++i)
        values[i] = std::sin(2 * std::numbers::pi * frequency * static_cast<double>(i) / rate + phase);
    return values;
}

std::vector<double> noiseOfSeed(std::size_t samples, std::uint64_t seed) {
    RandomSequence random(seed);
    std::vector<double> values(samples);
    for (double& value : values) value = normalPair(random)[0];
    return values;
}

/// Largest difference over samples first … end − first.
double largestDifference(const std::vector<double>& a, const std::vector<double>& b, std::size_t first = 0) {
    double largest = 0;
    for (std::size_t i = first; i + first < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// Gain of a symmetric filter at a frequency. The gain is real because the phase is zero.
double gain(const BandPass& filter, double frequency, double rate) {
    const std::span<const double> taps = filter.coefficients();
    double sum = 0;
    for (std::size_t k = 0; k < taps.size(); ++k)
        sum += taps[k] * std::cos(2 * std::numbers::pi * frequency / rate *
                                  (static_cast<double>(k) - static_cast<double>(taps.size() / 2)));
    return sum;
}

/// The result that BandPass::apply must produce.
std::vector<double> convolved(const BandPass& filter, const std::vector<double>& samples) {
    const std::span<const double> taps = filter.coefficients();
    const std::vector<double> extended = extendOddly(samples, taps.size() / 2);
    std::vector<double> result(samples.size(), 0.0);
    for (std::size_t i = 0; i < samples.size(); ++i)
        for (std::size_t k = 0; k < taps.size(); ++k) result[i] += taps[k] * extended[i + k];
    return result;
}

TEST(OddExtension, ReflectsAboutTheEnds) {
    EXPECT_THAT(extendOddly(std::vector<double>{1, 2, 5}, 2), ElementsAre(-3, 0, 1, 2, 5, 8, 9));
    EXPECT_THAT(extendOddly(std::vector<double>{1, 2}, 3), ElementsAre(-2, -1, 0, 1, 2, 3, 4, 5));
    EXPECT_THAT(extendOddly(std::vector<double>{4}, 2), ElementsAre(4, 4, 4, 4, 4));
    EXPECT_THAT(extendOddly(std::vector<double>{4, 6}, 0), ElementsAre(4, 6));
}

TEST(BandPass, LengthAndEdgesAreThoseOfTheStudy) {
    const BandPass filter({0.5, 40}, 169.549);
    EXPECT_EQ(filter.taps(), 1121U);  // 3.3 / 0.5 Hz · 169.549 Hz = 1119.02, rounded up to an odd number
    EXPECT_EQ(filter.description(), "band pass 0.5–40 Hz (zero-phase FIR, Hamming, 1121 taps)");
    const std::span<const double> taps = filter.coefficients();
    for (std::size_t k = 0; k < taps.size(); ++k) EXPECT_EQ(taps[k], taps[taps.size() - 1 - k]);
    EXPECT_NEAR(gain(filter, 0, 169.549), 0, 1e-14);
    EXPECT_NEAR(gain(filter, 0.25, 169.549), 0.5, 0.003);  // the lower edge falls off over 0.5 Hz
    EXPECT_NEAR(gain(filter, 45, 169.549), 0.5, 0.003);    // the upper edge falls off over 10 Hz
}

TEST(BandPass, PassesTheBandAndStopsTheRest) {
    for (const double rate : {160.0, 250.0, 512.0}) {
        const BandPass filter({1, 30}, rate);
        for (double frequency = 1; frequency <= 30; frequency += 0.05)
            EXPECT_NEAR(20 * std::log10(gain(filter, frequency, rate)), 0, 0.05) << frequency;
        for (double frequency = 37.5; frequency <= rate / 2; frequency += 0.05)
            EXPECT_LT(std::abs(gain(filter, frequency, rate)), 0.0032) << frequency;  // −50 dB
        EXPECT_NEAR(gain(filter, 0, rate), 0, 1e-14);
    }
}

TEST(BandPass, LowPassAndHighPass) {
    const BandPass low({0, 40}, 160), high({2, kInfinity}, 160);
    EXPECT_EQ(low.taps(), 53U);  // 3.3 / 10 Hz · 160 Hz = 52.8
    EXPECT_NEAR(gain(low, 0, 160), 1, 1e-14);
    EXPECT_LT(std::abs(gain(low, 51, 160)), 0.0032);
    EXPECT_NEAR(gain(high, 0, 160), 0, 1e-14);
    EXPECT_NEAR(gain(high, 80, 160), 1, 0.003);
    EXPECT_THAT(high.description(), HasSubstr("high pass 2 Hz"));
    EXPECT_THAT(low.description(), HasSubstr("low pass 40 Hz"));
}

TEST(BandPass, TransformsGiveTheConvolution) {
    for (const FrequencyBand band : {FrequencyBand{8, 13}, FrequencyBand{0, 60}, FrequencyBand{0.5, 40}})
        for (const std::size_t samples : {1U, 2U, 3U, 100U, 1057U, 5001U, 20000U}) {
            const BandPass filter(band, 160);
            std::vector<double> signal = noiseOfSeed(samples, samples);
            const std::vector<double> expected = convolved(filter, signal);
            filter.apply(signal);
            EXPECT_LT(largestDifference(signal, expected), 1e-11) << describeBand(band) << ' ' << samples;
        }
}

TEST(BandPass, HasNoPhase) {
    const BandPass filter({5, 30}, 200);
    for (const double frequency : {6.0, 10.0, 25.0}) {
        std::vector<double> signal = tone(frequency, 200, 2000);
        const std::vector<double> before = signal;
        filter.apply(signal);
        EXPECT_LT(largestDifference(signal, before, filter.taps()), 0.004) << frequency;
    }
}

TEST(BandPass, TakesOffsetsAndTrendsAway) {
    std::vector<double> constant(3000, 1e5), ramp(3000);
    for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<double>(i);
    const std::vector<double> before = ramp;
    const BandPass band({1, 40}, 160), low({0, 40}, 160);
    band.apply(constant);
    EXPECT_LT(largestDifference(constant, std::vector<double>(3000, 0.0)), 1e-8);
    low.apply(ramp);
    EXPECT_LT(largestDifference(ramp, before), 1e-9);
}

TEST(BandPass, WhatIsNotFiniteReachesHalfTheFilter) {
    const BandPass filter({8, 13}, 160);
    const std::size_t half = filter.taps() / 2;
    const std::vector<double> before = noiseOfSeed(4000, 5);
    for (const double bad : {kNaN, kInfinity}) {
        std::vector<double> with = before, without = before;
        with[1000] = bad;
        with[3999] = bad;
        without[1000] = 0;
        without[3999] = 0;
        filter.apply(with);
        filter.apply(without);
        for (std::size_t i = 0; i < with.size(); ++i) {
            const bool isNear = (i + half >= 1000 && i <= 1000 + half) || i + half >= 3999;
            EXPECT_EQ(std::isnan(with[i]), isNear) << i;
            if (!isNear) {
                EXPECT_NEAR(with[i], without[i], 1e-11) << i;
            }
        }
    }
}

TEST(BandPass, RefusesBands) {
    for (const FrequencyBand band :
         {FrequencyBand{-1, 40}, FrequencyBand{40, 40}, FrequencyBand{50, 40}, FrequencyBand{0, kInfinity},
          FrequencyBand{kNaN, 40}, FrequencyBand{1, kNaN}, FrequencyBand{0, 0}})
        EXPECT_THROW(requireBand(band), UsageError) << band.low << ' ' << band.high;
    EXPECT_THROW(BandPass({1, 80}, 160), UsageError);
    EXPECT_THROW(BandPass({80, kInfinity}, 160), UsageError);
    EXPECT_NO_THROW(BandPass({1, 79}, 160));
}

TEST(Resampler, FindsRatios) {
    EXPECT_EQ(nearestRatio(1), (RateRatio{1, 1}));
    EXPECT_EQ(nearestRatio(128.0 / 160), (RateRatio{4, 5}));
    EXPECT_EQ(nearestRatio(169.5425 / 678.17), (RateRatio{1, 4}));
    EXPECT_EQ(nearestRatio(169.549 / 678.17), (RateRatio{169549, 678170}));
    EXPECT_EQ(nearestRatio(2048 / 12.8), (RateRatio{160, 1}));
    EXPECT_EQ(nearestRatio(100.0 / 3), (RateRatio{100, 3}));
    const RateRatio pi = nearestRatio(std::numbers::pi);
    EXPECT_NEAR(static_cast<double>(pi.numerator) / static_cast<double>(pi.denominator), std::numbers::pi,
                1e-11);
}

std::vector<double> resampled(const std::vector<double>& samples, double from, double to) {
    const Resampler resampler(from, to);
    std::vector<double> input(samples.size() + 2 * resampler.margin(), kNaN);
    std::copy(samples.begin(), samples.end(),
              input.begin() + static_cast<std::ptrdiff_t>(resampler.margin()));
    std::vector<double> result(resampler.resultSamples(samples.size()), kNaN);
    const std::span<double> inputs[] = {input}, results[] = {result};
    std::size_t done = 0;
    resampler.apply(inputs, results, [&done](std::size_t count) {
#pragma omp atomic
        done += count;
    });
    EXPECT_EQ(done, result.size());
    return result;
}

TEST(Resampler, TonesStayInTime) {
    struct Case {
        double from, to;
    };
    for (const auto& [from, to] : {Case{160, 128}, Case{678.17, 169.549}, Case{169.549, 678.17},
                                   Case{512, 128}, Case{128, 512}, Case{1000, 999}, Case{200, 300}}) {
        const double lower = std::min(from, to);
        const auto samples = static_cast<std::size_t>(20 * from);
        for (const double share : {0.01, 0.2, 0.44}) {
            const std::vector<double> result = resampled(tone(share * lower, from, samples), from, to);
            // Excludes the ends, because the tone beyond them is unknown.
            EXPECT_LT(largestDifference(result, tone(share * lower, to, result.size()), result.size() / 8),
                      3e-5)
                << from << " to " << to << ": " << share;
        }
    }
}

TEST(Resampler, WhatTheResultCannotHoldIsGone) {
    for (const double share : {0.5, 0.55, 0.7, 1.0, 1.3, 1.9}) {
        const std::vector<double> result = resampled(tone(share * 128, 512, 8192), 512, 128);
        EXPECT_LT(largestDifference(result, std::vector<double>(result.size(), 0.0), 300), 3e-5) << share;
    }
}

TEST(Resampler, ConstantsAndRampsStayToTheEnds) {
    for (const double to : {128.0, 170.3, 1000.0}) {
        std::vector<double> ramp(3201);
        for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = 1e4 + static_cast<double>(i) / 160;
        const std::vector<double> result = resampled(ramp, 160, to);
        for (std::size_t i = 0; i < result.size(); ++i)
            EXPECT_NEAR(result[i], 1e4 + static_cast<double>(i) / to, 1e-6) << to << ' ' << i;
    }
}

TEST(Resampler, LengthsAreThoseOfTheTime) {
    EXPECT_EQ(Resampler(160, 128).resultSamples(9600), 7680U);
    EXPECT_EQ(Resampler(160, 128).resultSamples(1), 1U);
    EXPECT_EQ(Resampler(160, 128).resultSamples(9601), 7681U);
    EXPECT_EQ(Resampler(678.17, 169.549).resultSamples(203451), 50865U);
    EXPECT_EQ(Resampler(100, 300).resultSamples(7), 21U);
    EXPECT_THAT(resampled({2.5}, 100, 300), ElementsAre(DoubleEq(2.5), DoubleEq(2.5), DoubleEq(2.5)));
}

TEST(Resampler, NanStaysNearItsPlace) {
    std::vector<double> samples = noiseOfSeed(4000, 3);
    samples[2000] = kNaN;
    const std::vector<double> result = resampled(samples, 160, 128);
    EXPECT_TRUE(std::isnan(result[1600]));
    EXPECT_TRUE(std::isfinite(result[1400]));
    EXPECT_TRUE(std::isfinite(result[1800]));
}

}  // namespace
}  // namespace glycine::crossapen
