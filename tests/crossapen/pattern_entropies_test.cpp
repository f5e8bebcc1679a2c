// Tests entropies of patterns and of several scales, and the conventions of packages.
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/entropy_request.hpp"
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/crossapen/patterns.hpp"
#include "engine/crossapen/scales.hpp"
#include "engine/crossapen/verify_pairs.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"

namespace glycine::crossapen {
namespace {

using ::testing::IsNan;

class Values final : public EntropySink {
  public:
    void store(Range, std::span<const double> values) override {
        all.insert(all.end(), values.begin(), values.end());
    }
    std::vector<double> all;
};

std::vector<double> entropiesOf(const Matrix<double>& signals, const EntropyOptions& options,
                                const char* backendName = "cpu") {
    HostBackend backend(backendName, 2);
    Values sink;
    const Signals view = signals.view();
    computeEntropies(backend, {&view, 1}, options, sink, silentProgress());
    return sink.all;
}

EntropyOptions patternsOf(Measure measure, unsigned m, unsigned delay = 1) {
    EntropyOptions options;
    options.measure = measure;
    options.rule = {m, false, delay};
    options.format = NumberFormat::Float64;
    return options;
}

const char* const kBoth[] = {"reference", "cpu"};

TEST(PatternEntropies, WorkedExamples) {
    // Bandt and Pompe 2002: 0.918 and 1.522 bits of 4, 7, 9, 10, 6, 11, 3.
    const Matrix<double> bandt = fixtures::signals({{4, 7, 9, 10, 6, 11, 3}});
    // Rostaghi and Azami 2016, section II: 1.8462 with m = 2 and three classes.
    const Matrix<double> rostaghi = fixtures::signals({{9, 8, 1, 12, 5, -3, 1.5, 8.01, 2.99, 4, -1, 10}});
    for (const char* backend : kBoth) {
        const double bit = std::log(2.0);
        EXPECT_THAT(
            entropiesOf(bandt, patternsOf(Measure::PermEn, 2), backend),
            ElementsAre(DoubleNear(0.9182958340544894 * bit, 1e-14), DoubleNear(0.9182958340544894, 1e-14)));
        EXPECT_NEAR(entropiesOf(bandt, patternsOf(Measure::PermEn, 3), backend)[0], 1.5219280948873626 * bit,
                    1e-14);
        EntropyOptions options = patternsOf(Measure::DispEn, 2);
        options.classes = 3;
        for (const Deviation deviation : {Deviation::Sample, Deviation::Population}) {
            options.deviation = deviation;
            EXPECT_NEAR(entropiesOf(rostaghi, options, backend)[0], 1.8462202193216333, 1e-14) << backend;
        }
        EXPECT_NEAR(entropiesOf(rostaghi, options, backend)[1], 1.8462202193216333 / std::log(9), 1e-14);
        // The row is the channel that provides the order. A channel in its own order has no crossings.
        const Matrix<double> pair =
            fixtures::signals({{9, 8, 1, 12, 5, -3, 1.5, 8.01, 2.99, 4, -1, 10},
                               {2, 7, 1, 8, 2.5, 8.5, 1.75, 8.25, 4.5, 9.25, 0.5, 4.25}});
        const std::vector<double> crossed = entropiesOf(pair, patternsOf(Measure::CrossPermEn, 3), backend);
        EXPECT_EQ(crossed[0], 0);
        EXPECT_EQ(crossed[1], 0);
        EXPECT_NEAR(crossed[2], 0.6108643020548935, 1e-14);
        EXPECT_NEAR(crossed[6], 0.6108643020548935 / std::log(2), 1e-14);
        EXPECT_NEAR(entropiesOf(pair, patternsOf(Measure::CrossPermEn, 4, 2), backend)[1], 0.6365141682948128,
                    1e-14);
    }
}

TEST(PatternEntropies, BackendsAgree) {
    for (const fixtures::Kind kind : fixtures::kAllKinds)
        for (const Measure measure : {Measure::PermEn, Measure::CrossPermEn, Measure::DispEn})
            for (const unsigned m : {3U, 5U, 12U})
                for (const unsigned delay : {1U, 3U}) {
                    const Matrix<double> signals = fixtures::makeSignals<double>(3, 90, kind, m);
                    const EntropyOptions options = patternsOf(measure, m, delay);
                    EXPECT_EQ(entropiesOf(signals, options), entropiesOf(signals, options, "reference"))
                        << kind << ' ' << toString(measure) << " m " << m;
                }
}

TEST(PatternEntropies, ManyRarePatternsKeepTheirDigits) {
    // Plain sums are off by 1e-10 here.
    constexpr std::size_t kTemplates = 3 * 5 * 7 * 4993;
    PatternSum sum(kTemplates);
    for (std::size_t i = 0; i < kTemplates; ++i) sum.add(1);
    EXPECT_TRUE(sum.isComplete());
    EXPECT_NEAR(sum.entropy().nats, std::log(kTemplates), 1e-14);
    // Samples at random: hardly two templates of twelve have one order.
    const Matrix<double> noise = fixtures::makeSignals<double>(1, 50000, fixtures::Kind::Smooth, 1);
    const EntropyOptions options = patternsOf(Measure::PermEn, 12);
    EXPECT_EQ(entropiesOf(noise, options), entropiesOf(noise, options, "reference"));
}

TEST(PatternEntropies, UndefinedOnesAndRefusals) {
    const Matrix<double> odd =
        fixtures::signals({{1, 1, 1, 1, 1, 1}, {1, 2, kNaN, 4, 5, 6}, {1, 2, 3, 4, 5, 6}});
    for (const char* backend : kBoth) {
        EXPECT_THAT(entropiesOf(odd, patternsOf(Measure::PermEn, 3), backend),
                    ElementsAre(0, IsNan(), 0, 0, IsNan(), 0));
        EXPECT_THAT(entropiesOf(odd, patternsOf(Measure::DispEn, 2), backend)[0], IsNan());
        // The mean of this constant is rounded.
        EXPECT_THAT(entropiesOf(Matrix<double>(1, 1000, 0.1), patternsOf(Measure::DispEn, 2), backend),
                    Each(IsNan()));
    }
    const auto refusal = [](const EntropyOptions& options) {
        return messageOf<UsageError>([&] { checkOptions(options, 100); });
    };
    EXPECT_THAT(refusal(patternsOf(Measure::PermEn, 1)),
                HasSubstr("permen takes templates of 2 to 12 samples, not 1"));
    EXPECT_THAT(refusal(patternsOf(Measure::CrossPermEn, 2)), HasSubstr("3 to 12"));
    EntropyOptions options = patternsOf(Measure::DispEn, 12);
    options.classes = 1000;
    EXPECT_THAT(refusal(options), HasSubstr("at most 2^63 patterns"));
    options = patternsOf(Measure::PermEn, 3);
    options.rule.isStrict = true;
    EXPECT_THAT(refusal(options), HasSubstr("has no tolerance"));
    EntropyOptions settled;
    settled.measure = Measure::DispEn;
    applyDefaults(settled, {}, std::nullopt);
    EXPECT_EQ(settled.rule.m, 2U);
    EXPECT_EQ(settled.format, NumberFormat::Float64);
    EXPECT_THAT(messageOf<UsageError>([&] { applyDefaults(settled, {.tolerance = true}, std::nullopt); }),
                HasSubstr("it takes neither --r"));
    settled.measure = Measure::SampEn;
    EXPECT_THAT(messageOf<UsageError>([&] { applyDefaults(settled, {.classes = true}, std::nullopt); }),
                HasSubstr("--classes is the number of classes of dispen"));
}

TEST(Scales, AreMeansWithTheToleranceOfTheFirst) {
    const Matrix<double> signals = fixtures::makeSignals<double>(2, 121, fixtures::Kind::Smooth, 3);
    for (const Measure measure :
         {Measure::SampEn, Measure::CrossApEn, Measure::CrossFuzzyEn, Measure::PermEn}) {
        EntropyOptions options;
        options.measure = measure;
        applyDefaults(options, {}, std::nullopt);
        options.scales = 3;
        const std::vector<Quantity> quantities = quantitiesOf(options);
        const std::string name = quantitiesOf({.measure = measure}).front().name;
        EXPECT_EQ(quantities.at(0).name, name + "_sum");
        EXPECT_EQ(quantities.at(3).name, name + "_scale_3");
        const std::vector<double> found = entropiesOf(signals, options);
        const std::size_t matrix = epochShape(options, 2).matrixValues();
        ASSERT_EQ(found.size(), 4 * matrix);

        EntropyOptions single = options;
        single.scales = 1;
        const std::vector<double> first = entropiesOf(signals, single);
        for (std::size_t i = 0; i < matrix; ++i) {
            EXPECT_EQ(found[matrix + i], first[i]);
            EXPECT_DOUBLE_EQ(found[i], found[matrix + i] + found[2 * matrix + i] + found[3 * matrix + i]);
        }
        // Costa et al. 2002: r is a fraction of the deviation of the original signal, not of its means.
        Matrix<double> means(2, 40);
        for (std::size_t channel = 0; channel < 2; ++channel) {
            const std::span<const double> signal(signals.row(channel), 121);
            const double mean = std::accumulate(signal.begin(), signal.end(), 0.0) / 121;
            double squares = 0;
            for (const double x : signal) squares += (x - mean) * (x - mean);
            for (std::size_t i = 0; i < 40; ++i)
                means(channel, i) = (signal[3 * i] + signal[3 * i + 1] + signal[3 * i + 2] - 3 * mean) / 3 /
                                    std::sqrt(squares / 120);
        }
        single.isAbsolute = !isOfPatterns(measure);
        const std::vector<double> third = entropiesOf(means, single);
        for (std::size_t i = 0; i < matrix; ++i) EXPECT_NEAR(found[3 * matrix + i], third[i], 1e-6);

        HostBackend reference("reference", 1);
        const std::size_t all[] = {0, 1};
        for (const RecountedEntropies& pair :
             recountByReference(reference, signals.view(), all, options, silentProgress()))
            for (std::size_t q = 0; q < 4; ++q)
                EXPECT_NEAR(pair.values[q],
                            found[q * matrix + pair.row * epochShape(options, 2).columns + pair.column],
                            pair.allowed + 1e-12)
                    << name << ' ' << q;
    }
    EntropyOptions options;
    options.scales = 50;
    EXPECT_THAT(messageOf<UsageError>([&] { checkOptions(options, 121); }),
                HasSubstr("at scale 50 epochs of 2 samples are too short"));
    Matrix<double> constant(1, 12, 5.0);
    options = {};
    options.measure = Measure::SampEn;
    options.scales = 2;
    EXPECT_THAT(entropiesOf(constant, options), Each(IsNan()));
}

/// The series of docs/entropy-packages.md.
Matrix<double> pageSignals() {
    Matrix<double> signals(2, 300);
    for (std::size_t k = 0; k < 300; ++k) {
        const auto i = static_cast<double>(k);
        signals(0, k) = std::sin(0.37 * i) + 0.6 * std::sin(1.9 * i * i / 400) + 0.25 * std::cos(5 * i);
        signals(1, k) = std::cos(0.31 * i) + 0.5 * std::sin(2.3 * i * i / 500) - 0.3 * std::sin(7 * i);
    }
    return signals;
}

/// A Python program with exact sums computed the expected numbers from the packages' definitions.
TEST(PackageConventions, OptionsReproduceThem) {
    struct Case {
        const char* call;
        EntropyOptions options;
        std::size_t value;  ///< index among the quantities of the first channel or pair
        double expected;
        double factor = 1;  ///< converts from nats
    };
    const auto options = [](Measure measure, unsigned m, double r, Deviation deviation, bool isStrict = false,
                            unsigned delay = 1) {
        EntropyOptions chosen = patternsOf(measure, m, delay);
        chosen.tolerance = r;
        chosen.deviation = deviation;
        chosen.rule.isStrict = isStrict;
        return chosen;
    };
    const auto dispersion = [&](unsigned m, unsigned classes, Deviation deviation, unsigned delay = 1) {
        EntropyOptions chosen = options(Measure::DispEn, m, 0.2, deviation, false, delay);
        chosen.classes = classes;
        return chosen;
    };
    const auto scales = [](EntropyOptions chosen, unsigned count) {
        chosen.scales = count;
        return chosen;
    };
    using enum Measure;
    const Deviation n = Deviation::Population, less = Deviation::Sample;
    const double bits = 1 / std::log(2.0);
    const EntropyOptions multiscale = scales(options(SampEn, 1, 0.2, n, true), 3);
    const Case cases[] = {
        {"antropy.app_entropy(x)", options(ApEn, 2, 0.2, n), 0, 1.1576351638875924},
        {"antropy.sample_entropy(x)", options(SampEn, 2, 0.2, n, true), 0, 1.8298190310524},
        {"antropy.perm_entropy(x)", patternsOf(PermEn, 3), 0, 2.4422181440507487, bits},
        {"neurokit2.entropy_approximate(x)", options(ApEn, 2, 0.2, less), 0, 1.1550472212785134},
        {"neurokit2.entropy_sample(x)", options(SampEn, 2, 0.2, less), 0, 1.8226174575879601},
        {"neurokit2.entropy_permutation(x)", patternsOf(PermEn, 3), 1, 0.9447789449051641},
        {"neurokit2.entropy_dispersion(x)", dispersion(3, 6, less), 1, 1.1878967374076121, bits},
        {"pyentrp.sample_entropy(x, 3, 0.2 * std)[-1]", options(SampEn, 2, 0.2, n, true), 0, 1.8298190310524},
        {"pyentrp.multiscale_entropy(x, 2, 0.2 * std)[0]", multiscale, 1, 1.869461999256647},
        {"pyentrp.multiscale_entropy(x, 2, 0.2 * std)[1]", multiscale, 2, 1.9018705876444792},
        {"pyentrp.multiscale_entropy(x, 2, 0.2 * std)[2]", multiscale, 3, 1.7306339206867238},
        {"pyentrp.permutation_entropy(x, 3, 2)", patternsOf(PermEn, 3, 2), 0, 2.49408687363676, bits},
        {"EntropyHub.SampEn(x, tau=2)", options(SampEn, 2, 0.2, n, false, 2), 0, 2.042536984744385},
        {"EntropyHub.ApEn(x, tau=2)", options(ApEn, 2, 0.2, n, false, 2), 0, 1.0992896587737793},
        {"EntropyHub.PermEn(x, m=4)", patternsOf(PermEn, 4), 0, 4.178191935195627, bits},
        {"EntropyHub.DispEn(x)", dispersion(2, 3, n), 0, 1.987170176736111},
        {"EntropyHub.DispEn(x, c=4, tau=2)", dispersion(2, 4, n, 2), 0, 2.6178697518453657},
    };
    const Matrix<double> signals = pageSignals();
    for (const char* backend : kBoth) {
        for (const Case& one : cases)
            EXPECT_NEAR(entropiesOf(signals, one.options, backend).at(2 * one.value) * one.factor,
                        one.expected, 1e-10)
                << one.call << " on " << backend;
        // XPermEn(x, y) is element (x, y).
        EXPECT_NEAR(entropiesOf(signals, patternsOf(CrossPermEn, 3), backend)[1], 0.5604843169999094, 1e-10);
        EXPECT_NEAR(entropiesOf(signals, patternsOf(CrossPermEn, 4, 2), backend)[2], 1.212159870046813,
                    1e-10);
    }
}

}  // namespace
}  // namespace glycine::crossapen
