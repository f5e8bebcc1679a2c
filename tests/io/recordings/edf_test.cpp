// EDF and BDF: samples, annotations, and written files.
#include "engine/io/recordings/edf.hpp"
#include "tests/io/recordings/recording_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

// ---- Data records, gaps and annotations of hand-made EDF and BDF files.

std::string refusal(const EdfText& text) {
    const std::string bytes = text.bytes();
    return messageOf<InputError>([&] { parseEdfText(bytes); });
}

/// One EEG signal of two samples per second and annotations; one record per element of `lists`.
EdfText annotated(const std::string& reserved, const std::vector<std::string>& lists) {
    EdfText text;
    text.reserved = reserved;
    text.signals = {{}, annotationSignal()};
    for (std::size_t r = 0; r < lists.size(); ++r) {
        const auto first = static_cast<std::int32_t>(10 * r);
        text.records.push_back(littleEndian({first, first + 1}) + annotationBytes(lists[r]));
    }
    return text;
}

std::vector<std::string> textsOf(const Recording& recording) {
    std::vector<std::string> texts;
    for (const RecordingAnnotation& annotation : recording.annotations) texts.push_back(annotation.text);
    return texts;
}

TEST(Edf, SamplesOfSeveralRates) {
    EdfText text;
    text.duration = "2";
    text.signals = {{}, {"EOG"}};
    text.signals[0].samples = "3";
    text.signals[1].samples = "1";
    text.records = {littleEndian({1, -2, 32767, 50}), littleEndian({4, 5, -32768, 60})};
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_EQ(recording.name, "test.edf");
    EXPECT_EQ(recording.format, "EDF");
    EXPECT_EQ(recording.patient, "X X X X");
    EXPECT_EQ(recording.description, "Startdate 12-AUG-2009 X X X");
    EXPECT_EQ(recording.startDate, "2009-08-12");
    EXPECT_EQ(recording.startTime, "16:15:00");
    EXPECT_THAT(recording.notes, IsEmpty());
    ASSERT_EQ(recording.segments.size(), 1U);
    EXPECT_EQ(recording.segments[0].onset, 0);
    EXPECT_EQ(recording.segments[0].duration, 4);
    EXPECT_TRUE(recording.isDigital(0));
    EXPECT_THAT(digitalSamples(recording, 0, 0), ElementsAre(1, -2, 32767, 4, 5, -32768));
    EXPECT_THAT(digitalSamples(recording, 0, 1), ElementsAre(50, 60));
    EXPECT_THAT(physicalSamples(recording, 0, 1), ElementsAre(5, 6));
}

TEST(Edf, AnyPieceOfASegment) {
    EdfText text;
    text.signals[0].samples = "3";
    text.records = {littleEndian({0, 1, 2}), littleEndian({3, 4, 5}), littleEndian({6, 7, 8})};
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    for (std::size_t first = 0; first <= 9; ++first)
        for (std::size_t count = 0; first + count <= 9; ++count) {
            std::vector<std::int32_t> digital(count);
            std::vector<double> physical(count);
            recording.readDigital(0, 0, first, digital);
            recording.readPhysical(0, 0, first, physical);
            for (std::size_t k = 0; k < count; ++k) {
                EXPECT_EQ(digital[k], static_cast<std::int32_t>(first + k));
                EXPECT_EQ(physical[k], 0.1 * static_cast<double>(first + k));
            }
        }
}

TEST(Edf, PhysicalValuesReachTheirRange) {
    EdfText text;
    text.signals[0] = {"Temp", "degC", "34", "40", "-2849", "2731", "2"};
    text.records = {littleEndian({-2849, 2731})};
    const std::string bytes = text.bytes();
    const std::vector<double> values = physicalSamples(parseEdfText(bytes), 0, 0);
    EXPECT_NEAR(values[0], 34, 1e-13);
    EXPECT_NEAR(values[1], 40, 1e-13);
}

TEST(Edf, BdfHas24Bits) {
    EdfText text;
    text.version = test::kBdfVersion;
    text.reserved = "BDF+C";
    text.signals = {{}, annotationSignal(8, "BDF Annotations")};
    text.signals[0].samples = "4";
    text.records = {littleEndian({-8388608, 8388607, -1, 65536}, 3) +
                    annotationBytes("+0||/+0.5|blink|", 8, 3)};
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_EQ(recording.format, "BDF+C");
    EXPECT_THAT(digitalSamples(recording, 0, 0), ElementsAre(-8388608, 8388607, -1, 65536));
    EXPECT_THAT(textsOf(recording), ElementsAre("blink"));
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(Edf, CallsThatAreWrong) {
    EdfText text;
    text.records = {littleEndian({0, 1})};
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    std::vector<std::int32_t> target(2);
    const auto message = [&](std::size_t segment, std::size_t channel, std::size_t first) {
        return messageOf<UsageError>([&] { recording.readDigital(segment, channel, first, target); });
    };
    EXPECT_EQ(message(0, 1, 0), "test.edf: channel 1 of 1");
    EXPECT_EQ(message(1, 0, 0), "test.edf: segment 1 of 1");
    EXPECT_EQ(message(0, 0, 1), "test.edf: samples 1 to 3 of channel 'EEG Fp1' in segment 0, which has 2");
    EXPECT_THAT(message(0, 0, static_cast<std::size_t>(-1)), HasSubstr("which has 2"));
}

TEST(Edf, DuplicateLabels) {
    EdfText text;
    text.reserved = "EDF+C";
    text.signals = {{"A"}, {"B"}, {"A"}, {"A"}, {"C"}, {"B"}, annotationSignal(), annotationSignal()};
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_EQ(recording.channels.size(), 8U);
    EXPECT_THAT(recording.duplicateLabels(), ElementsAre("A", "B"));
    EXPECT_THAT(recording.notes, ElementsAre("there are no data records",
                                             "several channels are labelled 'A' (and 1 more like it)"));
}

TEST(EdfRecords, WholeRecordsOfATruncatedFileAreRead) {
    EdfText text;
    text.records = {littleEndian({0, 1}), littleEndian({2, 3}), littleEndian({4, 5})};
    text.duration = "0.5";
    text.recordCount = "5";
    text.records[2].resize(3);
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 2U)));
    EXPECT_THAT(
        recording.notes,
        ElementsAre("truncated: the header (bytes 236-243) announces 5 data records of 4 bytes, the file "
                    "holds 2 whole ones and 3 bytes of another: the last 1.5 s, 3 data records are missing"));
    text.recordCount = "99999999";
    text.signals[0].samples = "99999999";
    EXPECT_THAT(
        refusal(text),
        HasSubstr("99999999 data records of 199999998 bytes; the file holds no whole one, only 11 bytes"));
}

TEST(EdfRecords, BytesAfterTheLastRecordAreNoted) {
    EdfText text;
    text.records = {littleEndian({0, 1}), littleEndian({2, 3}), "abc"};
    text.recordCount = "2";
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_EQ(recording.sampleCount(0, 0), 4U);
    EXPECT_THAT(recording.notes, ElementsAre("3 bytes after the last data record are not read"));
}

TEST(EdfRecords, ARecordingThatWasNotClosed) {
    EdfText text;
    text.records = {littleEndian({0, 1}), littleEndian({2, 3}), "abc"};
    text.recordCount = "-1";
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_THAT(digitalSamples(recording, 0, 0), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(recording.notes,
                ElementsAre("the recording was not closed (-1 data records); the file has 2 whole data "
                            "records and 3 bytes of another"));
}

TEST(EdfRecords, NoRecords) {
    const std::string bytes = EdfText().bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_TRUE(recording.hasSignals());
    EXPECT_THAT(recording.segments, IsEmpty());
    EXPECT_THAT(recording.notes, ElementsAre("there are no data records"));
}

TEST(EdfRecords, AnnotationsOnly) {
    EdfText text;
    text.reserved = "EDF+C";
    text.duration = "0";
    text.signals = {annotationSignal(30)};
    text.records = {annotationBytes("+0||/+0~30630|Sleep stage W|/+30630~120|Sleep stage 1|", 30)};
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_FALSE(recording.hasSignals());
    EXPECT_THAT(recording.segments, IsEmpty());
    EXPECT_THAT(recording.notes, IsEmpty());
    ASSERT_EQ(recording.annotations.size(), 2U);
    EXPECT_EQ(recording.annotations[1].onset, 30630);
    EXPECT_EQ(recording.annotations[1].duration, 120);
    EXPECT_EQ(recording.annotations[1].text, "Sleep stage 1");
}

TEST(EdfAnnotations, OnsetsDurationsAndTexts) {
    const std::string bytes =
        annotated("EDF+C", {"+0||/+0.25~1.5|a|b|/-3|c|", "+1||d|/+1.5|\xb5|/+2|\xc2\xb5|"}).bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_THAT(recording.notes, IsEmpty());
    EXPECT_THAT(textsOf(recording), ElementsAre("a", "b", "c", "d", "µ", "µ"));
    EXPECT_EQ(recording.annotations[1].onset, 0.25);
    EXPECT_EQ(recording.annotations[1].duration, 1.5);
    EXPECT_EQ(recording.annotations[2].onset, -3);
    EXPECT_EQ(recording.annotations[2].duration, std::nullopt);
    EXPECT_EQ(recording.annotations[3].onset, 1);
}

TEST(EdfAnnotations, AListMayFillTheSignal) {
    EdfText text = annotated("EDF+C", {""});
    text.records = {littleEndian({0, 1}) +
                    annotationBytes("+0||/+1.000000|0123456789012345678901234|").substr(0, 39) + "\x14"};
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_THAT(textsOf(recording), ElementsAre("012345678901234567890123"));
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(EdfAnnotations, SeveralAnnotationSignals) {
    EdfText text;
    text.reserved = "EDF+C";
    text.signals = {annotationSignal(6), {}, annotationSignal(6)};
    text.records = {annotationBytes("+0||/+1|a|", 6) + littleEndian({0, 1}) + annotationBytes("+2|b|", 6)};
    const std::string bytes = text.bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_THAT(textsOf(recording), ElementsAre("a", "b"));
    EXPECT_THAT(digitalSamples(recording, 0, 1), ElementsAre(0, 1));
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(EdfAnnotations, ListsThatCannotBeReadAreNoted) {
    for (const auto& [list, reason] : std::vector<std::pair<std::string, std::string>>{
             {"+1|a", "does not end with the byte 0x14"},
             {"1|a|", "onset is not + or - and a number"},
             {"+|a|", "onset is not + or - and a number"},
             {"+1.2.3|a|", "onset is not + or - and a number"},
             {"+1e3|a|", "onset is not + or - and a number"},
             {"+1~|a|", "duration is not a number without sign"},
             {"+1~-2|a|", "duration is not a number without sign"}}) {
        const std::string bytes = annotated("EDF+C", {"+0||/" + list + "/+2|kept|"}).bytes();
        const Recording recording = parseEdfText(bytes);
        EXPECT_THAT(textsOf(recording), ElementsAre("kept"));
        // A header of 768 bytes, four bytes of samples, five of time-keeping.
        EXPECT_THAT(recording.notes,
                    ElementsAre(AllOf(HasSubstr("data record 1, byte 777: an annotation list is not read: "),
                                      HasSubstr(reason))))
            << list;
    }
    const std::string bytes = annotated("EDF+C", {"+0||/x/y/z", "+1||/x"}).bytes();
    EXPECT_THAT(parseEdfText(bytes).notes, ElementsAre(HasSubstr("(and 3 more like it)")));
}

TEST(EdfGaps, ContinuousRecordsAreOneSegment) {
    const std::string bytes = annotated("EDF+D", {"+0.125||", "+1.125||", "+2.125||"}).bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_EQ(recording.format, "EDF+D");
    EXPECT_THAT(stretches(recording), ElementsAre(std::pair(0.125, 3)));
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(EdfGaps, DiscontinuousFilesAreSplit) {
    const std::string bytes = annotated("EDF+D", {"+0||", "+1||", "+5.5||", "+9||", "+10||"}).bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_THAT(stretches(recording), ElementsAre(std::pair(0.0, 2), std::pair(5.5, 1), std::pair(9.0, 2)));
    EXPECT_EQ(recording.segments[2].firstRecord, 3U);
    EXPECT_EQ(recording.segments[2].duration, 2);
    EXPECT_THAT(digitalSamples(recording, 0, 0), ElementsAre(0, 1, 10, 11));
    EXPECT_THAT(digitalSamples(recording, 1, 0), ElementsAre(20, 21));
    EXPECT_THAT(digitalSamples(recording, 2, 0), ElementsAre(30, 31, 40, 41));
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(EdfGaps, RoundedOnsetsAreNoGaps) {
    // Records of 1/3 s with onsets rounded to milliseconds. With 90 samples per record, half an interval is
    // 1.9 ms.
    EdfText text = annotated("EDF+D", {"+0||", "+0.333||", "+0.667||", "+1||"});
    text.duration = "0.333333";
    const std::string bytes = text.bytes();
    EXPECT_EQ(parseEdfText(bytes).segments.size(), 1U);
}

TEST(EdfGaps, ToleranceIsHalfASample) {
    // With two samples per second, half an interval is 0.25 s.
    const auto segments = [](const std::string& onset) {
        const std::string bytes = annotated("EDF+D", {"+0||", onset + "||"}).bytes();
        return parseEdfText(bytes).segments.size();
    };
    EXPECT_EQ(segments("+1.25"), 1U);
    EXPECT_EQ(segments("+1.26"), 2U);
    EXPECT_EQ(segments("+0.75"), 1U);
    EXPECT_THAT(refusal(annotated("EDF+D", {"+0||", "+0.74||"})),
                HasSubstr("data record 2 begins at 0.74 s"));
}

TEST(EdfGaps, DiscontinuousFilesNeedTimeKeeping) {
    EXPECT_EQ(refusal(annotated("EDF+D", {"+0||", "+1|text|", "+2||"})),
              "test.edf: data record 2 of 3 has no time-keeping annotation; expected each record of an EDF+D "
              "file to state its onset, in ascending order");
    EXPECT_THAT(refusal(annotated("EDF+D", {"+0||", "", "+2||"})),
                HasSubstr("data record 2 of 3 has no time-keeping"));
    EXPECT_THAT(refusal(annotated("EDF+D", {"+0||", "+1|", "+2||"})), HasSubstr("data record 2 of 3"));
    EXPECT_EQ(refusal(annotated("EDF+D", {"+5||", "+6||", "+2||"})),
              "test.edf: data record 3 begins at 2 s, before the one that begins at 6 s has lasted 1 s; "
              "expected each record of an EDF+D file to state its onset, in ascending order");
    EdfText without;
    without.reserved = "EDF+D";
    without.records = {littleEndian({0, 1})};
    EXPECT_THAT(refusal(without), HasSubstr("data record 1 of 1 has no time-keeping annotation"));
}

TEST(EdfGaps, GapsInFilesThatClaimToHaveNone) {
    const std::string bytes = annotated("EDF+C", {"+0||", "+1||", "+4||"}).bytes();
    const Recording recording = parseEdfText(bytes);
    EXPECT_THAT(stretches(recording), ElementsAre(std::pair(0.0, 2), std::pair(4.0, 1)));
    EXPECT_THAT(recording.notes,
                ElementsAre("marked as EDF+C, which has no gaps, but its time stamps have 1, the first "
                            "after data record 2; split there"));
}

TEST(EdfGaps, UselessTimeKeepingInContinuousFiles) {
    const std::string backwards = annotated("EDF+C", {"+0||", "+0||", "+4||"}).bytes();
    EXPECT_THAT(stretches(parseEdfText(backwards)), ElementsAre(std::pair(0.0, 3)));
    EXPECT_THAT(
        parseEdfText(backwards).notes,
        ElementsAre(
            "data record 2 begins at 0 s, before the one that begins at 0 s has lasted 1 s; read as one "
            "stretch without gaps"));
    const std::string missing = annotated("EDF+C", {"+7||", "", "+9||"}).bytes();
    EXPECT_THAT(stretches(parseEdfText(missing)), ElementsAre(std::pair(0.0, 3)));
    EXPECT_THAT(parseEdfText(missing).notes,
                ElementsAre(HasSubstr("data record 2 of 3 has no time-keeping")));
}

TEST(EdfFiles, AreMappedAndShared) {
    const TemporaryFolder folder;
    EdfText text;
    text.records = {littleEndian({7, 8})};
    writeFile(folder / "a.edf", text.bytes());
    Recording copy;
    {
        const Recording recording = readEdf(folder / "a.edf");
        EXPECT_EQ(recording.name, (folder / "a.edf").string());
        copy = recording;
    }
    std::filesystem::remove(folder / "a.edf");
    EXPECT_THAT(digitalSamples(copy, 0, 0), ElementsAre(7, 8));
}

TEST(EdfFiles, ThatCannotBeRead) {
    const TemporaryFolder folder;
    EXPECT_THAT(messageOf<InputError>([&] { readEdf(folder / "none.edf"); }),
                HasSubstr("none.edf: cannot read"));
    writeFile(folder / "empty.edf", "");
    EXPECT_THAT(messageOf<InputError>([&] { readEdf(folder / "empty.edf"); }),
                HasSubstr("empty.edf: has 0 bytes"));
    EXPECT_THAT(messageOf<InputError>([&] { readEdf(folder.path()); }), HasSubstr("it is a folder"));
}

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
