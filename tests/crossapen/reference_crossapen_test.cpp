// Tests the specification: cases worked by hand, and templates with a time delay.
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

// ---- The specification: cases worked by hand, the definitions again in their plainest form, and laws that
// hold for all signals.

const double kLn2 = std::log(2.0);
const double kLn3 = std::log(3.0);
const double kLn4 = std::log(4.0);
/// The largest effect of rounding logarithms to kLogUnit on a difference of two means.
constexpr double kLogTolerance = 1e-12;

Matrix<MatchStatistics> statisticsOf(Matrix<double> rows, double r, MatchRule rule) {
    return expectedStatistics(OwnedEpoch<double>{std::move(rows), {r}}, rule);
}

// m = 1, r = 0.5: integers match when they are equal.
//   u = 1 2 1 3        short matches of u in v: {1, 4} {2, 3} {1, 4} {}
//   v = 1 2 2 1        pairs of u (1,2) (2,1) (1,3), of v (1,2) (2,2) (2,1): long matches {1} {3} {}
// In the other direction: {1, 3} {2} {2} {1, 3} and {1} {} {2}.
TEST(ReferenceCrossApEn, WorkedByHand) {
    const auto statistics = statisticsOf(signals({{1, 2, 1, 3}, {1, 2, 2, 1}}), 0.5, {.m = 1});
    const LogSum ln2 = LogTable(2)[2];

    const MatchStatistics forward = statistics(0, 1);
    EXPECT_EQ(forward, (MatchStatistics{.logShort = 3 * ln2,
                                        .logLong = 0,
                                        .noShort = 1,
                                        .noLong = 1,
                                        .noLongOnly = 1,
                                        .matchesShort = 6,
                                        .matchesWithin = 4,
                                        .matchesLong = 2}));
    // Φ¹ = (3 ln(2/4) + ln 1) / 4; Φ² = (ln(1/3) + ln(1/3) + ln c) / 3, c = 1/3, 1/4, 1/3.
    EXPECT_NEAR(crossApproximateEntropy(forward, 4, 1, Bias::Zero), -0.75 * kLn2 + kLn3, kLogTolerance);
    EXPECT_NEAR(crossApproximateEntropy(forward, 4, 1, Bias::Max), -0.75 * kLn2 + (2 * kLn3 + kLn4) / 3,
                kLogTolerance);
    EXPECT_NEAR(crossApproximateEntropy(forward, 4, 1, Bias::MaxShort), -0.75 * kLn2 + kLn3, kLogTolerance);
    EXPECT_TRUE(std::isnan(crossApproximateEntropy(forward, 4, 1, Bias::None)));
    EXPECT_NEAR(shareWithoutMatch(forward, 4, 1), 1.0 / 3, 1e-15);

    const MatchStatistics backward = statistics(1, 0);
    EXPECT_EQ(backward, (MatchStatistics{.logShort = 2 * ln2,
                                         .logLong = 0,
                                         .noShort = 0,
                                         .noLong = 1,
                                         .noLongOnly = 1,
                                         .matchesShort = 6,
                                         .matchesWithin = 4,
                                         .matchesLong = 2}));
    // Φ¹ = (2 ln(2/4) + 2 ln(1/4)) / 4
    EXPECT_NEAR(crossApproximateEntropy(backward, 4, 1, Bias::Zero), -1.5 * kLn2 + kLn3, kLogTolerance);

    // Of the four matches of length m, two continue to length m + 1.
    EXPECT_NEAR(crossSampleEntropy(forward, 4, 1, false), kLn2, 1e-15);
    EXPECT_EQ(crossSampleEntropy(forward, 4, 1, false), crossSampleEntropy(backward, 4, 1, false));
}

// m = 2, laid out in the same way: u = 1 2 1 2 9, v = 1 2 1 1 2.
//   pairs of u (1,2) (2,1) (1,2) (2,9), of v (1,2) (2,1) (1,1) (1,2): {1, 4} {2} {1, 4} {}
//   triples of u (1,2,1) (2,1,2) (1,2,9), of v (1,2,1) (2,1,1) (1,1,2): {1} {} {}
TEST(ReferenceCrossApEn, LongerTemplatesByHand) {
    const auto statistics = statisticsOf(signals({{1, 2, 1, 2, 9}, {1, 2, 1, 1, 2}}), 0.5, {.m = 2});
    EXPECT_EQ(statistics(0, 1), (MatchStatistics{.logShort = 2 * LogTable(2)[2],
                                                 .logLong = 0,
                                                 .noShort = 1,
                                                 .noLong = 2,
                                                 .noLongOnly = 2,
                                                 .matchesShort = 5,
                                                 .matchesWithin = 3,
                                                 .matchesLong = 1}));
}

// u = 9 1 2 1, v = 1 2 2 1. The first template matches nothing at either length. The second and the third
// also match at length m + 1.
TEST(ReferenceCrossApEn, BiasRules) {
    const MatchStatistics s = statisticsOf(signals({{9, 1, 2, 1}, {1, 2, 2, 1}}), 0.5, {.m = 1})(0, 1);
    EXPECT_EQ(s.noShort, 1U);
    EXPECT_EQ(s.noLong, 1U);
    EXPECT_EQ(s.noLongOnly, 0U);
    const double phi1 = 3 * std::log(2.0 / 4) / 4;
    EXPECT_NEAR(crossApproximateEntropy(s, 4, 1, Bias::Zero), phi1 - 2 * std::log(1.0 / 3) / 3,
                kLogTolerance);
    EXPECT_NEAR(crossApproximateEntropy(s, 4, 1, Bias::Max),
                phi1 - (2 * std::log(1.0 / 3) + std::log(1.0 / 4)) / 3, kLogTolerance);
    EXPECT_NEAR(crossApproximateEntropy(s, 4, 1, Bias::MaxShort), phi1 - std::log(1.0 / 3), kLogTolerance);
}

TEST(ReferenceCrossApEn, NoMatchAtAll) {
    const MatchStatistics s =
        statisticsOf(signals({{1, 2, 3, 4, 5}, {11, 12, 13, 14, 15}}), 0.5, {.m = 1})(0, 1);
    EXPECT_EQ(s, (MatchStatistics{.noShort = 5, .noLong = 4}));
    EXPECT_EQ(crossApproximateEntropy(s, 5, 1, Bias::Zero), 0);
    EXPECT_NEAR(crossApproximateEntropy(s, 5, 1, Bias::Max), std::log(5.0), 1e-15);
    EXPECT_NEAR(crossApproximateEntropy(s, 5, 1, Bias::MaxShort), std::log(4.0), 1e-15);
    EXPECT_TRUE(std::isnan(crossApproximateEntropy(s, 5, 1, Bias::None)));
    EXPECT_TRUE(std::isnan(crossSampleEntropy(s, 5, 1, false)));
    EXPECT_EQ(shareWithoutMatch(s, 5, 1), 1);
}

TEST(ReferenceCrossApEn, CrossSampEnIsInfiniteWithoutALongMatch) {
    const MatchStatistics s = statisticsOf(signals({{1, 2, 3}, {1, 5, 9}}), 0.5, {.m = 1})(0, 1);
    EXPECT_EQ(s.matchesWithin, 1U);
    EXPECT_EQ(crossSampleEntropy(s, 3, 1, false), std::numeric_limits<double>::infinity());
}

TEST(ReferenceCrossApEn, EqualToRMatchesUnlessStrict) {
    const auto rows = [] { return signals({{0, 1, 0, 1}, {1, 1, 2, 0}}); };
    EXPECT_EQ(statisticsOf(rows(), 1, {.m = 1})(0, 1).matchesShort, 14U);
    EXPECT_EQ(statisticsOf(rows(), 1, {.m = 1, .isStrict = true})(0, 1).matchesShort, 6U);
    EXPECT_EQ(statisticsOf(rows(), 0, {.m = 1})(0, 1).matchesShort, 6U);
    EXPECT_EQ(statisticsOf(rows(), 0, {.m = 1, .isStrict = true})(0, 1).matchesShort, 0U);
}

// The shortest possible epoch has two templates of length m + 1.
TEST(ReferenceCrossApEn, ShortestEpoch) {
    for (unsigned m = 1; m <= 4; ++m) {
        const std::size_t samples = m + 2;
        ASSERT_TRUE(isLongEnough(samples, m));
        ASSERT_FALSE(isLongEnough(samples - 1, m));
        Matrix<double> same(1, samples, 0.5);
        const MatchStatistics s = statisticsOf(std::move(same), 0.2, {.m = m})(0, 0);
        EXPECT_EQ(s.matchesShort, 9U);
        EXPECT_EQ(s.matchesLong, 4U);
        EXPECT_NEAR(crossApproximateEntropy(s, samples, m, Bias::None), 0, kLogTolerance);
        EXPECT_EQ(crossSampleEntropy(s, samples, m, true), 0);
    }
}

/// Equations 3 to 6 without optimisation: every share, its correction, its logarithm.
double plainCrossApEn(const double* u, const double* v, std::size_t samples, std::size_t m, double r,
                      Bias bias, std::size_t delay = 1) {
    const auto share = [&](std::size_t i, std::size_t length) {
        const std::size_t templates = samples - (length - 1) * delay;
        std::size_t matches = 0;
        for (std::size_t j = 0; j < templates; ++j) {
            double distance = 0;
            for (std::size_t k = 0; k < length; ++k)
                distance = std::max(distance, std::abs(u[i + k * delay] - v[j + k * delay]));
            matches += distance <= r;
        }
        return static_cast<double>(matches) / static_cast<double>(templates);
    };
    const double n = static_cast<double>(samples - m * delay);
    const double shortCount = static_cast<double>(samples - (m - 1) * delay);
    double phiShort = 0;
    double phiLong = 0;
    for (std::size_t i = 0; i + (m - 1) * delay < samples; ++i) {
        const double c = share(i, m);
        phiShort += std::log(c == 0 ? 1 : c) / shortCount;
        if (i + m * delay >= samples) continue;
        double next = share(i, m + 1);
        if (next == 0 && bias == Bias::Zero) next = c == 0 ? 1 : 1 / n;
        if (next == 0 && bias == Bias::Max) next = 1 / shortCount;
        if (next == 0 && bias == Bias::MaxShort) next = 1 / n;
        phiLong += std::log(next) / n;
    }
    return phiShort - phiLong;
}

TEST(ReferenceCrossApEn, AgreesWithTheEquations) {
    for (const Kind kind : kAllKinds)
        for (const std::size_t samples : {7, 50, 120})
            for (unsigned m = 1; m <= 3; ++m) {
                const Matrix<double> rows = makeSignals<double>(2, samples, kind, samples + m);
                const auto statistics = statisticsOf(rows.clone(), 0.25, {.m = m});
                for (std::size_t a = 0; a < 2; ++a)
                    for (std::size_t b = 0; b < 2; ++b)
                        for (const Bias bias : {Bias::Zero, Bias::Max, Bias::MaxShort})
                            EXPECT_NEAR(crossApproximateEntropy(statistics(a, b), samples, m, bias),
                                        plainCrossApEn(rows.row(a), rows.row(b), samples, m, 0.25, bias),
                                        kLogTolerance)
                                << kind << ", N = " << samples << ", m = " << m << ", " << toString(bias);
            }
}

TEST(ReferenceCrossApEn, AgreesWithTheEquationsWithATimeDelay) {
    for (const Kind kind : kAllKinds)
        for (const unsigned delay : {2U, 3U, 7U})
            for (unsigned m = 1; m <= 3; ++m)
                for (const std::size_t samples : {minimumSamples(m, delay), std::size_t{60}}) {
                    const Matrix<double> rows = makeSignals<double>(2, samples, kind, samples + m);
                    const auto statistics = statisticsOf(rows.clone(), 0.25, {.m = m, .delay = delay});
                    for (std::size_t a = 0; a < 2; ++a)
                        for (std::size_t b = 0; b < 2; ++b)
                            for (const Bias bias : {Bias::Zero, Bias::Max, Bias::MaxShort})
                                EXPECT_NEAR(
                                    crossApproximateEntropy(statistics(a, b), samples, m, bias, delay),
                                    plainCrossApEn(rows.row(a), rows.row(b), samples, m, 0.25, bias, delay),
                                    kLogTolerance)
                                    << kind << ", N = " << samples << ", m = " << m << ", delay " << delay;
                }
}

// Every second sample is alike: with a delay of 2 nothing is new, with a delay of 1 everything is new.
TEST(ReferenceCrossApEn, TimeDelayByHand) {
    const auto rows = [] { return signals({{0, 1, 0, 1, 0}}); };
    const MatchStatistics s = statisticsOf(rows(), 0.2, {.m = 1, .delay = 2})(0, 0);
    EXPECT_EQ(s.matchesShort, 9U + 4U) << "zeros and ones with each other";
    EXPECT_EQ(s.matchesWithin, 4U + 1U) << "x(1) = 0, x(2) = 1, x(3) = 0";
    EXPECT_EQ(s.matchesLong, 4U + 1U);
    EXPECT_EQ(crossSampleEntropy(s, 5, 1, true, 2), 0);
    // Short templates: three zeros and two ones; long templates: two alike and one alone.
    // Φ¹ = 3/5 ln 3/5 + 2/5 ln 2/5; Φ² = 2/3 ln 2/3 + 1/3 ln 1/3.
    EXPECT_NEAR(crossApproximateEntropy(s, 5, 1, Bias::None, 2),
                (3 * std::log(0.6) + 2 * std::log(0.4)) / 5 - (2 * std::log(2.0 / 3) + std::log(1.0 / 3)) / 3,
                kLogTolerance);
}

// SampEn by its own definition: pairs i < j of the first N − m templates.
TEST(ReferenceCrossApEn, SampEnAgainstCountedPairs) {
    for (const Kind kind : {Kind::Smooth, Kind::Quantised})
        for (unsigned m = 1; m <= 3; ++m) {
            const std::size_t samples = 150;
            const Matrix<double> rows = makeSignals<double>(1, samples, kind, 3 + m);
            const double* u = rows.row(0);
            double shortPairs = 0;
            double longPairs = 0;
            for (std::size_t i = 0; i + m < samples; ++i)
                for (std::size_t j = i + 1; j + m < samples; ++j) {
                    bool isMatch = true;
                    for (std::size_t k = 0; k < m; ++k)
                        isMatch = isMatch && std::abs(u[i + k] - u[j + k]) < 0.25;
                    shortPairs += isMatch;
                    longPairs += isMatch && std::abs(u[i + m] - u[j + m]) < 0.25;
                }
            const MatchStatistics s = statisticsOf(rows.clone(), 0.25, {.m = m, .isStrict = true})(0, 0);
            EXPECT_NEAR(crossSampleEntropy(s, samples, m, true), -std::log(longPairs / shortPairs), 1e-14);
        }
}

Matrix<MatchStatistics> normalisedStatistics(const Matrix<double>& raw) {
    OwnedEpoch<double> epoch{Matrix<double>(raw.rows(), raw.columns()), {0.2}};
    EXPECT_TRUE(normalise<double>(raw.view(), Deviation::Sample, epoch.signals.view()).empty());
    return expectedStatistics(epoch, {.m = 2});
}

TEST(ReferenceCrossApEn, ShiftAndScaleOfEachSignalChangeNothing) {
    const Matrix<double> raw = makeSignals<double>(2, 200, Kind::Smooth, 11);
    const auto expected = normalisedStatistics(raw);
    const double scales[][2] = {{1, 1}, {3.7, 0.01}, {1e-9, 1e6}, {-2, -0.5}};
    for (const auto& scale : scales) {
        Matrix<double> changed = raw.clone();
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t i = 0; i < 200; ++i)
                changed(a, i) = scale[a] * (raw(a, i) + 5 * static_cast<double>(a) - 2);
        const auto found = normalisedStatistics(changed);
        expectSame(found, expected);
    }
}

TEST(ReferenceCrossApEn, TheOtherDirectionIsTheOtherRole) {
    const Matrix<double> raw = makeSignals<double>(2, 90, Kind::Quantised, 5);
    Matrix<double> swapped(2, 90);
    for (std::size_t a = 0; a < 2; ++a) std::copy_n(raw.row(a), 90, swapped.row(1 - a));
    const auto original = statisticsOf(raw.clone(), 0.25, {.m = 2});
    const auto other = statisticsOf(std::move(swapped), 0.25, {.m = 2});
    EXPECT_EQ(original(0, 1), other(1, 0));
    EXPECT_EQ(original(1, 0), other(0, 1));
    EXPECT_NE(original(0, 1), original(1, 0));
    // Both directions share the counts of matches.
    EXPECT_EQ(original(0, 1).matchesShort, original(1, 0).matchesShort);
    EXPECT_EQ(original(0, 1).matchesWithin, original(1, 0).matchesWithin);
    EXPECT_EQ(original(0, 1).matchesLong, original(1, 0).matchesLong);
}

TEST(ReferenceCrossApEn, ACopyOfTheSignalGivesItsApEn) {
    const Matrix<double> one = makeSignals<double>(1, 80, Kind::Smooth, 6);
    Matrix<double> two(2, 80);
    for (std::size_t a = 0; a < 2; ++a) std::copy_n(one.row(0), 80, two.row(a));
    const auto statistics = statisticsOf(std::move(two), 0.2, {.m = 2});
    EXPECT_EQ(statistics(0, 1), statistics(0, 0));
    EXPECT_EQ(statistics(1, 0), statistics(0, 0));
    // Every template matches itself, so no correction applies.
    EXPECT_EQ(statistics(0, 0).noLong, 0U);
    const double apEn = crossApproximateEntropy(statistics(0, 0), 80, 2, Bias::None);
    EXPECT_EQ(apEn, crossApproximateEntropy(statistics(0, 0), 80, 2, Bias::Max));
    EXPECT_GT(apEn, 0);
}

TEST(ReferenceCrossApEn, EveryPairHasItsOwnTolerance) {
    OwnedEpoch<double> epoch{makeSignals<double>(2, 60, Kind::Quantised, 8), {0.25, 0.5, 0.5, 1}};
    const auto statistics = expectedStatistics(epoch, {.m = 1});
    EXPECT_EQ(statistics(0, 0), statisticsOf(epoch.signals.clone(), 0.25, {.m = 1})(0, 0));
    EXPECT_EQ(statistics(0, 1), statisticsOf(epoch.signals.clone(), 0.5, {.m = 1})(0, 1));
    EXPECT_EQ(statistics(1, 0), statisticsOf(epoch.signals.clone(), 0.5, {.m = 1})(1, 0));
    EXPECT_EQ(statistics(1, 1), statisticsOf(epoch.signals.clone(), 1, {.m = 1})(1, 1));
}

// u(i) = i² mod 23, v(i) = i² + 3i mod 19, i = 0 … 199; expected: XApEn and XSampEn of EntropyHub 2.0 for
// Python with their default r.
TEST(EntropyHubConvention, GivesThePackagesNumbers) {
    const std::size_t samples = 200;
    Matrix<double> rows(2, samples);
    for (std::size_t i = 0; i < samples; ++i) {
        rows(0, i) = static_cast<double>(i * i % 23);
        rows(1, i) = static_cast<double>((i * i + 3 * i) % 19);
    }
    const Matrix<double> tolerances = entropyHubTolerances(rows.view(), 0.2);
    EXPECT_NEAR(tolerances(0, 1), 1.1796470235840155, 1e-15);
    EXPECT_EQ(tolerances(0, 1), tolerances(1, 0));
    const OwnedEpoch<double> epoch{std::move(rows), {tolerances.data(), tolerances.data() + 4}};
    struct {
        unsigned m;
        double uv, vu, sample;
    } const expected[] = {
        {1, -0.9606508444012397, -0.9240064978712724, 2.4175449099687665},
        {2, -0.6647277454250949, -0.50199912649536, 1.096748355230047},
        {3, -0.33378647412670936, -0.25201414809428985, std::numeric_limits<double>::infinity()}};
    for (const auto& row : expected) {
        const auto statistics = expectedStatistics(epoch, {.m = row.m});
        EXPECT_NEAR(entropyHubCrossApEn(statistics(1, 0), samples, row.m), row.uv, 1e-12);
        EXPECT_NEAR(entropyHubCrossApEn(statistics(0, 1), samples, row.m), row.vu, 1e-12);
        EXPECT_DOUBLE_EQ(entropyHubCrossSampEn(statistics(0, 1)), row.sample);
        EXPECT_DOUBLE_EQ(entropyHubCrossSampEn(statistics(1, 0)), row.sample);
    }
}

TEST(Normalise, ByHand) {
    // Mean 3, squares 4 + 1 + 0 + 1 + 4.
    const Matrix<double> raw = signals({{1, 2, 3, 4, 5}});
    Matrix<double> result(1, 5);
    EXPECT_TRUE(normalise<double>(raw.view(), Deviation::Sample, result.view()).empty());
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(result(0, i), (static_cast<double>(i) - 2) / std::sqrt(10.0 / 4), 1e-15);
    EXPECT_TRUE(normalise<double>(raw.view(), Deviation::Population, result.view()).empty());
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(result(0, i), (static_cast<double>(i) - 2) / std::sqrt(2.0), 1e-15);
}

TEST(Normalise, ReportsChannelsThatCannotBe) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const Matrix<double> raw =
        signals({{0.1, 0.1, 0.1}, {1, nan, 2}, {1, 2, 3}, {1, 2, infinity}, {-0.0, 0.0, 0.0}});
    Matrix<float> result(5, 3, -1.0F);
    const UnusableChannels unusable = normalise<float>(raw.view(), Deviation::Sample, result.view());
    EXPECT_THAT(unusable.constant, ElementsAre(0, 4));
    EXPECT_THAT(unusable.notFinite, ElementsAre(1, 3));
    for (const std::size_t channel : {0, 1, 3, 4})
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(result(channel, i), 0);
    EXPECT_EQ(result(2, 0), -1);
    EXPECT_EQ(result(2, 2), 1);
}

TEST(Normalise, NeitherOffsetNorSizeSpoilsIt) {
    const Matrix<double> raw = makeSignals<double>(1, 500, Kind::Quantised, 4);
    Matrix<double> expected(1, 500);
    EXPECT_TRUE(normalise<double>(raw.view(), Deviation::Sample, expected.view()).empty());
    for (const double scale : {0x1p-1060, 0x1p-300, 1.0, 0x1p300, 0x1p1000})
        for (const double offset : {0.0, 0x1p40}) {
            if (offset > 0 && (scale > 0x1p500 || scale < 0x1p-500)) continue;
            Matrix<double> changed(1, 500);
            for (std::size_t i = 0; i < 500; ++i) changed(0, i) = (raw(0, i) + offset) * scale;
            Matrix<double> found(1, 500);
            EXPECT_TRUE(normalise<double>(changed.view(), Deviation::Sample, found.view()).empty());
            for (std::size_t i = 0; i < 500; ++i)
                ASSERT_EQ(found(0, i), expected(0, i)) << scale << ' ' << offset;
        }
}

TEST(LogTable, HoldsLogarithmsToItsUnit) {
    const LogTable logs(kMaximumSamples);
    EXPECT_EQ(logs[0], 0);
    EXPECT_EQ(logs[1], 0);
    for (std::size_t count = 1; count <= kMaximumSamples; count += 997)
        ASSERT_THAT(static_cast<double>(logs[count]) * kLogUnit,
                    DoubleNear(std::log(static_cast<double>(count)), kLogUnit));
    // The longest possible sum must fit.
    EXPECT_LT(static_cast<double>(logs[kMaximumSamples]) * static_cast<double>(kMaximumSamples), 0x1p63);
}

TEST(CrossApEnNames, AreReadBack) {
    for (const Bias bias : {Bias::Zero, Bias::Max, Bias::MaxShort, Bias::None})
        EXPECT_EQ(fromString<Bias>(toString(bias)), bias);
    EXPECT_EQ(fromString<Bias>("0"), Bias::Zero);
    for (const Measure measure :
         {Measure::CrossApEn, Measure::ApEn, Measure::CrossSampEn, Measure::SampEn, Measure::CrossFuzzyEn})
        EXPECT_EQ(fromString<Measure>(toString(measure)), measure);
    for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64})
        EXPECT_EQ(fromString<NumberFormat>(toString(format)), format);
    for (const Deviation deviation : {Deviation::Sample, Deviation::Population})
        EXPECT_EQ(fromString<Deviation>(toString(deviation)), deviation);
    for (const Implementation<MatchEngine>& entry : MatchEngine::implementations())
        for (const VariantInfo& info : entry.variants)
            EXPECT_EQ(toString(fromString<Variant>(info.name)), info.name);
    EXPECT_THROW(fromString<Bias>("1"), UsageError);
    EXPECT_THROW(fromString<Measure>("entropy"), UsageError);
    EXPECT_THROW(fromString<Variant>("fast"), UsageError);
}

TEST(ReferenceCrossApEn, SaysWhatItCannotDo) {
    HostBackend backend("reference", 1);
    const auto engine = reference::matchEngine().create(backend);
    const auto reason = [&](MatchRequest request) { return engine->supports(request).reason(); };
    EXPECT_EQ(reason({}), "");
    EXPECT_EQ(reason({.rule = {.m = 2}, .samples = 4}), "");
    EXPECT_THAT(reason({.rule = {.m = 2}, .samples = 3}), HasSubstr("m + 2 = 4"));
    EXPECT_THAT(reason({.rule = {.m = 0}}), HasSubstr("m ≥ 1"));
    EXPECT_THAT(reason({.samples = kMaximumSamples + 1}), HasSubstr("too long"));
    EXPECT_THAT(reason({.variant = Variant::Pruned}), HasSubstr("it has: serial"));
}

// ---- Time delays on engines of consecutive templates: rearranging the signals must not change the results.

class DelayedMatchEngine : public ::testing::Test {
  protected:
    /// Checks the processor through the public registry entry.
    template <class T>
    void expectAgreement(const OwnedEpoch<T>& epoch, const MatchRule& rule) {
        const auto found = matchWith(entry(), cpu_, {epoch.view()}, rule, Variant::Merged);
        expectSame(found[0], expectedStatistics(epoch, rule));
    }
    const Implementation<MatchEngine>& entry() { return *findImplementation<MatchEngine>(cpu_); }
    Support supports(const MatchRequest& request) { return entry().create(cpu_)->supports(request); }

    HostBackend cpu_{"cpu", 1};
};

TEST_F(DelayedMatchEngine, SamplesOfAnySize) {
    for (const double unit : {1e-30, 1e-6, 1.0, 1e6, 1e30}) {
        OwnedEpoch<float> epoch{makeSignals<float>(3, 90, Kind::Smooth, 7), {static_cast<float>(0.2 * unit)}};
        for (std::size_t i = 0; i < epoch.signals.size(); ++i)
            epoch.signals.data()[i] *= static_cast<float>(unit);
        for (const bool isStrict : {false, true})
            expectAgreement(epoch, {.m = 2, .isStrict = isStrict, .delay = 3});
    }
    // The samples are large compared with r. Neighbours of the separators must not round to the separators.
    OwnedEpoch<float> offset{makeSignals<float>(3, 90, Kind::Quantised, 7), {0.25F}};
    for (std::size_t i = 0; i < offset.signals.size(); ++i) offset.signals.data()[i] += 1e6F;
    expectAgreement(offset, {.m = 1, .delay = 4});
    // Unusable channels consist of zeros; r may take any value.
    for (const double r : {0.0, 0.2})
        for (const bool isStrict : {false, true})
            expectAgreement(OwnedEpoch<double>{Matrix<double>(2, 40, 0.0), {r}},
                            {.m = 2, .isStrict = isStrict, .delay = 5});
    // All samples lie within r of each other.
    expectAgreement(OwnedEpoch<double>{makeSignals<double>(2, 60, Kind::Smooth, 2), {1e9}},
                    {.m = 3, .delay = 2});
}

TEST_F(DelayedMatchEngine, LongestDelay) {
    for (const unsigned m : {1U, 2U, 5U})
        for (const unsigned delay : {2U, 9U, 31U})
            for (std::size_t more = 0; more < 3; ++more)
                expectAgreement(OwnedEpoch<double>{makeSignals<double>(2, minimumSamples(m, delay) + more,
                                                                       Kind::Quantised, m + delay),
                                                   {0.5}},
                                {.m = m, .delay = delay});
}

TEST_F(DelayedMatchEngine, SaysWhatItCannotDo) {
    MatchRequest request{.rule = {.m = 2, .delay = 10}, .channels = 3, .samples = 22};
    EXPECT_TRUE(supports(request));
    request.samples = 21;
    EXPECT_THAT(supports(request).reason(), HasSubstr("it takes 2 · 10 + 2 = 22"));
    request.rule.delay = 0;
    EXPECT_THAT(supports(request).reason(), HasSubstr("at least 1 sample"));
    request = {.rule = {.m = 1, .delay = 2000}, .channels = 500, .samples = 4000};
    EXPECT_THAT(supports(request).reason(), HasSubstr("500 channels with a time delay of 2000"));
    const OwnedEpoch<float> huge{Matrix<float>(2, 40, std::numeric_limits<float>::max()), {1}};
    EXPECT_THROW(matchWith(entry(), cpu_, {huge.view()}, {.m = 1, .delay = 2}), UsageError);
}

}  // namespace
}  // namespace glycine::crossapen
