#include "engine/io/recordings/edf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::io {
namespace {

using test::messageOf;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

EdfDescription describe(std::size_t channels, double rate) {
    EdfDescription description;
    description.recording = "made by a test";
    description.samplingRate = rate;
    for (std::size_t k = 0; k < channels; ++k) description.labels.push_back("EEG " + std::to_string(k));
    description.units.assign(channels, "uV");
    return description;
}

Matrix<double> noise(std::size_t channels, std::size_t samples, double size) {
    RandomSequence random(samples);
    Matrix<double> signals(channels, samples);
    for (std::size_t k = 0; k < signals.size(); ++k) signals.data()[k] = size * (random.uniform() - 0.3);
    return signals;
}

TEST(EdfWrite, IsReadBack) {
    const TemporaryFolder folder;
    for (const double size : {0.01, 1.0, 345.678, 5e6}) {
        const Matrix<double> signals = noise(3, 1600, size);
        writeEdf(folder / "a.edf", describe(3, 160), signals.view());
        const Recording recording = readEdf(folder / "a.edf");
        EXPECT_EQ(recording.format, "EDF");
        EXPECT_EQ(recording.description, "made by a test");
        EXPECT_THAT(recording.notes, IsEmpty());
        ASSERT_EQ(recording.channels.size(), 3U);
        ASSERT_EQ(recording.segments.size(), 1U);
        EXPECT_EQ(recording.segments[0].duration, 10);
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(recording.channels[k].label, "EEG " + std::to_string(k));
            EXPECT_EQ(recording.channels[k].type, "EEG");
            EXPECT_EQ(recording.channels[k].unit, "uV");
            EXPECT_EQ(recording.channels[k].samplingRate, 160);
            ASSERT_EQ(recording.sampleCount(0, k), 1600U);
            std::vector<double> samples(1600);
            recording.readPhysical(0, k, 0, samples);
            for (std::size_t i = 0; i < 1600; ++i)
                EXPECT_NEAR(samples[i], signals(k, i), size * 1.01 / 65535 / 2 + 2e-11 * size) << size;
        }
    }
}

TEST(EdfWrite, ConstantChannels) {
    const TemporaryFolder folder;
    Matrix<double> signals(2, 10, 7.25);
    for (std::size_t i = 0; i < 10; ++i) signals(1, i) = -9'000'000;
    writeEdf(folder / "a.edf", describe(2, 10), signals.view());
    std::vector<double> samples(10);
    const Recording recording = readEdf(folder / "a.edf");
    recording.readPhysical(0, 0, 0, samples);
    for (const double sample : samples) EXPECT_NEAR(sample, 7.25, 2e-5);
    recording.readPhysical(0, 1, 0, samples);
    for (const double sample : samples) EXPECT_NEAR(sample, -9'000'000, 2e-4);
}

TEST(EdfWrite, AnySampleCountAndRate) {
    const TemporaryFolder folder;
    struct Case {
        std::size_t samples;
        double rate;
    };
    for (const auto& [samples, rate] : {Case{1, 1}, Case{1021, 160}, Case{1024, 250}, Case{50176, 169.549},
                                        Case{203451, 678.17}, Case{4096, 2048}, Case{777, 1000.0 / 3}}) {
        writeEdf(folder / "a.edf", describe(1, rate), noise(1, samples, 10).view());
        const Recording recording = readEdf(folder / "a.edf");
        EXPECT_EQ(recording.sampleCount(0, 0), samples);
        EXPECT_NEAR(recording.channels[0].samplingRate / rate, 1, 1e-5) << samples << ' ' << rate;
    }
}

TEST(EdfWrite, ManyChannelsGetShortRecords) {
    const TemporaryFolder folder;
    writeEdf(folder / "a.edf", describe(300, 1000), noise(300, 2000, 10).view());
    const Recording recording = readEdf(folder / "a.edf");
    EXPECT_EQ(recording.sampleCount(0, 299), 2000U);
    EXPECT_LE(recording.data.layouts[0].recordStride, 61440U);
}

TEST(EdfWrite, Refusals) {
    const TemporaryFolder folder;
    const Matrix<double> good = noise(1, 10, 10);
    const auto refused = [&](const EdfDescription& description, const Matrix<double>& signals) {
        const std::string message =
            messageOf<UsageError>([&] { writeEdf(folder / "a.edf", description, signals.view()); });
        EXPECT_EQ(folder.fileCount(), 0U);
        return message;
    };
    EdfDescription description = describe(1, 10);
    description.labels[0] = "a label of more than 16 characters";
    EXPECT_THAT(refused(description, good), HasSubstr("at most 16 characters"));
    description.labels[0] = "µ";
    EXPECT_THAT(refused(description, good), HasSubstr("ASCII"));
    EXPECT_THAT(refused(describe(2, 10), good), HasSubstr("2 labels"));
    EXPECT_THAT(refused(describe(0, 10), Matrix<double>(0, 0)), HasSubstr("0 channels"));
    EXPECT_THAT(refused(describe(1, 0), good), HasSubstr("sampling rate"));
    EXPECT_THAT(refused(describe(1, 1e9), good), HasSubstr("data records"));
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e8}) {
        Matrix<double> signals = good.clone();
        signals(0, 3) = bad;
        EXPECT_THAT(refused(describe(1, 10), signals), HasSubstr("sample 3 is"));
    }
    EXPECT_THAT(refused(describe(1, 10), noise(1, 10, 1e-9)), HasSubstr("another unit"));
}

}  // namespace
}  // namespace glycine::io
