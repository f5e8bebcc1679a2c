// FIF files, written tag by tag: names, calibrations, gaps, events, epochs, and damage.
#include "engine/io/recordings/fif.hpp"
#include "tests/io/recordings/recording_files.hpp"
#include "tests/io/recordings/recording_fixtures.hpp"

namespace glycine::io {
namespace {

using test::bigEndian;
using test::FifText;
using test::messageOf;
using test::physicalSamples;
using test::rawFif;
using test::stretches;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Recording fifOf(const std::string& bytes) {
    return parseFif(std::as_bytes(std::span(bytes)), "a.fif");
}
std::string refusal(const FifText& fif) {
    return messageOf<InputError>([&] { fifOf(fif.bytes); });
}

TEST(Fif, ReadsRawDataWithChannelsGapsAndAnnotations) {
    const Recording recording = fifOf(rawFif().bytes);
    EXPECT_EQ(recording.format, "FIF");
    EXPECT_EQ(recording.startDate + " " + recording.startTime, "2001-09-09 01:46:40");
    ASSERT_EQ(recording.channels.size(), 4U);
    const RecordingChannel& eeg = recording.channels[2];
    EXPECT_EQ(recording.channels[0].type + " " + recording.channels[1].type + " " + eeg.type, "MAG GRAD EEG");
    EXPECT_EQ(recording.channels[0].unit + " " + recording.channels[1].unit + " " + eeg.unit, "T T/m V");
    EXPECT_EQ(eeg.label, "EEG a long name that goes on");
    EXPECT_TRUE(eeg.isBad);
    EXPECT_FALSE(recording.channels[0].isBad);
    EXPECT_EQ(recording.channels[3].kind, ChannelKind::Status);
    EXPECT_EQ(eeg.samplingRate, 100);
    ASSERT_TRUE(eeg.position);
    EXPECT_THAT(*eeg.position, ElementsAre(0.01F, 0.02F, 0.09F));
    EXPECT_FALSE(recording.channels[0].position);

    // Two buffers of two samples are missing before the last two.
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 4U), Pair(0.08, 2U)));
    EXPECT_THAT(physicalSamples(recording, 0, 0), ElementsAre(6, 12, 18, 24));
    EXPECT_THAT(physicalSamples(recording, 1, 2), ElementsAre(250, 300));
    ASSERT_EQ(recording.annotations.size(), 1U);
    EXPECT_EQ(recording.annotations[0].text, "BAD:blink");
    EXPECT_NEAR(recording.annotations[0].onset, 0.01, 1e-7);  // the first sample is the 50th
    EXPECT_NEAR(*recording.annotations[0].duration, 0.02, 1e-7);
    EXPECT_THAT(recording.notes, ElementsAre(HasSubstr("continues in the file 'raw-1.fif'")));
}

TEST(Fif, AddsUpSkipsThatFollowEachOther) {
    FifText fif;
    fif.head().begin(102).tag(300, 4, bigEndian<float>({1, 10, 100, 0})).whole(301, {1}).whole(301, {2});
    fif.tag(300, 4, bigEndian<float>({2, 20, 200, 0})).end(102);
    EXPECT_THAT(stretches(fifOf(fif.bytes)), ElementsAre(Pair(0.0, 1U), Pair(0.04, 1U)));
}

TEST(Fif, AddsGapsThatAreCountedInSamples) {
    FifText fif;
    fif.head().begin(102).tag(300, 4, bigEndian<float>({1, 10, 100, 0})).whole(303, {3});
    fif.tag(300, 4, bigEndian<float>({2, 20, 200, 0})).end(102).end(100);
    const Recording recording = fifOf(fif.bytes);
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 1U), Pair(0.04, 1U)));
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(Fif, HasTheKindsAndUnitsOfMneConstants) {
    FifText fif;
    fif.begin(101).whole(200, {4}).floats(201, {100});
    const auto setPrefix = [&fif](int power) {
        fif.bytes.replace(fif.bytes.size() - 20, 4, bigEndian<std::int32_t>({power}));
    };
    fif.channel("a", 1100, 1);
    fif.channel("b", 1200, 1, 114);
    setPrefix(-6);
    fif.channel("c", 1300, 1);
    setPrefix(-6);
    fif.channel("d", 1, 1, 201);
    setPrefix(-15);
    fif.end(101).begin(102).tag(300, 4, bigEndian<float>({1, 2, 3, 4})).end(102);
    std::vector<std::string> found;
    for (const RecordingChannel& channel : fifOf(fif.bytes).channels)
        found.push_back(channel.type + " " + channel.unit);
    EXPECT_THAT(found, ElementsAre("FNIRS V", "Temp ", "GSR µV", "GRAD fT/m"));
}

TEST(Fif, AnnotationsWithoutADateCountFromTheFirstSampleOnlyIfTheFileHasOne) {
    const auto onset = [](bool hasDate) {
        FifText fif;
        fif.begin(101).whole(200, {1}).floats(201, {100}).channel("A", 2, 1);
        if (hasDate) fif.whole(204, {1'000'000'000, 5});
        fif.end(101).begin(3810).floats(3568, {0.51F}).floats(3569, {0.51F}).text(206, "go").end(3810);
        fif.begin(102).whole(208, {50}).tag(300, 4, bigEndian<float>({1, 2, 3})).end(102);
        return fifOf(fif.bytes).annotations.at(0).onset;
    };
    EXPECT_NEAR(onset(true), 0.51, 1e-7);
    EXPECT_NEAR(onset(false), 0.01, 1e-7);
}

TEST(Fif, SaysThatTheNameOfItsContinuationIsMissing) {
    FifText fif;
    fif.begin(101).whole(200, {1}).floats(201, {100}).channel("A", 2, 1).end(101);
    fif.begin(118).whole(115, {2}).whole(116, {1}).end(118);
    fif.begin(102).tag(300, 4, bigEndian<float>({1, 2, 3})).end(102);
    EXPECT_THAT(fifOf(fif.bytes).notes, ElementsAre(HasSubstr("whose name is missing")));
}

/// A part of a recording that begins at the given sample and goes on in `next`, if that is not empty.
FifText partFif(int first, const std::vector<float>& buffer, const std::string& next, bool isOther = false) {
    FifText fif;
    fif.head();
    if (isOther) fif.begin(101).floats(201, {200}).end(101);
    fif.begin(102).whole(208, {first}).tag(300, 4, bigEndian(buffer)).end(102);
    if (!next.empty()) fif.begin(118).whole(115, {2}).text(118, next).end(118);
    fif.end(100);
    return fif;
}

TEST(Fif, ReadsTheFilesThatContinueAnother) {
    const test::TemporaryFolder folder;
    const std::filesystem::path first = folder / "raw.fif";
    test::writeFile(first, partFif(50, {1, 10, 100, 0, 2, 20, 200, 0}, "raw-1.fif").bytes);
    EXPECT_THAT(readFif(first).notes, ElementsAre(HasSubstr("which is not in this folder")));
    test::writeFile(folder / "raw-1.fif", partFif(52, {3, 30, 300, 0}, "raw-2.fif").bytes);
    test::writeFile(folder / "raw-2.fif", partFif(56, {4, 40, 400, 0}, "").bytes);
    const Recording recording = readFif(first);
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 3U), Pair(0.06, 1U)));
    EXPECT_THAT(physicalSamples(recording, 0, 1), ElementsAre(10, 20, 30));
    EXPECT_THAT(physicalSamples(recording, 1, 1), ElementsAre(40));
    EXPECT_THAT(recording.notes, IsEmpty());
    EXPECT_THAT(fifFiles(first), ElementsAre(first, folder / "raw-1.fif", folder / "raw-2.fif"));

    const auto refused = [&](const FifText& part) {
        test::writeFile(folder / "raw-1.fif", part.bytes);
        return messageOf<InputError>([&] { readFif(first); });
    };
    EXPECT_THAT(refused(partFif(52, {3, 30, 300, 0}, "", true)),
                AllOf(HasSubstr("raw-1.fif: the FIF file continues"), HasSubstr("another sampling rate")));
    EXPECT_THAT(refused(partFif(52, {3, 30, 300, 0}, "raw.fif")),
                HasSubstr("continues in 'raw.fif', which comes before it"));
    // A folder in the name is not followed.
    EXPECT_THAT(refused(partFif(52, {3, 30, 300, 0}, "/elsewhere/raw.fif")), HasSubstr("which comes before"));
}

TEST(Fif, ReadsGzippedFiles) {
    const test::TemporaryFolder folder;
    const std::filesystem::path path = folder / "raw.fif.gz";
    const std::string bytes = rawFif().bytes;
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    const Recording recording = readFif(path);
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 4U), Pair(0.08, 2U)));
    EXPECT_THAT(physicalSamples(recording, 0, 0), ElementsAre(6, 12, 18, 24));
}

TEST(Fif, FollowsTheDirectoryWhereThereIsOne) {
    // As KIT's converter writes it: links that lead nowhere, followed by a list of all tags.
    std::string entries;
    const auto list = [&](const std::string& bytes) {
        for (std::size_t at = 0; at < bytes.size();) {
            const auto size =
                static_cast<unsigned char>(bytes[at + 11]) + 256 * static_cast<unsigned char>(bytes[at + 10]);
            entries += bytes.substr(at, 12) + bigEndian<std::int32_t>({static_cast<std::int32_t>(at)});
            at += 16 + static_cast<std::size_t>(size);
        }
    };
    FifText fif;
    fif.whole(101, {0});
    const std::size_t pointer = fif.bytes.size() - 4;
    fif.head().begin(102).tag(300, 4, bigEndian<float>({1, 10, 100, 0}), 7).end(102);
    list(fif.bytes);
    fif.bytes.replace(pointer, 4, bigEndian<std::int32_t>({static_cast<std::int32_t>(fif.bytes.size())}));
    fif.tag(102, 32, entries);
    EXPECT_THAT(physicalSamples(fifOf(fif.bytes), 0, 1), ElementsAre(10));
}

TEST(Fif, ReadsEveryRealTypeOfSamples) {
    const std::pair<int, std::string> types[] = {{16, bigEndian<std::int16_t>({-1, 2, 3, 4})},
                                                 {2, bigEndian<std::int16_t>({-1, 2, 3, 4})},
                                                 {3, bigEndian<std::int32_t>({-1, 2, 3, 4})},
                                                 {4, bigEndian<float>({-1, 2, 3, 4})},
                                                 {5, bigEndian<double>({-1, 2, 3, 4})}};
    for (const auto& [type, data] : types) {
        FifText fif;
        fif.head().begin(102).tag(300, type, data).end(102);
        const Recording recording = fifOf(fif.bytes);
        EXPECT_THAT(physicalSamples(recording, 0, 0), ElementsAre(-6)) << type;
        EXPECT_THAT(physicalSamples(recording, 0, 2), ElementsAre(1.5)) << type;
    }
}

FifText epochFif(const std::string& tail) {
    FifText fif;
    std::vector<float> data(2 * 4 * 3);
    std::iota(data.begin(), data.end(), 0.0F);
    fif.head()
        .begin(103)
        .begin(373)
        .begin(361)
        .whole(3561, {10, 0, 1, 20, 0, 9})
        .text(206, "left:1;right:2")
        .end(361);
    fif.begin(3810).floats(3568, {5}).floats(3569, {6}).text(206, "of the continuous recording").end(3810);
    fif.whole(208, {-1}).whole(209, {1}).tag(302, 0x40000004, bigEndian(data) + tail).end(373).end(103);
    return fif;
}

TEST(Fif, ReadsEpochsWithTheirEvents) {
    const Recording recording = fifOf(epochFif(bigEndian<std::int32_t>({3, 4, 2, 3})).bytes);
    EXPECT_EQ(recording.format, "FIF, epochs");
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 1U), Pair(0.03, 1U)));
    EXPECT_THAT(physicalSamples(recording, 0, 1), ElementsAre(3, 4, 5));
    // Epochs ignore the range.
    EXPECT_THAT(physicalSamples(recording, 1, 0), ElementsAre(24, 26, 28));
    ASSERT_EQ(recording.annotations.size(), 2U);
    EXPECT_EQ(recording.annotations[0].text, "left");
    EXPECT_EQ(recording.annotations[1].text, "9");
    EXPECT_DOUBLE_EQ(recording.annotations[1].onset, 0.04);
}

TEST(Fif, ReadsEpochsOfSeveralFiles) {
    const test::TemporaryFolder folder;
    FifText one = epochFif(bigEndian<std::int32_t>({3, 4, 2, 3}));
    test::writeFile(folder / "b-epo.fif", one.bytes);
    one.begin(118).whole(115, {2}).text(118, "b-epo.fif").end(118);
    test::writeFile(folder / "a-epo.fif", one.bytes);
    const Recording recording = readFif(folder / "a-epo.fif");
    EXPECT_EQ(recording.segments.size(), 4U);
    EXPECT_THAT(physicalSamples(recording, 2, 1), ElementsAre(3, 4, 5));
    std::vector<std::string> texts;
    for (const RecordingAnnotation& annotation : recording.annotations) texts.push_back(annotation.text);
    EXPECT_THAT(texts, ElementsAre("left", "9", "left", "9"));
    EXPECT_DOUBLE_EQ(recording.annotations[2].onset, 0.07);
}

TEST(Fif, ReadsWhatATruncatedFileHolds) {
    std::string bytes = rawFif().bytes;
    bytes.resize(bytes.find("raw-1.fif") - 80);
    const Recording recording = fifOf(bytes);
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 4U)));
    EXPECT_THAT(recording.notes, Contains(HasSubstr("truncated: the file ends within the tag at byte")));

    // Cut between two tags.
    FifText whole;
    whole.head().begin(102).tag(300, 4, bigEndian<float>({1, 10, 100, 0}));
    EXPECT_THAT(fifOf(whole.bytes).notes, ElementsAre(HasSubstr("the file ends within a block")));
    whole.end(102).end(100);
    EXPECT_THAT(fifOf(whole.bytes).notes, IsEmpty());
}

TEST(Fif, RefusesWhatItCannotUse) {
    FifText none;
    none.head();
    EXPECT_EQ(refusal(none), "a.fif: the FIF file has neither raw data nor epochs");
    FifText cut;
    cut.head().begin(102).whole(208, {5});
    EXPECT_THAT(refusal(cut), HasSubstr("has no samples in its raw data; was it cut short?"));
    FifText cutEarly;
    cutEarly.begin(100);
    EXPECT_THAT(refusal(cutEarly), HasSubstr("has no channels or no sampling rate; was it cut short?"));
    FifText back;
    back.whole(101, {5000}).tag(206, 10, "a", 16);
    EXPECT_THAT(refusal(back), HasSubstr("said to be at byte 16, before this one; was it cut short?"));
    none.begin(104).end(104);
    EXPECT_THAT(refusal(none), HasSubstr("has averages"));
    EXPECT_THAT(messageOf<InputError>([] { fifOf(std::string(64, 'x')); }), HasSubstr("does not begin with"));
    FifText complex;
    complex.head().begin(102).tag(300, 20, std::string(32, '\0'));
    EXPECT_THAT(refusal(complex), HasSubstr("samples of type 20"));
    FifText odd;
    odd.head().begin(102).tag(300, 4, std::string(20, '\0'));
    EXPECT_THAT(refusal(odd), HasSubstr("a buffer of 20 bytes, not a multiple of the 16"));
    FifText early;
    early.begin(102).tag(300, 4, std::string(16, '\0'));
    EXPECT_THAT(refusal(early), HasSubstr("before the channels"));
    FifText loop;
    loop.tag(108, 0, "", 4);
    EXPECT_THAT(refusal(loop), HasSubstr("said to be at byte 4"));
    FifText silent;
    silent.begin(101).whole(200, {1}).floats(201, {100}).channel("A", 2, 0).end(101);
    EXPECT_THAT(refusal(silent), HasSubstr("channel 'A' has the calibration 0"));
    for (const std::vector<std::int32_t>& tail : std::vector<std::vector<std::int32_t>>{
             {3, 4, 2, 2}, {3, 5, 2, 3}, {2, 4, 2, 3}, {-3, 4, 2, 3}, {0, 4, 2, 3}})
        EXPECT_THAT(refusal(epochFif(bigEndian(tail))),
                    HasSubstr("expected a matrix of epochs × 4 channels"));
}

}  // namespace
}  // namespace glycine::io
