#include "engine/crossapen/random_signals.hpp"

#include <complex>

#include "engine/io/arrays/npy.hpp"
#include "engine/io/recordings/edf.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

constexpr SignalKind kGeneratedKinds[] = {SignalKind::White, SignalKind::Autoregressive, SignalKind::Henon,
                                          SignalKind::Logistic, SignalKind::Lorenz};

double mean(const double* x, std::size_t count) {
    return std::accumulate(x, x + count, 0.0) / static_cast<double>(count);
}

double correlation(const Matrix<double>& signals, std::size_t a, std::size_t b) {
    const std::size_t n = signals.columns();
    const double meanA = mean(signals.row(a), n), meanB = mean(signals.row(b), n);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = signals(a, i) - meanA, y = signals(b, i) - meanB;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
}

bool isEqual(const Matrix<double>& a, const Matrix<double>& b) {
    return a.rows() == b.rows() && a.columns() == b.columns() &&
           std::equal(a.data(), a.data() + a.size(), b.data());
}

TEST(RandomSignals, FollowFromSeedAndPlace) {
    for (const SignalKind kind : kGeneratedKinds) {
        const SignalModel model{kind, 0.3};
        const Matrix<double> large = randomSignals(model, 5, 300, 7);
        EXPECT_TRUE(isEqual(large, randomSignals(model, 5, 300, 7))) << toString(kind);
        EXPECT_FALSE(isEqual(large, randomSignals(model, 5, 300, 8))) << toString(kind);
        const Matrix<double> small = randomSignals(model, 3, 101, 7);
        EXPECT_TRUE(isEqual(small, Matrix<double>(large.view().block(0, 0, 3, 101)))) << toString(kind);
    }
}

/// The values are the same on every machine; these bits may not change.
TEST(RandomSignals, ValuesAreFixed) {
    EXPECT_EQ(randomSignals({SignalKind::Logistic, 0.3}, 2, 3, 1)(1, 2), 0.066394349700572466);
    EXPECT_EQ(randomSignals({SignalKind::Autoregressive, 0.3}, 2, 3, 1)(1, 2), -0.34028094549408228);
    EXPECT_EQ(randomSignals({SignalKind::Lorenz, 0.3}, 2, 3, 1)(1, 2), -6.6585169155167172);
}

TEST(RandomSignals, StayFiniteAndMoveForAllCouplings) {
    for (const SignalKind kind : kGeneratedKinds)
        for (const double coupling : {0.0, 0.1, 0.35, 0.6, 0.8, 1.0}) {
            const Matrix<double> signals = randomSignals({kind, coupling}, 6, 5000, 3);
            for (std::size_t c = 0; c < signals.rows(); ++c) {
                const auto [smallest, largest] =
                    std::minmax_element(signals.row(c), signals.row(c) + signals.columns());
                EXPECT_GT(*largest - *smallest, 0.5) << toString(kind) << ' ' << coupling << ' ' << c;
                EXPECT_LT(std::max(std::abs(*smallest), std::abs(*largest)), 40)
                    << toString(kind) << ' ' << coupling << ' ' << c;
            }
        }
}

TEST(RandomSignals, NoiseHasTheRequestedCorrelations) {
    const Matrix<double> white = randomSignals({SignalKind::White, 0.6}, 3, 40000, 1);
    EXPECT_NEAR(correlation(white, 0, 1), 0.6, 0.02);
    EXPECT_NEAR(correlation(white, 0, 2), 0.36, 0.02);
    EXPECT_NEAR(mean(white.row(2), 40000), 0, 0.02);
    const Matrix<double> free = randomSignals({SignalKind::White, 0}, 2, 40000, 1);
    EXPECT_NEAR(correlation(free, 0, 1), 0, 0.02);
    // Long memory leaves fewer independent samples.
    const Matrix<double> slow = randomSignals({SignalKind::Autoregressive, 0.6}, 3, 200000, 1);
    EXPECT_NEAR(correlation(slow, 0, 1), 0.6, 0.05);
    EXPECT_NEAR(correlation(slow, 0, 2), 0.36, 0.05);
    double squares = 0;
    for (std::size_t i = 0; i < slow.columns(); ++i) squares += slow(1, i) * slow(1, i);
    EXPECT_NEAR(squares / static_cast<double>(slow.columns()), 1, 0.1);
}

/// Mean power of a channel at a frequency, in cycles per sample, over windows of 1024 samples.
double power(const Matrix<double>& signals, std::size_t channel, double frequency) {
    constexpr std::size_t kWindow = 1024;
    double sum = 0;
    for (std::size_t first = 0; first + kWindow <= signals.columns(); first += kWindow) {
        std::complex<double> value = 0;
        for (std::size_t i = 0; i < kWindow; ++i) {
            const double angle = 2 * std::numbers::pi * frequency * static_cast<double>(i);
            const double hann = 1 - std::cos(2 * std::numbers::pi * static_cast<double>(i) / kWindow);
            value += hann * signals(channel, first + i) * std::polar(1.0, -angle);
        }
        sum += std::norm(value);
    }
    return sum;
}

TEST(RandomSignals, AutoregressivePowerFallsAsOneOverF) {
    const Matrix<double> signals = randomSignals({SignalKind::Autoregressive, 0.3}, 2, 400000, 2);
    for (const double frequency : {0.004, 0.01, 0.03, 0.06})
        EXPECT_NEAR(std::log2(power(signals, 1, frequency) / power(signals, 1, 4 * frequency)), 2, 0.4)
            << frequency;
}

TEST(RandomSignals, MapsFollowTheirEquations) {
    const double k = 0.25;
    const Matrix<double> henon = randomSignals({SignalKind::Henon, k}, 2, 50, 4);
    const Matrix<double> logistic = randomSignals({SignalKind::Logistic, k}, 2, 50, 4);
    for (std::size_t i = 2; i < 50; ++i) {
        EXPECT_NEAR(henon(0, i), 1.4 - henon(0, i - 1) * henon(0, i - 1) + 0.3 * henon(0, i - 2), 1e-14);
        const double mixed = k * henon(0, i - 1) + (1 - k) * henon(1, i - 1);
        EXPECT_NEAR(henon(1, i), 1.4 - mixed * mixed + 0.3 * henon(1, i - 2), 1e-14);
        const double other = k * logistic(0, i - 1) + (1 - k) * logistic(1, i - 1);
        EXPECT_NEAR(logistic(1, i), 3.99 * other * (1 - other), 1e-14);
    }
}

TEST(RandomSignals, CouplingBringsChaosTogether) {
    EXPECT_LT(std::abs(correlation(randomSignals({SignalKind::Lorenz, 0}, 2, 20000, 1), 0, 1)), 0.2);
    EXPECT_GT(correlation(randomSignals({SignalKind::Lorenz, 1}, 2, 20000, 1), 0, 1), 0.95);
    EXPECT_GT(correlation(randomSignals({SignalKind::Logistic, 0.6}, 2, 20000, 1), 0, 1), 0.999);
    EXPECT_LT(std::abs(correlation(randomSignals({SignalKind::Henon, 0}, 2, 20000, 1), 0, 1)), 0.05);
}

TEST(RandomSignals, RefusesWhatCannotBe) {
    for (const double coupling : {-0.1, 1.1, std::nan("")})
        EXPECT_THROW(randomSignals({SignalKind::White, coupling}, 2, 10, 1), UsageError);
    EXPECT_THROW(randomSignals({}, 0, 10, 1), UsageError);
    EXPECT_THROW(randomSignals({}, 1, 0, 1), UsageError);
    EXPECT_THROW(fromString<SignalKind>("pink"), UsageError);
    for (const SignalKind kind : kGeneratedKinds) EXPECT_EQ(fromString<SignalKind>(toString(kind)), kind);
}

class GenerateSignals : public test::ProgramTest {};

TEST_F(GenerateSignals, AllFormatsHoldTheSameSignals) {
    for (const char* const file : {"s.npy", "s.edf", "s.csv"}) {
        const Outcome outcome = succeed({"generate", "signals", "--channels", "3", "--samples", "320",
                                         "--epochs", "2", "--seed", "5", "-o", file});
        EXPECT_THAT(outcome.out, HasSubstr("3 channels × 640 samples (2 epochs of 320), 160 Hz, ar"));
    }
    const Matrix<double> expected = randomSignals({}, 3, 640, 5);
    EXPECT_TRUE(isEqual(io::readNpyMatrix<double>(folder_ / "s.npy"), expected));
    const io::Recording recording = io::readEdf(folder_ / "s.edf");
    EXPECT_EQ(recording.format, "EDF");
    EXPECT_EQ(recording.channels[1].label, "c2");
    EXPECT_EQ(recording.channels[1].samplingRate, 160);
    EXPECT_THAT(recording.notes, IsEmpty());
    std::vector<double> samples(640);
    recording.readPhysical(0, 1, 0, samples);
    const double step = recording.channels[1].gain;
    EXPECT_LT(step, 1e-3);
    for (std::size_t i = 0; i < 640; ++i) EXPECT_NEAR(samples[i], expected(1, i), step) << i;
    const std::string csv = readFile(folder_ / "s.csv");
    EXPECT_THAT(csv, StartsWith("c1,c2,c3\n"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 641);
}

TEST_F(GenerateSignals, ReportsAsJson) {
    const nlohmann::json report =
        run("generate signals --channels 2 --kind henon --coupling 0.4 -o x.npy --json"_args).json();
    EXPECT_EQ(report["settings"]["samples"], 1024);
    EXPECT_EQ(report["settings"]["kind"], "henon");
    EXPECT_EQ(report["settings"]["coupling"], 0.4);
    EXPECT_EQ(report["files"], nlohmann::json({"x.npy"}));
}

TEST_F(GenerateSignals, RefusesWrongUse) {
    expectRefused("generate signals --channels 2 -o x.txt"_args, "ends in .edf, .npy or .csv");
    expectRefused("generate signals --channels 2 --kind pink -o x.npy"_args, "known: white");
    expectRefused("generate signals --channels 2 --coupling 2 -o x.npy"_args, "is not a number from 0 to 1");
    expectRefused("generate signals --channels 100000 --samples 1000000000 -o x.npy"_args, "at most");
}

}  // namespace
}  // namespace glycine::crossapen
