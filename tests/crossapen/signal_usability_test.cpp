// Tests which epochs are usable: flat, clipped, marked as artefacts.
#include "engine/io/arrays/npy.hpp"
#include "tests/crossapen/signal_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

// ---- Usable samples of a recording, decided before any processing.

using ::testing::Field;

std::vector<double> noise(std::size_t samples, std::uint64_t seed = 1) {
    RandomSequence random(seed);
    std::vector<double> values(samples);
    for (double& value : values) value = random.uniform() + random.uniform() - 1;
    return values;
}

/// Judges consecutive epochs.
std::vector<UnusableEpoch> judge(const std::vector<double>& samples, std::size_t epoch,
                                 double samplingRate = 0, const UsabilityLimits& limits = {}) {
    std::vector<ChannelUsability::Place> places;
    for (std::size_t k = 0; (k + 1) * epoch <= samples.size(); ++k)
        places.push_back({k, {k * epoch, (k + 1) * epoch}});
    ChannelUsability channel(samplingRate, epoch);
    channel.add(samples, places, true);
    return channel.judge(limits);
}

auto found(std::size_t epoch, const std::string& reason, double share = 1) {
    return AllOf(Field(&UnusableEpoch::epoch, epoch), Field(&UnusableEpoch::reason, reason),
                 Field(&UnusableEpoch::share, share));
}

TEST(ChannelUsability, NoiseCanBeUsed) {
    EXPECT_THAT(judge(noise(4096), 1024), IsEmpty());
    // Steps as from an AD converter: a few dozen levels.
    std::vector<double> steps = noise(4096);
    for (double& value : steps) value = std::round(20 * value);
    EXPECT_THAT(judge(steps, 1024), IsEmpty());
}

TEST(ChannelUsability, ASineOfFewStepsIsNotClipped) {
    for (const double amplitude : {12.0, 20.0, 200.0}) {
        std::vector<double> sine(4096);
        for (std::size_t i = 0; i < sine.size(); ++i)
            sine[i] = std::round(amplitude * std::sin(2 * std::numbers::pi * static_cast<double>(i) / 64.3));
        EXPECT_THAT(judge(sine, 1024), IsEmpty()) << amplitude;
    }
}

// A period has twenty samples, which repeat up to rounding. Every value therefore occurs often.
TEST(ChannelUsability, ASineInStepWithTheSamplesIsNotClipped) {
    for (const double phase : {0.0, 0.05, 0.1}) {
        std::vector<double> sine(4000);
        for (std::size_t i = 0; i < sine.size(); ++i)
            sine[i] = std::sin(std::numbers::pi * (1e5 + static_cast<double>(i) / 10 + phase));
        EXPECT_THAT(judge(sine, 1000), IsEmpty()) << phase;
    }
}

TEST(ChannelUsability, Constants) {
    std::vector<double> samples = noise(300);
    std::fill_n(samples.begin() + 100, 100, 7.3);
    EXPECT_THAT(judge(samples, 100), ElementsAre(found(1, "constant")));
    // A constant after arithmetic, with rounding errors.
    for (std::size_t i = 100; i < 200; ++i) samples[i] = 7.3 + 1e-13 * static_cast<double>(i % 3);
    EXPECT_THAT(judge(samples, 100), ElementsAre(found(1, "constant")));
    // A signal on a large offset is not constant.
    for (double& value : samples) value = 1e6 + 1e-3 * value;
    EXPECT_THAT(judge(noise(300), 100), IsEmpty());
    samples = noise(300);
    for (double& value : samples) value = 1e6 + 1e-3 * value;
    EXPECT_THAT(judge(samples, 100), IsEmpty());
}

TEST(ChannelUsability, Padding) {
    std::vector<double> samples = noise(400);
    std::fill(samples.end() - 16, samples.end(), 0);
    EXPECT_THAT(judge(samples, 100), ElementsAre(found(3, "padding at the end of the file", 0.16)));
    // With one sample fewer, the run may be chance.
    samples[400 - 16] = 0.5;
    EXPECT_THAT(judge(samples, 100), IsEmpty());
    // The padding lies after the last epoch.
    samples.resize(384);
    samples.insert(samples.end(), 50, 0.0);
    EXPECT_THAT(judge(samples, 128), IsEmpty());
    // Only the end of a file has padding.
    ChannelUsability channel(0, 100);
    const std::vector<ChannelUsability::Place> places{{0, {0, 100}}};
    std::vector<double> first = noise(100);
    std::fill(first.end() - 16, first.end(), 0);
    channel.add(first, places, false);
    EXPECT_THAT(channel.judge({}), IsEmpty());
}

TEST(ChannelUsability, FlatStretches) {
    std::vector<double> samples = noise(400);
    // 30 samples across the border of two epochs and 16 more in the second: 10 and 36 of 100.
    std::fill_n(samples.begin() + 90, 30, 0.25);
    std::fill_n(samples.begin() + 150, 16, -0.25);
    EXPECT_THAT(judge(samples, 100), ElementsAre(found(1, "flat", 0.36)));
    EXPECT_THAT(judge(samples, 100, 0, {.flat = 0.36}), IsEmpty());
    EXPECT_THAT(judge(samples, 100, 0, {.flat = 0.05}),
                ElementsAre(found(0, "flat", 0.1), found(1, "flat", 0.36)));
    // The shortest flat stretch is 20 samples at 200 Hz and 100 samples at 1000 Hz.
    EXPECT_THAT(judge(samples, 100, 200, {.flat = 0.05}),
                ElementsAre(found(0, "flat", 0.1), found(1, "flat", 0.2)));
    EXPECT_THAT(judge(samples, 100, 1000, {.flat = 0.05}), IsEmpty());
}

TEST(ChannelUsability, Clipping) {
    // Clipped at ±0.6: 8 % of the samples lie beyond each limit. The last epoch has no clipping.
    std::vector<double> samples = noise(4096);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = i < 3072 ? std::clamp(samples[i], -0.6, 0.6) : samples[i] / 2;
    const std::vector<UnusableEpoch> epochs = judge(samples, 1024);
    ASSERT_EQ(epochs.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(epochs[k].epoch, k);
        EXPECT_EQ(epochs[k].reason, "clipped");
        EXPECT_NEAR(epochs[k].share, 0.16, 0.03);
    }
    EXPECT_THAT(judge(samples, 1024, 0, {.clipped = 0.3}), IsEmpty());
    // Clipping at one end only.
    samples = noise(1024);
    for (double& value : samples) value = std::min(value, 0.5);
    ASSERT_EQ(judge(samples, 1024).size(), 1u);
}

TEST(ChannelUsability, SymbolsAreNotClipped) {
    RandomSequence random(4);
    std::vector<double> events(1024), counts(1024);
    for (double& value : events) value = random.below(10) == 0 ? 1 : 0;
    for (double& value : counts) value = random.below(3) == 0 ? random.below(9) : 0;
    EXPECT_THAT(judge(events, 1024, 0, {.flat = 1}), IsEmpty());
    EXPECT_THAT(judge(counts, 1024, 0, {.flat = 1}), IsEmpty());
}

TEST(ChannelUsability, WhatIsNotFiniteIsPassedOver) {
    std::vector<double> samples(200, 1.0);
    samples[5] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(judge(samples, 100), ElementsAre(found(1, "constant")));
}

/// Channel 0 is noise, channel 1 is constant at 7.3, and channel 2 is noise whose last 150 samples are 0.
class UnusableSignals : public SignalFiles {
  protected:
    void SetUp() override {
        Matrix<double> values(3, 4000, 7.3);
        for (const std::size_t channel : {0, 2}) {
            const std::vector<double> samples = noise(4000, channel);
            std::copy(samples.begin(), samples.end(), values.row(channel));
        }
        std::fill_n(values.row(2) + 3850, 150, 0);
        io::writeNpy<double>(folder_ / "x.npy", values.view());
    }
    static auto is(std::size_t epoch, std::size_t channel, const std::string& reason) {
        return AllOf(Field(&UnusableChannel::epoch, epoch), Field(&UnusableChannel::channel, channel),
                     Field(&UnusableChannel::reason, reason));
    }
    static bool isBlank(const SignalSet& set, std::size_t epoch, std::size_t channel) {
        const std::vector<double> samples = row(set, epoch, channel);
        return std::all_of(samples.begin(), samples.end(), [](double value) { return std::isnan(value); });
    }
};

TEST_F(UnusableSignals, IsDecidedBeforeResamplingAndFilters) {
    SignalOptions options = epochsOf(1000);
    options.samplingRate = 100;
    for (const bool isResampled : {false, true})
        for (const bool isFiltered : {false, true}) {
            SCOPED_TRACE(testing::Message() << isResampled << isFiltered);
            if (isResampled) options.resampleRate = 78.125;
            options.epochSamples = isResampled ? 781 : 1000;  // 4 epochs of 10 s
            options.band = isFiltered ? std::optional(FrequencyBand{1, 30}) : std::nullopt;
            const SignalSet set = read(folder_ / "x.npy", options);
            ASSERT_EQ(set.epochs.size(), 4u);
            EXPECT_THAT(set.unusable,
                        ElementsAre(is(0, 1, "constant"), is(1, 1, "constant"), is(2, 1, "constant"),
                                    is(3, 1, "constant"), is(3, 2, "padding at the end of the file")));
            for (std::size_t epoch = 0; epoch < 4; ++epoch) {
                EXPECT_FALSE(isBlank(set, epoch, 0));
                EXPECT_TRUE(isBlank(set, epoch, 1));
                EXPECT_EQ(isBlank(set, epoch, 2), epoch == 3);
            }
        }
}

TEST_F(UnusableSignals, EndsOfSegmentsAreNoPadding) {
    EdfText text = twoSampleRecords({"EEG Fz"}, 40);
    text.reserved = "EDF+D";
    text.signals.push_back(test::annotationSignal());
    for (std::size_t k = 0; k < 40; ++k) {
        // The samples before the gap are 20 equal values.
        if (k >= 10 && k < 20) text.records[k] = test::littleEndian({7, 7});
        text.records[k] += test::annotationBytes("+" + std::to_string(k < 20 ? k : k + 5) + "||/");
    }
    SignalOptions options = epochsOf(40);
    options.usability.flat = 1;
    EXPECT_THAT(read(write("gaps.edf", text.bytes()), options).unusable, IsEmpty());
    options.usability.flat = 0.4;
    EXPECT_THAT(read(write("gaps.edf", text.bytes()), options).unusable, ElementsAre(is(0, 0, "flat")));
}

/// PhysioNet fills the last record with zeros.
TEST_F(UnusableSignals, PhysioNetPadding) {
    const std::filesystem::path path =
        std::filesystem::path(GLYCINE_SOURCE_DIR) / "../shared/data/crossapen/edf/S001R01.edf";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "the recordings are not here";
    SignalOptions options;
    EXPECT_THAT(read(path, options).unusable, IsEmpty()) << "nine good epochs";
    options.epochSamples = 9760 / 10;
    options.band = FrequencyBand{0.5, 40};
    const SignalSet set = read(path, options);
    EXPECT_EQ(set.epochs.size(), 10u);
    EXPECT_EQ(set.unusable.size(), 64u);
    for (const UnusableChannel& one : set.unusable) {
        EXPECT_EQ(one.epoch, 9u);
        EXPECT_EQ(one.reason, "padding at the end of the file");
        EXPECT_NEAR(one.share, 136.0 / 976, 9.0 / 976);
    }
}

TEST_F(SignalFiles, AnnotationsMarkArtefacts) {
    const std::filesystem::path path = write("gaps.edf", gappedEdf());
    SignalOptions options = epochsOf(2);
    options.artefactAnnotations = {"bad*"};
    const SignalSet set = read(path, options);
    EXPECT_THAT(numbers(set), ElementsAre(1, 3, 4));
    ASSERT_EQ(set.skipped.size(), 1U);
    EXPECT_EQ(set.skipped[0].origin.number, 2U);
    EXPECT_EQ(set.skipped[0].reason, "annotation 'BAD blink' at 1.6 s");
    options.artefactAnnotations = {"blink"};
    EXPECT_THAT(numbers(read(path, options)), ElementsAre(1, 2, 3, 4));
}

class ArtefactLists : public SignalFiles {
  protected:
    /// Options for six epochs of one second with two samples each, with this list of artefacts.
    SignalOptions listed(const std::string& list) const {
        SignalOptions options = epochsOf(2);
        options.artefacts = write("artefacts.csv", list);
        return options;
    }
    std::vector<std::size_t> left(const std::string& list) const {
        return numbers(read(edf({"EEG Fz"}), listed(list)));
    }
    std::string refused(const std::string& list) const { return refusal(edf({"EEG Fz"}), listed(list)); }
};

TEST_F(ArtefactLists, ByNumber) {
    EXPECT_THAT(left("epoch\n2\n5\n2\n"), ElementsAre(1, 3, 4, 6));
    SignalOptions options = listed("comment\tEpoch\neye\t1\n");
    options.maximumEpochs = 2;
    const SignalSet set = read(edf({"EEG Fz"}), options);
    EXPECT_THAT(numbers(set), ElementsAre(2, 3));
    EXPECT_EQ(set.skipped[0].reason, "artefact list, line 2");
}

TEST_F(ArtefactLists, ByTime) {
    EXPECT_THAT(left("onset;duration\n1.5;1\n"), ElementsAre(1, 4, 5, 6));
    EXPECT_THAT(left("onset,duration\n1,1\n"), ElementsAre(1, 3, 4, 5, 6));  // ends touch
    EXPECT_THAT(left("onset\n3\n"), ElementsAre(1, 2, 3, 5, 6));
    EXPECT_THAT(left("epoch,onset,duration\n1,,\n,4.5,\n,5.5,0.1\n"), ElementsAre(2, 3, 4));
    const SignalSet set = read(edf({"EEG Fz"}), listed("onset\n77\n"));
    EXPECT_THAT(set.notes, Contains(HasSubstr("line 2: 77 s lies after the end of the recording at 6 s")));
}

TEST_F(ArtefactLists, ByFile) {
    EXPECT_THAT(
        left("file,epoch\ntest.edf,1\nother.edf,2\ntest,3\n" + (folder_ / "test.edf").string() + ",4\n"),
        ElementsAre(2, 5, 6));
    EXPECT_THAT(left("file,epoch\nother.edf,99\n"), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(ArtefactLists, Refusals) {
    EXPECT_THAT(refused("epoch\n7\n"), AllOf(HasSubstr("artefacts.csv: artefact list, line 2: epoch 7"),
                                             HasSubstr("test.edf has 6 epochs of 2 samples")));
    EXPECT_THAT(refused("epoch\n1\n0\n"), AllOf(HasSubstr("line 3"), HasSubstr("a whole number from 1")));
    EXPECT_THAT(refused("epoch\n1.5\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("epoch\nabc\n"), HasSubstr("'abc'"));
    EXPECT_THAT(refused("onset,duration\n-1,2\n"), HasSubstr("a time in seconds"));
    EXPECT_THAT(refused("onset,duration\n1,x\n"), HasSubstr("a duration in seconds"));
    EXPECT_THAT(refused("onset,epoch\n1,1\n"), HasSubstr("an epoch and an onset"));
    EXPECT_THAT(refused("file,epoch\ntest.edf,\n"), HasSubstr("neither an epoch nor an onset"));
    EXPECT_THAT(refused("file,epoch\n,1\n"), HasSubstr("no file"));
    EXPECT_THAT(refused("file,group\na,b\n"), HasSubstr("no column 'epoch' and no column 'onset'"));
    EXPECT_THAT(refused("epoch,EPOCH\n1,1\n"), HasSubstr("two columns are called"));
    EXPECT_THAT(refused("epoch,file\n1\n"), HasSubstr("line 2 has 1 fields; expected 2"));
    EXPECT_THAT(refused(""), HasSubstr("is empty"));
    EXPECT_THAT(refused("epoch\n"), HasSubstr("no rows"));
    EXPECT_THAT(refused("epoch\n1\n2\n3\n4\n5\n6\n"),
                HasSubstr("all 6 epochs are left out; the first: artefact list, line 2"));
}

}  // namespace
}  // namespace glycine::crossapen
