// BrainVision recordings: hand-made header, markers and data, and a real recording.
#include "engine/io/recordings/brainvision.hpp"

#include "tests/io/recordings/recording_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

/// The parts of a recording of two channels at 500 Hz, for tests to change.
struct BrainVisionParts {
    std::string title = "Brain Vision Data Exchange Header File Version 1.0";
    std::string common =
        "Codepage=UTF-8\nDataFile=$b.eeg\nMarkerFile=a.vmrk\nDataFormat=BINARY\nDataOrientation=MULTIPLEXED\n"
        "NumberOfChannels=2\nSamplingInterval=2000\n";
    std::string binary = "BinaryFormat=INT_16\n";
    std::string channels = "Ch1=Fp1,Cz,0.5,µV\nCh2=Status,,,\n";
    std::string markers = "Mk1=New Segment,,1,1,0,20131113161403794232\n";
    std::string data = littleEndian({1, 10, 2, 20, 3, 30, -4, -40});

    std::string header() const {
        return title + "\n; a comment\n\n[Common Infos]\n" + common + "\n[Binary Infos]\n" + binary +
               "\n[Channel Infos]\n; Ch=…\n" + channels +
               "\n[Comment]\nCh1=not this\n[Common Infos]\nDataFile=nor this\n";
    }
    std::string markerText() const {
        return "Brain Vision Data Exchange Marker File, Version 1.0\n\n[Common "
               "Infos]\nDataFile=a.eeg\n\n[Marker "
               "Infos]\n" +
               markers;
    }
};

/// `text` with `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("no " + from);
    return text.replace(at, from.size(), to);
}

/// The recording of these parts; its data live as long as `parts`.
Recording parse(const BrainVisionParts& parts) {
    const std::string header = parts.header();
    const std::string markers = parts.markerText();
    return parseBrainVision({header, markers, std::as_bytes(std::span(parts.data)), {}}, "folder/a.vhdr");
}

std::string refusal(const BrainVisionParts& parts) {
    return messageOf<InputError>([&] { parse(parts); });
}

std::string floatBytes(const std::vector<float>& values) {
    std::vector<std::int32_t> bits;
    for (const float value : values) bits.push_back(std::bit_cast<std::int32_t>(value));
    return littleEndian(bits, 4);
}

TEST(BrainVision, PlacesOfSensors) {
    BrainVisionParts parts;
    parts.channels += "[Coordinates]\nCh1=1,-90,-72\nCh2=0,10,20\n";
    const Recording recording = parse(parts);
    // Direction to the left and front, 72° from the left.
    ASSERT_TRUE(recording.channels[0].position);
    EXPECT_NEAR((*recording.channels[0].position)[0], -std::cos(0.4 * std::numbers::pi), 1e-12);
    EXPECT_NEAR((*recording.channels[0].position)[1], std::sin(0.4 * std::numbers::pi), 1e-12);
    EXPECT_FALSE(recording.channels[1].position);
}

TEST(BrainVision, ReadsARecording) {
    const BrainVisionParts parts;
    const Recording recording = parse(parts);
    EXPECT_EQ(recording.format, "BrainVision");
    EXPECT_EQ(recording.startDate, "2013-11-13");
    EXPECT_EQ(recording.startTime, "16:14:03.794232");
    EXPECT_THAT(recording.notes, IsEmpty());
    ASSERT_EQ(recording.channels.size(), 2U);
    EXPECT_EQ(recording.channels[0].label, "Fp1");
    EXPECT_EQ(recording.channels[0].reference, "Cz");
    EXPECT_EQ(recording.channels[0].unit, "µV");
    EXPECT_EQ(recording.channels[0].gain, 0.5);
    EXPECT_EQ(recording.channels[0].samplingRate, 500);
    EXPECT_EQ(recording.channels[0].digitalMinimum, -32768);
    EXPECT_EQ(recording.channels[0].physicalMaximum, 32767 * 0.5);
    EXPECT_EQ(recording.channels[0].kind, ChannelKind::Signal);
    EXPECT_EQ(recording.channels[1].kind, ChannelKind::Status);
    EXPECT_EQ(recording.channels[1].unit, "µV");
    EXPECT_EQ(recording.channels[1].gain, 1);
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 4)));
    EXPECT_EQ(recording.segments[0].duration, 0.008);
    EXPECT_THAT(digitalSamples(recording, 0, 0), ElementsAre(1, 2, 3, -4));
    EXPECT_THAT(digitalSamples(recording, 0, 1), ElementsAre(10, 20, 30, -40));
    EXPECT_THAT(physicalSamples(recording, 0, 0), ElementsAre(0.5, 1, 1.5, -2));
    std::vector<double> piece(2);
    recording.readPhysical(0, 1, 2, piece);
    EXPECT_THAT(piece, ElementsAre(30, -40));
}

TEST(BrainVision, ChannelByChannel) {
    BrainVisionParts parts;
    parts.common = replaced(parts.common, "MULTIPLEXED", "vectorized");
    const Recording recording = parse(parts);
    EXPECT_THAT(digitalSamples(recording, 0, 0), ElementsAre(1, 10, 2, 20));
    EXPECT_THAT(digitalSamples(recording, 0, 1), ElementsAre(3, 30, -4, -40));
}

TEST(BrainVision, Formats) {
    BrainVisionParts parts;
    parts.binary = "BinaryFormat=UINT_16\n";
    parts.data = littleEndian({65535, 0, 1, 40000});
    EXPECT_THAT(digitalSamples(parse(parts), 0, 0), ElementsAre(65535, 1));
    EXPECT_THAT(digitalSamples(parse(parts), 0, 1), ElementsAre(0, 40000));
    EXPECT_EQ(parse(parts).channels[0].digitalMaximum, 65535);

    parts.binary = "BinaryFormat=int_32\n";
    parts.data = littleEndian({std::numeric_limits<std::int32_t>::min(), 70000}, 4);
    EXPECT_THAT(digitalSamples(parse(parts), 0, 0), ElementsAre(std::numeric_limits<std::int32_t>::min()));
    EXPECT_THAT(digitalSamples(parse(parts), 0, 1), ElementsAre(70000));

    parts.binary = "BinaryFormat=IEEE_FLOAT_32\nUseBigEndianOrder=NO\n";
    parts.data = floatBytes({1.5F, std::numeric_limits<float>::quiet_NaN(), -2.25F, 1e30F});
    const Recording recording = parse(parts);
    EXPECT_FALSE(recording.isDigital(0));
    EXPECT_THAT(physicalSamples(recording, 0, 0), ElementsAre(0.75, -1.125));
    EXPECT_TRUE(std::isnan(physicalSamples(recording, 0, 1)[0]));
    EXPECT_EQ(recording.channels[0].digitalMaximum, 0);
    EXPECT_EQ(messageOf<UsageError>([&] { digitalSamples(recording, 0, 0); }),
              "folder/a.vhdr: channel 'Fp1' is stored as floating-point numbers; it has no digital values");
}

TEST(BrainVision, SpellingsOfHeaders) {
    BrainVisionParts parts;
    parts.title =
        "\xef\xbb\xbf"
        "BrainVision Data Exchange Header File Version 2.0\r";
    parts.common = replaced(parts.common, "SamplingInterval=2000", "samplinginterval = 3906.25\r");
    parts.channels = "ch1=A\\1B ,,  0.1 ,\nCh2=Fp2\n";
    const Recording recording = parse(parts);
    EXPECT_EQ(recording.channels[0].label, "A,B");
    EXPECT_EQ(recording.channels[0].gain, 0.1);
    EXPECT_EQ(recording.channels[1].unit, "µV");
    EXPECT_EQ(recording.channels[0].samplingRate, 256);
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(BrainVision, Latin1) {
    BrainVisionParts parts;
    parts.channels = "Ch1=Fp1,,1,\xb5V\nCh2=Fp2,,1,mV\n";
    std::string header = replaced(parts.header(), "…", "");
    Recording recording = parseBrainVision({header, {}, std::as_bytes(std::span(parts.data)), {}}, "a.vhdr");
    EXPECT_EQ(recording.channels[0].unit, "µV");
    EXPECT_THAT(recording.notes, ElementsAre("line 5: Codepage=UTF-8, but the file is not; read as Latin-1",
                                             "the header names no marker file: gaps, if any, are unknown"));
    header = replaced(header, "Codepage=UTF-8", "Codepage=ANSI");
    recording = parseBrainVision({header, {}, std::as_bytes(std::span(parts.data)), {}}, "a.vhdr");
    EXPECT_EQ(recording.notes.size(), 1U);
}

TEST(BrainVision, OddHeadersAreNoted) {
    BrainVisionParts parts;
    parts.common = replaced(parts.common, "=2000", "=3906,25");
    parts.channels += "Ch3=Extra,,1,µV\nCh4=Extra,,1,µV\nChannelUser=x\n";
    EXPECT_THAT(parse(parts).notes,
                ElementsAre("line 11: the comma in SamplingInterval=3906,25 is read as a decimal point",
                            "line 20: Ch3 is not read: NumberOfChannels is 2 (and 1 more like it)"));
    BrainVisionParts twins;
    twins.channels = "Ch1=A\nCh2=A\n";
    EXPECT_THAT(parse(twins).duplicateLabels(), ElementsAre("A"));
    EXPECT_THAT(parse(twins).notes, ElementsAre("several channels are labelled 'A'"));
}

TEST(BrainVisionMarkers, BecomeAnnotations) {
    BrainVisionParts parts;
    parts.markers += "Mk2=Stimulus,S253,3,1,0\nMk2=Comment,a\\1b,4,0,2\nMk4=SyncStatus,,1\n";
    const Recording recording = parse(parts);
    ASSERT_EQ(recording.annotations.size(), 3U);
    EXPECT_EQ(recording.annotations[0].text, "Stimulus/S253");
    EXPECT_EQ(recording.annotations[0].onset, 0.004);
    EXPECT_EQ(recording.annotations[0].duration, 0.002);
    EXPECT_EQ(recording.annotations[1].text, "Comment/a,b");
    EXPECT_EQ(recording.annotations[1].duration, std::nullopt);
    EXPECT_EQ(recording.annotations[2].text, "SyncStatus");
    EXPECT_EQ(recording.annotations[2].onset, 0);
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(BrainVisionMarkers, SegmentsBeginWhenTheirDatesSay) {
    BrainVisionParts parts;
    parts.markers +=
        "Mk2=New Segment,,3,1,0,20131113161405794232\nMk3=Stimulus,S1,4,1,0\n"
        "Mk4=New Segment,,4,1,0,20131114161403794232\nMk5=Stimulus,S1,4,1,0\n";
    const Recording recording = parse(parts);
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 2), Pair(2.0, 1), Pair(86400.0, 1)));
    EXPECT_THAT(digitalSamples(recording, 0, 1), ElementsAre(10, 20));
    EXPECT_THAT(digitalSamples(recording, 1, 1), ElementsAre(30));
    EXPECT_THAT(digitalSamples(recording, 2, 1), ElementsAre(-40));
    EXPECT_EQ(recording.annotations[0].onset, 86400);
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(BrainVisionMarkers, SegmentsWithoutUsableDates) {
    const std::string note =
        "the dates of the 2 segments do not give their onsets; they are taken to follow one another without "
        "pause";
    for (const std::string date : {"", ",0", ",00000000000000000000", ",20131113161403794232",
                                   ",20131113161402000000", ",20131313161403794232", ",2013"}) {
        BrainVisionParts parts;
        parts.markers += "Mk2=New Segment,,3,1,0" + date + "\nMk3=Stimulus,S1,4,1,0\n";
        const Recording recording = parse(parts);
        EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 2), Pair(0.004, 2)));
        EXPECT_EQ(recording.annotations[0].onset, 0.006);
        EXPECT_THAT(recording.notes, ElementsAre(note)) << date;
    }
}

TEST(BrainVisionMarkers, WhatLiesBeforeTheFirstMarkerIsASegment) {
    BrainVisionParts parts;
    parts.markers = "Mk1=New Segment,,4,1,0\nMk2=New Segment,,2,1,0\nMk3=New Segment,,4,1,0\n";
    EXPECT_THAT(stretches(parse(parts)), ElementsAre(Pair(0.0, 1), Pair(0.002, 2), Pair(0.006, 1)));
    EXPECT_EQ(parse(parts).startDate, "");
    parts.markers = "";
    EXPECT_THAT(stretches(parse(parts)), ElementsAre(Pair(0.0, 4)));
    EXPECT_THAT(parse(parts).notes, IsEmpty());
}

TEST(BrainVisionMarkers, OutsideTheRecording) {
    BrainVisionParts parts;
    parts.markers += "Mk2=Stimulus,S1,0,1,0\nMk3=Stimulus,S1,6,1,0\n";
    const Recording recording = parse(parts);
    EXPECT_EQ(recording.annotations[0].onset, -0.002);
    EXPECT_EQ(recording.annotations[1].onset, 0.01);
    EXPECT_THAT(recording.notes,
                ElementsAre("marker file, line 8: sampling point 0 lies outside the recording, which has "
                            "4 (and 1 more like it)"));
    parts.markers = "Mk1=New Segment,,5,1,0\n";
    EXPECT_EQ(refusal(parts),
              "folder/a.vmrk: line 7: a segment begins at sampling point 5; expected 1 to 4, which the "
              "data file has");
}

TEST(BrainVisionRefusal, Markers) {
    for (const std::string marker :
         {"Stimulus,S1,x,1,0", "Stimulus,S1,-1,1,0", "Stimulus,S1,1.5,1,0", "Stimulus,S1,1,y,0",
          "Stimulus,S1", "Stimulus", ",S1,1,1,0", "Stimulus,S1,,1,0", ""}) {
        BrainVisionParts parts;
        parts.markers += "Mk2=" + marker + "\n";
        EXPECT_EQ(refusal(parts),
                  "folder/a.vmrk: line 8: Mk2=" + marker +
                      "; expected TYPE,DESCRIPTION,POSITION,SIZE,CHANNEL with whole numbers from 0 on");
    }
    const BrainVisionParts parts;
    const std::string header = parts.header();
    EXPECT_THAT(messageOf<InputError>([&] {
                    parseBrainVision({header, header, std::as_bytes(std::span(parts.data)), {}}, "a.vhdr");
                }),
                HasSubstr("a.vmrk: line 1: 'Brain Vision Data Exchange Header File Version 1.0'; expected "
                          "'BrainVision Data Exchange Marker File Version 1.0'"));
}

TEST(BrainVisionRefusal, FirstLine) {
    for (const std::string title :
         {"", "0       X X X X", "Brain Vision Data Exchange Header File Version 3.0",
          "Brain Vision Data Exchange Marker File, Version 1.0", "[Common Infos]"}) {
        BrainVisionParts parts;
        parts.title = title;
        EXPECT_EQ(refusal(parts),
                  "folder/a.vhdr: line 1: '" + title +
                      "'; expected 'BrainVision Data Exchange Header File Version 1.0' (or 2.0)");
    }
}

TEST(BrainVisionRefusal, Entries) {
    const auto common = [](const std::string& from, const std::string& to) {
        BrainVisionParts parts;
        parts.common = replaced(parts.common, from, to);
        return refusal(parts);
    };
    EXPECT_EQ(common("DataFile=$b.eeg", "DataFile="),
              "folder/a.vhdr: section [Common Infos] has no DataFile; expected DataFile=…");
    EXPECT_EQ(common("BINARY", "ASCII"),
              "folder/a.vhdr: line 8: DataFormat=ASCII; expected BINARY; nothing else is read");
    EXPECT_THAT(common("SamplingInterval", "DataType=FREQUENCYDOMAIN\nSamplingInterval"),
                HasSubstr("line 11: DataType=FREQUENCYDOMAIN; expected TIMEDOMAIN"));
    EXPECT_EQ(common("MULTIPLEXED", "ROWS"),
              "folder/a.vhdr: line 9: DataOrientation=ROWS; expected MULTIPLEXED or VECTORIZED");
    for (const std::string channels : {"0", "-1", "two", "1.5", "1e9"})
        EXPECT_EQ(common("Channels=2", "Channels=" + channels),
                  "folder/a.vhdr: line 10: NumberOfChannels=" + channels +
                      "; expected a whole number from 1 to 100000");
    for (const std::string interval : {"0", "-5", "fast", "1e-9", "inf"})
        EXPECT_THAT(common("=2000", "=" + interval), HasSubstr("line 11: SamplingInterval=" + interval +
                                                               "; expected microseconds, from 0.001 to"));
    EXPECT_EQ(common("Channels=2", "Channels=3"),
              "folder/a.vhdr: section [Channel Infos] has no Ch3; expected Ch3=…");
    EXPECT_EQ(
        common("Channels=2", "Channels=2\nNumberOfchannels=3"),
        "folder/a.vhdr: line 11: NumberOfchannels=3; expected NumberOfchannels once, and line 10 has it");

    BrainVisionParts parts;
    parts.binary = "BinaryFormat=FLOAT_64\n";
    EXPECT_THAT(refusal(parts), HasSubstr("expected INT_16, UINT_16, INT_32 or IEEE_FLOAT_32"));
    parts.binary = "BinaryFormat=INT_16\nUseBigEndianOrder=YES\n";
    EXPECT_THAT(refusal(parts), HasSubstr("line 15: UseBigEndianOrder=YES; expected NO"));
}

TEST(BrainVisionRefusal, Resolutions) {
    for (const std::string resolution : {"0", "0,5", "high", "nan", "1e99"}) {
        BrainVisionParts parts;
        parts.channels = "Ch1=Fp1,," + resolution + ",µV\nCh2=Fp2\n";
        EXPECT_THAT(refusal(parts), AllOf(HasSubstr("a.vhdr: line 18: Ch1=Fp1,," + resolution),
                                          HasSubstr("a resolution that is a number other than 0")));
    }
}

TEST(BrainVisionRefusal, DataThatDoNotFit) {
    BrainVisionParts parts;
    parts.common += "DataPoints=5\n";
    EXPECT_EQ(refusal(parts),
              "folder/a.vhdr: truncated: the header announces 5 sampling points of 4 bytes; the data file "
              "a.eeg holds 4 whole ones and 0 bytes of another");
    parts = {};
    parts.data += "abc";
    EXPECT_THAT(parse(parts).notes, ElementsAre("3 bytes after the last sampling point are not read"));
    parts.common += "DataPoints=3\n";
    EXPECT_THAT(parse(parts).notes, ElementsAre("7 bytes after the last sampling point are not read"));
    parts.common = replaced(parts.common, "MULTIPLEXED", "VECTORIZED");
    EXPECT_THAT(refusal(parts),
                HasSubstr("the data file a.eeg has 19 bytes; expected 3 sampling points of 4 bytes"));
    parts = {};
    parts.data = "";
    EXPECT_THAT(parse(parts).segments, IsEmpty());
    EXPECT_THAT(parse(parts).notes, ElementsAre("there are no samples"));
}

TEST(BrainVisionFiles, AreFoundNextToTheHeader) {
    const TemporaryFolder folder;
    const BrainVisionParts parts;
    writeFile(folder / "a.vhdr", parts.header());
    EXPECT_EQ(
        messageOf<InputError>([&] { readBrainVision(folder / "a.vhdr"); }),
        (folder / "a.vhdr").string() + ": DataFile=a.eeg: there is no file " + (folder / "a.eeg").string());
    writeFile(folder / "a.eeg", parts.data);
    EXPECT_THAT(messageOf<InputError>([&] { readBrainVision(folder / "a.vhdr"); }),
                HasSubstr("MarkerFile=a.vmrk"));
    writeFile(folder / "a.vmrk", parts.markerText());
    const Recording recording = readBrainVision(folder / "a.vhdr");
    EXPECT_EQ(recording.name, (folder / "a.vhdr").string());
    EXPECT_THAT(digitalSamples(recording, 0, 0), ElementsAre(1, 2, 3, -4));
    EXPECT_THAT(messageOf<InputError>([&] { readBrainVision(folder / "b.vhdr"); }),
                HasSubstr("b.vhdr: cannot read"));
}

TEST(BrainVisionFiles, ThatWereRenamed) {
    const TemporaryFolder folder;
    BrainVisionParts parts;
    parts.common = replaced(parts.common, "$b.eeg", "old.eeg");
    writeFile(folder / "new.vhdr", parts.header());
    writeFile(folder / "new.eeg", parts.data);
    EXPECT_THAT(messageOf<InputError>([&] { readBrainVision(folder / "new.vhdr"); }),
                HasSubstr("old.eeg; the header names another file than new.eeg, was it renamed?"));
}

TEST(BrainVisionFiles, ARealOne) {
    const std::filesystem::path folder = sharedData("crossapen/brainvision");
    if (const std::string lack = lackOfData("crossapen/brainvision"); !lack.empty()) GTEST_SKIP() << lack;
    const Recording recording = readBrainVision(folder / "test.vhdr");
    EXPECT_THAT(recording.notes, IsEmpty());
    ASSERT_EQ(recording.channels.size(), 32U);
    EXPECT_EQ(recording.channels[0].label, "FP1");
    EXPECT_EQ(recording.channels[1].unit, "µV");
    EXPECT_EQ(recording.channels[28].unit, "ARU");
    EXPECT_EQ(recording.channels[0].samplingRate, 1000);
    EXPECT_EQ(recording.startDate + " " + recording.startTime, "2013-11-13 16:14:03.794232");
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 7900)));
    ASSERT_EQ(recording.annotations.size(), 13U);
    EXPECT_EQ(recording.annotations[0].text, "Stimulus/S253");
    EXPECT_EQ(recording.annotations[0].onset, 0.486);
    EXPECT_EQ(recording.annotations[12].text, "Optic/O  1");

    const std::string bytes = readFile(folder / "test.eeg");
    for (std::size_t channel = 0; channel < 32; ++channel) {
        const std::vector<std::int32_t> samples = digitalSamples(recording, 0, channel);
        ASSERT_EQ(samples.size(), 7900U);
        for (std::size_t k = 0; k < samples.size(); ++k) {
            const std::size_t at = 2 * (32 * k + channel);
            const auto low = static_cast<unsigned char>(bytes[at]);
            const auto high = static_cast<signed char>(bytes[at + 1]);
            ASSERT_EQ(samples[k], high * 256 + low);
        }
    }
}

}  // namespace
}  // namespace glycine::io
