// The fields of EDF and BDF headers: what is read, accepted with a note, and refused.
#include "engine/io/recordings/edf_header.hpp"

#include "tests/io/recordings/recording_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

EdfHeader parse(const std::string& bytes) {
    return parseEdfHeader(std::as_bytes(std::span(bytes)), "test.edf");
}

std::string refusal(const std::string& bytes) {
    return messageOf<InputError>([&] { parse(bytes); });
}

/// A valid header after `change`.
std::string changed(const std::function<void(EdfText&)>& change) {
    EdfText text;
    change(text);
    return text.bytes();
}

TEST(EdfHeader, ReadsTheFields) {
    EdfText text;
    text.patient = "MCH-0234567 F 02-MAY-1951 Haagse_Harry";
    text.reserved = "EDF+C";
    text.recordCount = "7";
    text.duration = "0.5";
    text.signals = {
        {}, {"Temp rectal", "degC", "34.4", "40.2", "-2048", "2047", "3"}, test::annotationSignal()};
    const EdfHeader header = parse(text.bytes());
    EXPECT_FALSE(header.isBdf);
    EXPECT_EQ(header.format(), "EDF+C");
    EXPECT_EQ(header.patient, "MCH-0234567 F 02-MAY-1951 Haagse_Harry");
    EXPECT_EQ(header.recording, "Startdate 12-AUG-2009 X X X");
    EXPECT_EQ(header.startDate, "2009-08-12");
    EXPECT_EQ(header.startTime, "16:15:00");
    EXPECT_EQ(header.records, 7U);
    EXPECT_EQ(header.recordDuration, 0.5);
    EXPECT_EQ(header.headerBytes(), 1024U);
    EXPECT_EQ(header.recordBytes(), 2U * (2 + 3 + 20));
    EXPECT_THAT(header.notes, IsEmpty());
    ASSERT_EQ(header.signals.size(), 3U);

    const RecordingChannel& eeg = header.signals[0].channel;
    EXPECT_EQ(eeg.label, "EEG Fp1");
    EXPECT_EQ(eeg.type, "EEG");
    EXPECT_EQ(eeg.transducer, "AgAgCl electrode");
    EXPECT_EQ(eeg.prefiltering, "HP:0.1Hz");
    EXPECT_EQ(eeg.unit, "uV");
    EXPECT_EQ(eeg.kind, ChannelKind::Signal);
    EXPECT_EQ(eeg.samplingRate, 4);
    EXPECT_EQ(eeg.gain, 0.1);
    EXPECT_EQ(eeg.offset, 0);
    EXPECT_EQ(header.signals[0].samplesPerRecord, 2U);

    const RecordingChannel& temperature = header.signals[1].channel;
    EXPECT_EQ(temperature.type, "Temp");
    EXPECT_EQ(temperature.samplingRate, 6);
    EXPECT_EQ(temperature.physicalMinimum, 34.4);
    EXPECT_EQ(temperature.physicalMaximum, 40.2);
    EXPECT_EQ(temperature.digitalMinimum, -2048);
    EXPECT_EQ(temperature.digitalMaximum, 2047);

    EXPECT_EQ(header.signals[2].channel.kind, ChannelKind::Annotations);
    EXPECT_EQ(header.signals[2].channel.samplingRate, 0);
}

TEST(EdfHeader, KnowsTheFormats) {
    const auto formatOf = [](const std::string& version, const std::string& reserved) {
        return parse(changed([&](EdfText& text) {
                   text.version = version;
                   text.reserved = reserved;
               }))
            .format();
    };
    EXPECT_EQ(formatOf("0", ""), "EDF");
    EXPECT_EQ(formatOf("0", "EDF+C"), "EDF+C");
    EXPECT_EQ(formatOf("0", "EDF+D"), "EDF+D");
    EXPECT_EQ(formatOf(test::kBdfVersion, "24BIT"), "BDF");
    EXPECT_EQ(formatOf(test::kBdfVersion, "BDF+C"), "BDF+C");
    EXPECT_EQ(formatOf(test::kBdfVersion, "BDF+D"), "BDF+D");
}

TEST(EdfHeader, SamplingRatesOfDecimalDurationsAreExact) {
    const auto rateOf = [](const std::string& samples, const std::string& duration) {
        return parse(changed([&](EdfText& text) {
                   text.signals[0].samples = samples;
                   text.duration = duration;
               }))
            .signals[0]
            .channel.samplingRate;
    };
    // In doubles, 21 / 0.7 is 30.000000000000004.
    EXPECT_EQ(rateOf("21", "0.7"), 30);
    EXPECT_EQ(rateOf("30", "1"), 30);
    EXPECT_EQ(rateOf("20", "0.1"), 200);
    EXPECT_EQ(rateOf("128", "10"), 12.8);
    EXPECT_EQ(rateOf("1", "0.001024"), 976.5625);
    EXPECT_EQ(rateOf("1", "1e-12"), 1e12);
}

TEST(EdfHeader, InvertedPolarityIsAllowed) {
    const EdfHeader header = parse(changed([](EdfText& text) {
        text.signals[0].physicalMinimum = "100";
        text.signals[0].physicalMaximum = "-100";
    }));
    EXPECT_EQ(header.signals[0].channel.gain, -0.1);
    EXPECT_THAT(header.notes, IsEmpty());
}

TEST(EdfHeader, RangesOfAnnotationsAreNotLookedAt) {
    EXPECT_THAT(parse(changed([](EdfText& text) {
                    text.reserved = "EDF+C";
                    text.signals = {{"EDF Annotations", "", "", "0", "5", "x", "20"}};
                })).notes,
                IsEmpty());
}

TEST(EdfHeader, StatusChannels) {
    for (const std::string label : {"Status", "STATUS", "Trigger"})
        EXPECT_EQ(
            parse(changed([&](EdfText& text) { text.signals[0].label = label; })).signals[0].channel.kind,
            ChannelKind::Status);
    EXPECT_EQ(
        parse(changed([](EdfText& text) { text.signals[0].label = "Status2"; })).signals[0].channel.kind,
        ChannelKind::Signal);
}

TEST(EdfHeader, YearsOfTwoDigits) {
    const auto dateOf = [](const std::string& date) {
        return parse(changed([&](EdfText& text) {
                   text.date = date;
                   text.recording = "";
               }))
            .startDate;
    };
    EXPECT_EQ(dateOf("31.12.84"), "2084-12-31");
    EXPECT_EQ(dateOf("01.01.85"), "1985-01-01");
    EXPECT_EQ(dateOf("29.02.00"), "2000-02-29");
}

TEST(EdfHeader, TheLongDateWins) {
    const EdfHeader later = parse(changed([](EdfText& text) { text.recording = "Startdate 12-AUG-2109 X"; }));
    EXPECT_EQ(later.startDate, "2109-08-12");
    EXPECT_THAT(later.notes, IsEmpty());
    const EdfHeader other = parse(changed([](EdfText& text) { text.recording = "Startdate 13-AUG-2009 X"; }));
    EXPECT_EQ(other.startDate, "2009-08-13");
    EXPECT_THAT(other.notes, ElementsAre(HasSubstr("2009-08-12 in bytes 168-175 and 2009-08-13")));
    const EdfHeader unknown = parse(changed([](EdfText& text) { text.recording = "Startdate X X X X"; }));
    EXPECT_EQ(unknown.startDate, "2009-08-12");
}

TEST(EdfHeader, InvalidDatesAreNoted) {
    for (const std::string date : {"31.02.09", "00.00.00", "12/08/09", "1.8.2009", ""}) {
        const EdfHeader header = parse(changed([&](EdfText& text) {
            text.date = date;
            text.time = "24.00.00";
            text.recording = "";
        }));
        EXPECT_EQ(header.startDate, date);
        EXPECT_EQ(header.startTime, "24.00.00");
        EXPECT_THAT(header.notes, ElementsAre("bytes 168-175 (start date): '" + date + "' is no date",
                                              "bytes 176-183 (start time): '24.00.00' is no time"));
    }
}

TEST(EdfHeader, DecimalCommasAreNoted) {
    const EdfHeader header = parse(changed([](EdfText& text) {
        text.signals[0].physicalMinimum = "-121,97";
        text.signals[0].physicalMaximum = "121,97";
        text.duration = "0,5";
    }));
    EXPECT_EQ(header.signals[0].channel.physicalMinimum, -121.97);
    EXPECT_EQ(header.recordDuration, 0.5);
    EXPECT_THAT(header.notes,
                ElementsAre("bytes 244-251 (duration of a data record in seconds): the comma in '0,5' is "
                            "read as a decimal point (and 2 more like it)"));
}

TEST(EdfHeader, NumbersMayBeSpeltInManyWays) {
    const EdfHeader header = parse(changed([](EdfText& text) {
        text.signals[0].physicalMinimum = "  -1e2";
        text.signals[0].physicalMaximum = "+100.";
        text.signals[0].digitalMinimum = "-1000.0";
        text.signals[0].digitalMaximum = "+1000";
        text.signals[0].samples = std::string("4\0garb", 6);
    }));
    EXPECT_EQ(header.signals[0].channel.gain, 0.1);
    EXPECT_EQ(header.signals[0].samplesPerRecord, 4U);
    EXPECT_THAT(header.notes, IsEmpty());
}

TEST(EdfHeader, TextThatIsNotAscii) {
    const EdfHeader latin = parse(changed([](EdfText& text) { text.signals[0].unit = "\xb5V"; }));
    EXPECT_EQ(latin.signals[0].channel.unit, "µV");
    EXPECT_THAT(
        latin.notes,
        ElementsAre("bytes 352-359 (unit of signal 1 'EEG Fp1') is not ASCII; read as Latin-1: 'µV'"));
    const EdfHeader utf8 = parse(changed([](EdfText& text) { text.patient = "Zoë"; }));
    EXPECT_EQ(utf8.patient, "Zoë");
    EXPECT_THAT(utf8.notes,
                ElementsAre(HasSubstr("patient identification) is not ASCII; read as UTF-8: 'Zoë'")));
    const EdfHeader control = parse(changed([](EdfText& text) { text.signals[0].label = "Fp1\nRef"; }));
    EXPECT_EQ(control.signals[0].channel.label, "Fp1 Ref");
    EXPECT_THAT(control.notes, ElementsAre(HasSubstr("holds control characters")));
}

TEST(EdfHeader, DigitalRangesBeyondTheSamples) {
    EXPECT_THAT(
        parse(changed([](EdfText& text) { text.signals[0].digitalMaximum = "32768"; })).notes,
        ElementsAre("signal 1 'EEG Fp1': the digital range -1000 to 32768 exceeds the 16 bits of a sample"));
    EXPECT_THAT(parse(changed([](EdfText& text) {
                    text.version = test::kBdfVersion;
                    text.signals[0].digitalMinimum = "-8388608";
                    text.signals[0].digitalMaximum = "8388607";
                })).notes,
                IsEmpty());
}

TEST(EdfHeader, MarksThatDoNotFit) {
    const EdfHeader foreign = parse(changed([](EdfText& text) {
        text.version = test::kBdfVersion;
        text.reserved = "EDF+C";
        text.signals.push_back(test::annotationSignal(20, "BDF Annotations"));
    }));
    EXPECT_EQ(foreign.format(), "BDF+C");
    EXPECT_THAT(foreign.notes, ElementsAre(HasSubstr("say 'EDF+C' in a BDF file; read as BDF+C")));
    EXPECT_THAT(parse(changed([](EdfText& text) { text.signals.push_back(test::annotationSignal()); })).notes,
                ElementsAre(HasSubstr("do not say EDF+ or BDF+; read as annotations")));
    EXPECT_THAT(parse(changed([](EdfText& text) { text.reserved = "EDF+C"; })).notes,
                ElementsAre("marked as EDF+C, but there is no annotation signal"));
}

TEST(EdfHeader, UnknownNumberOfRecords) {
    EXPECT_FALSE(parse(changed([](EdfText& text) { text.recordCount = "-1"; })).records.has_value());
}

TEST(EdfHeader, DurationZeroWithAnnotationsOnly) {
    const EdfHeader header = parse(changed([](EdfText& text) {
        text.reserved = "EDF+C";
        text.duration = "0";
        text.signals = {test::annotationSignal()};
    }));
    EXPECT_EQ(header.recordDuration, 0);
    EXPECT_FALSE(header.hasSamples());
}

TEST(EdfHeaderRefusal, ShorterThanItsHeader) {
    EXPECT_EQ(refusal(""), "test.edf: has 0 bytes; an EDF or BDF header has at least 512");
    EXPECT_EQ(refusal(EdfText().bytes().substr(0, 200)),
              "test.edf: has 200 bytes; an EDF or BDF header has at least 512");
    EXPECT_EQ(refusal(EdfText().bytes().substr(0, 511)),
              "test.edf: has 511 bytes; the header takes 512, because the number of signals is 1");
}

TEST(EdfHeaderRefusal, OtherFormats) {
    EXPECT_EQ(
        refusal("Brain Vision Data Exchange Header File Version 1.0"),
        "test.edf: bytes 0-7 (version): 'Brain Vi'; expected '0' (EDF) or the byte 255 and 'BIOSEMI' (BDF)");
    EXPECT_THAT(refusal(changed([](EdfText& text) { text.version = "1"; })),
                HasSubstr("bytes 0-7 (version): '1'"));
    EXPECT_THAT(refusal(changed([](EdfText& text) {
                    text.version =
                        "\xff"
                        "BIOSEMJ";
                })),
                HasSubstr("(version)"));
}

TEST(EdfHeaderRefusal, NumberOfSignals) {
    for (const std::string count : {"0", "-3", "x", "1.5", "", "1e4", "nan"})
        EXPECT_EQ(refusal(changed([&](EdfText& text) { text.signalCount = count.empty() ? " " : count; })),
                  "test.edf: bytes 252-255 (number of signals): '" + count +
                      "'; expected a whole number from 1 to 9999");
    EXPECT_EQ(refusal(changed([](EdfText& text) { text.signalCount = "9999"; })),
              "test.edf: bytes 184-191 (number of bytes in the header): '512'; expected 2560000, because "
              "the number of signals is 9999");
}

TEST(EdfHeaderRefusal, HeaderLength) {
    for (const std::string length : {"256", "768", "513"})
        EXPECT_EQ(refusal(changed([&](EdfText& text) { text.headerBytes = length; })),
                  "test.edf: bytes 184-191 (number of bytes in the header): '" + length +
                      "'; expected 512, because the number of signals is 1");
    EXPECT_THAT(refusal(changed([](EdfText& text) { text.headerBytes = "5l2"; })),
                HasSubstr("expected a whole number"));
}

TEST(EdfHeaderRefusal, NumberOfRecords) {
    for (const std::string count : {"-2", "ten", "1.5", "1,0"})
        EXPECT_THAT(refusal(changed([&](EdfText& text) { text.recordCount = count; })),
                    AllOf(HasSubstr("bytes 236-243 (number of data records): '" + count + "'"),
                          HasSubstr("expected a whole number from -1 to 99999999")));
}

TEST(EdfHeaderRefusal, Duration) {
    for (const std::string duration : {"-1", "1e9"})
        EXPECT_THAT(
            refusal(changed([&](EdfText& text) { text.duration = duration; })),
            HasSubstr("duration of a data record in seconds): '" + duration + "'; expected a number from 0"));
    for (const std::string duration : {"inf", "nan", "1s", "1.0.0", "1,0,0", "", "--1", "+-1"})
        EXPECT_THAT(refusal(changed([&](EdfText& text) { text.duration = duration; })),
                    HasSubstr("): '" + duration + "'; expected a number"));
    EXPECT_EQ(refusal(changed([](EdfText& text) { text.duration = "0"; })),
              "test.edf: bytes 244-251 (duration of a data record in seconds): '0'; expected more than 0, "
              "because the file has signals that are not annotations");
}

TEST(EdfHeaderRefusal, SamplesPerRecord) {
    for (const std::string samples : {"0", "-5", "2.5", "", "many"})
        EXPECT_THAT(refusal(changed([&](EdfText& text) { text.signals[0].samples = samples; })),
                    HasSubstr("bytes 472-479 (samples per data record of signal 1 'EEG Fp1'): '" + samples +
                              "'; expected a whole number from 1"));
}

TEST(EdfHeaderRefusal, Ranges) {
    const auto range = [](const std::string& minimum, const std::string& maximum) {
        return changed([&](EdfText& text) {
            text.signals.push_back({"EOG"});
            text.signals[1].digitalMinimum = minimum;
            text.signals[1].digitalMaximum = maximum;
        });
    };
    const std::string expected = "expected more than the digital minimum, which is 7";
    EXPECT_EQ(refusal(range("7", "7")),
              "test.edf: bytes 520-527 (digital maximum of signal 2 'EOG'): '7'; " + expected);
    EXPECT_THAT(refusal(range("7", "-7")), HasSubstr("'-7'; " + expected));
    EXPECT_THAT(refusal(range("low", "7")), HasSubstr("digital minimum of signal 2 'EOG'): 'low'"));
    EXPECT_THAT(refusal(range("-1e300", "7")), HasSubstr("expected a whole number from -99999999"));

    const auto physical = [](const std::string& minimum, const std::string& maximum) {
        return changed([&](EdfText& text) {
            text.signals[0].physicalMinimum = minimum;
            text.signals[0].physicalMaximum = maximum;
        });
    };
    EXPECT_THAT(
        refusal(physical("5", "5.0")),
        HasSubstr("physical maximum of signal 1 'EEG Fp1'): '5.0'; expected a number other than the physical "
                  "minimum, which is 5"));
    EXPECT_THAT(refusal(physical("-1e308", "1")),
                HasSubstr("'-1e308'; expected 0 or a number of a size from 1e-30"));
    EXPECT_THAT(refusal(physical("0", "1e-323")), HasSubstr("expected 0 or a number of a size"));
    EXPECT_THAT(refusal(physical("", "1")),
                HasSubstr("physical minimum of signal 1 'EEG Fp1'): ''; expected a number"));
}

}  // namespace
}  // namespace glycine::io
