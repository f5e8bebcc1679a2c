// Real EDF and BDF files, and odd files from other readers' test suites. The expectations were derived from
// their bytes. Samples are compared with Debian's EDFlib if it is installed.
#include <cctype>

#ifdef GLYCINE_HAVE_EDFLIB
#include <edflib.h>
#endif

#include "engine/io/recordings/edf.hpp"
#include "engine/io/recordings/edf_header.hpp"
#include "engine/io/text/header_text.hpp"
#include "tests/io/recordings/recording_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

const fs::path kFolder = sharedData("crossapen");

/// Expected contents of a file.
struct Expectation {
    std::string file;
    std::string format;
    std::string start;
    std::size_t channels = 0;
    double samplingRate = 0;  ///< of the first channel
    /// Onset and duration of each segment.
    std::vector<std::pair<double, double>> segments;
    std::size_t annotations = 0;
    std::vector<std::string> notes;
    /// Sum of all digital samples of the first channel, computed independently.
    std::int64_t sum = 0;
};

void PrintTo(const Expectation& expectation, std::ostream* out) {
    *out << expectation.file;
}

const std::vector<Expectation>& expectations() {
    static const std::vector<Expectation> all{
        {"edf/S001R01.edf", "EDF+C", "2009-08-12 16:15:00", 65, 160, {{0, 61}}, 1, {}, -7422},
        {"edf/mne_test_biosemi.bdf", "BDF", "2013-08-01 13:21:46", 73, 2048, {{0, 1}}, 0, {}, 961622701},
        {"odd/EDFjl_bdf_test.bdf",
         "BDF+C",
         "2020-02-02 02:20:20",
         8,
         250,
         {{0, 73}},
         0,
         {"bytes 192-235 (reserved) say 'EDF+C' in a BDF file; read as BDF+C",
          "marked as BDF+C, but there is no annotation signal"},
         -353537},
        {"odd/EDFjl_bdf_test.edf",
         "EDF+C",
         "2020-02-02 02:20:20",
         8,
         250,
         {{0, 73}},
         0,
         {"marked as EDF+C, but there is no annotation signal"},
         -2264953},
        {"odd/edfReader_edfPlusC.edf", "EDF+C", "2009-12-10 12:44:02", 12, 200, {{0, 20}}, 2, {}, 0},
        {"odd/edfReader_edfPlusD.edf",
         "EDF+D",
         "2009-12-10 12:44:02",
         12,
         200,
         {{0, 1}, {2, 1}, {4, 6}, {12, 1}, {15, 1}, {19, 1}},
         1,
         {},
         -1965600},
        {"odd/edfio_SC4001EC-Hypnogram_annotations_only.edf",
         "EDF+C",
         "1989-04-24 16:13:00",
         1,
         0,
         {},
         154,
         {},
         0},
        {"odd/edfio_short_psg.edf", "EDF", "1989-04-24 16:13:00", 7, 100, {{0, 300}}, 0, {}, 46710},
        {"odd/edfize_zero-data-records.edf",
         "EDF",
         "1985-01-31 20:14:57",
         14,
         1,
         {},
         0,
         {"there are no data records"},
         0},
        {"odd/mne_duplicate_channel_labels.edf",
         "EDF+C",
         "2018-04-01 14:12:44",
         4,
         250,
         {{0, 10}},
         0,
         {"several channels are labelled 'EEG F1-Ref'"},
         190136},
        {"odd/mne_uneven_samp.edf", "EDF", "2000-07-13 12:05:48", 2, 100, {{0, 110}}, 0, {}, 5390},
    };
    return all;
}

class EdfFile : public ::testing::TestWithParam<Expectation> {
  protected:
    void SetUp() override {
        if (const std::string lack = lackOfData("crossapen/" + GetParam().file); !lack.empty())
            GTEST_SKIP() << lack;
    }
    fs::path path() const { return kFolder / GetParam().file; }
};

TEST_P(EdfFile, GivesWhatItHolds) {
    const Expectation& expected = GetParam();
    const Recording recording = readEdf(path());
    EXPECT_EQ(recording.format, expected.format);
    EXPECT_EQ(recording.startDate + " " + recording.startTime, expected.start);
    ASSERT_EQ(recording.channels.size(), expected.channels);
    EXPECT_EQ(recording.channels[0].samplingRate, expected.samplingRate);
    EXPECT_EQ(recording.annotations.size(), expected.annotations);
    EXPECT_EQ(recording.notes, expected.notes);
    std::vector<std::pair<double, double>> segments;
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < recording.segments.size(); ++s) {
        segments.emplace_back(recording.segments[s].onset, recording.segments[s].duration);
        for (const std::int32_t value : test::digitalSamples(recording, s, 0)) sum += value;
    }
    EXPECT_EQ(segments, expected.segments);
    EXPECT_EQ(sum, expected.sum);
}

#ifdef GLYCINE_HAVE_EDFLIB

/// The same data after a plain header that EDFlib accepts. EDFlib refuses gaps, bytes that are not ASCII,
/// several fields that programs leave blank, and files without data records. Annotation signals become
/// ordinary signals.
std::string withPlainHeader(const std::string& bytes) {
    const EdfHeader header = parseEdfHeader(std::as_bytes(std::span(bytes)), "original");
    test::EdfText text;
    if (header.isBdf) text.version = test::kBdfVersion;
    text.patient = "";
    text.recording = "";
    text.recordCount = std::to_string(header.records.value());
    text.duration = fmt::format("{}", header.recordDuration);
    text.signals.clear();
    for (const EdfSignal& signal : header.signals)
        text.signals.push_back({fmt::format("signal {}", text.signals.size()), "uV", "-1", "1",
                                header.isBdf ? "-8388608" : "-32768", header.isBdf ? "8388607" : "32767",
                                std::to_string(signal.samplesPerRecord), "", ""});
    return text.header() + bytes.substr(header.headerBytes());
}

/// An open file of EDFlib.
class EdflibFile {
  public:
    explicit EdflibFile(const fs::path& path) {
        status_ = edfopen_file_readonly(path.c_str(), &header_, EDFLIB_READ_ALL_ANNOTATIONS);
    }
    EdflibFile(const EdflibFile&) = delete;
    EdflibFile& operator=(const EdflibFile&) = delete;
    ~EdflibFile() {
        if (isOpen()) edfclose_file(header_.handle);
    }
    bool isOpen() const { return status_ == 0; }
    const edf_hdr_struct& header() const { return header_; }
    std::vector<std::int32_t> digital(int signal) const {
        std::vector<std::int32_t> samples(static_cast<std::size_t>(header_.signalparam[signal].smp_in_file));
        edfread_digital_samples(header_.handle, signal, static_cast<int>(samples.size()), samples.data());
        return samples;
    }
    std::vector<double> physical(int signal) const {
        std::vector<double> samples(static_cast<std::size_t>(header_.signalparam[signal].smp_in_file));
        edfread_physical_samples(header_.handle, signal, static_cast<int>(samples.size()), samples.data());
        return samples;
    }

  private:
    edf_hdr_struct header_{};
    int status_ = -1;
};

TEST_P(EdfFile, HasTheSamplesThatEdflibReads) {
    const Recording recording = readEdf(path());
    if (recording.segments.empty()) GTEST_SKIP() << "the file has no samples";
    const TemporaryFolder folder;
    writeFile(folder / "plain", withPlainHeader(readFile(path())));
    const EdflibFile peer(folder / "plain");
    ASSERT_TRUE(peer.isOpen());
    ASSERT_EQ(static_cast<std::size_t>(peer.header().edfsignals), recording.channels.size());
    for (std::size_t channel = 0; channel < recording.channels.size(); ++channel) {
        std::vector<std::int32_t> samples;
        for (std::size_t s = 0; s < recording.segments.size(); ++s)
            for (const std::int32_t value : test::digitalSamples(recording, s, channel))
                samples.push_back(value);
        EXPECT_EQ(samples, peer.digital(static_cast<int>(channel))) << "channel " << channel;
    }
}

/// If EDFlib accepts the file itself, also compares ranges, labels, rates and annotations.
TEST_P(EdfFile, IsUnderstoodAsEdflibDoes) {
    const EdflibFile peer(path());
    if (!peer.isOpen()) GTEST_SKIP() << "EDFlib refuses the file: " << peer.header().filetype;
    const Recording recording = readEdf(path());
    int signal = 0;
    for (std::size_t channel = 0; channel < recording.channels.size(); ++channel) {
        const RecordingChannel& ours = recording.channels[channel];
        if (ours.kind == ChannelKind::Annotations) continue;
        const edf_param_struct& theirs = peer.header().signalparam[signal];
        EXPECT_EQ(std::string(trimBlanks(theirs.label)), ours.label);
        EXPECT_EQ(std::string(trimBlanks(theirs.physdimension)), ours.unit);
        EXPECT_EQ(theirs.phys_min, ours.physicalMinimum);
        EXPECT_EQ(theirs.phys_max, ours.physicalMaximum);
        EXPECT_EQ(theirs.dig_min, ours.digitalMinimum);
        EXPECT_EQ(theirs.dig_max, ours.digitalMaximum);
        const double seconds = static_cast<double>(peer.header().datarecord_duration) / EDFLIB_TIME_DIMENSION;
        EXPECT_DOUBLE_EQ(theirs.smp_in_datarecord / seconds, ours.samplingRate);
        const double range = std::abs(ours.physicalMaximum - ours.physicalMinimum);
        EXPECT_THAT(test::physicalSamples(recording, 0, channel),
                    Pointwise(DoubleNear(1e-12 * range), peer.physical(signal)));
        ++signal;
    }
    EXPECT_EQ(signal, peer.header().edfsignals);
    ASSERT_EQ(static_cast<std::size_t>(peer.header().annotations_in_file), recording.annotations.size());
    for (std::size_t k = 0; k < recording.annotations.size(); ++k) {
        edf_annotation_struct annotation{};
        ASSERT_EQ(edf_get_annotation(peer.header().handle, static_cast<int>(k), &annotation), 0);
        EXPECT_NEAR(static_cast<double>(annotation.onset) / EDFLIB_TIME_DIMENSION,
                    recording.annotations[k].onset, 1e-7);
        EXPECT_EQ(annotation.annotation, recording.annotations[k].text);
        EXPECT_EQ(std::string(annotation.duration).empty(), !recording.annotations[k].duration.has_value());
    }
}

#else

TEST_P(EdfFile, HasTheSamplesThatEdflibReads) {
    GTEST_SKIP() << "needs: libedf-dev when the tests are built";
}

#endif

INSTANTIATE_TEST_SUITE_P(, EdfFile, ::testing::ValuesIn(expectations()), [](const auto& instance) {
    std::string name = instance.param.file.substr(instance.param.file.find('/') + 1);
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
});

/// Covers files without an expectation above, too: each is read to its last sample, or refused by name.
TEST(EdfFolder, EveryFileIsReadOrRefused) {
    for (const char* folder : {"edf", "odd"}) {
        if (const std::string lack = lackOfData(std::string("crossapen/") + folder); !lack.empty())
            GTEST_SKIP() << lack;
        for (const fs::directory_entry& entry : fs::directory_iterator(kFolder / folder)) {
            try {
                const Recording recording = readEdf(entry.path());
                for (std::size_t s = 0; s < recording.segments.size(); ++s)
                    for (std::size_t channel = 0; channel < recording.channels.size(); ++channel)
                        test::digitalSamples(recording, s, channel);
            } catch (const InputError& error) {
                EXPECT_THAT(error.what(), StartsWith(entry.path().string()));
            }
        }
    }
}

TEST(EdfFolder, S001R01EndsInZeros) {
    const fs::path path = kFolder / "edf" / "S001R01.edf";
    if (const std::string lack = lackOfData("crossapen/edf/S001R01.edf"); !lack.empty()) GTEST_SKIP() << lack;
    const Recording recording = readEdf(path);
    const std::vector<double> samples = test::physicalSamples(recording, 0, 0);
    ASSERT_EQ(samples.size(), 9760U);
    // The digital and the physical range are both -8092 to 8092, so values are the digital ones.
    EXPECT_EQ(samples[0], test::digitalSamples(recording, 0, 0)[0]);
    for (std::size_t k = samples.size() - 128; k < samples.size(); ++k) EXPECT_EQ(samples[k], 0);
    EXPECT_EQ(recording.annotations[0].text, "T0");
    EXPECT_EQ(recording.annotations[0].duration, 60.2);
}

}  // namespace
}  // namespace glycine::io
