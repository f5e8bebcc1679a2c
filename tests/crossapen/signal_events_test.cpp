// Tests epochs around events, references and montages, and channel selection by the types in files.
#include "tests/crossapen/signal_fixtures.hpp"
#include "tests/io/recordings/recording_files.hpp"

namespace glycine::crossapen {
namespace {

using test::bigEndian;
using test::FifText;
using test::MatlabText;
using ::testing::IsNan;

std::vector<std::string> eventsOf(const SignalSet& set) {
    std::vector<std::string> texts;
    for (const EpochOrigin& origin : set.epochs)
        texts.push_back(fmt::format("{} {}:{}", origin.event, origin.segment, origin.firstSample));
    return texts;
}

class SignalEvents : public SignalFiles {
  protected:
    /// A 6 s file with annotations. Two channels of 2 Hz count from 0 and 100 in steps of 0.1.
    std::filesystem::path annotatedEdf() const {
        EdfText text = twoSampleRecords({"EEG Fz", "EEG Cz"}, 6);
        text.reserved = "EDF+C";
        text.signals.push_back(test::annotationSignal());
        const char* const lists[] = {"+0||/+0.5|Stimulus#S  1|/",
                                     "+1||/+1.5|Stimulus#S  2|/",
                                     "+2||/+2.0|S  1|/",
                                     "+3||/+3.0|BAD|/",
                                     "+4||/",
                                     "+5||/+5.5|Stimulus#S  1|/"};
        for (std::size_t k = 0; k < 6; ++k) {
            text.records[k] += test::annotationBytes(lists[k]);
            // annotationBytes() turns slashes into zero bytes, so '#' stands for a slash.
            std::replace(text.records[k].begin(), text.records[k].end(), '#', '/');
        }
        return write("events.edf", text.bytes());
    }
};

TEST_F(SignalEvents, EpochsLieAroundAnnotationsAndMayOverlap) {
    SignalOptions options = epochsOf(4);
    options.events = {"S  1"};
    options.eventStart = -0.5;
    const SignalSet set = read(annotatedEdf(), options);
    EXPECT_THAT(eventsOf(set), ElementsAre("Stimulus/S  1 0:0", "S  1 0:3"));
    EXPECT_THAT(row(set, 1, 0), nearly({0.3, 0.4, 0.5, 0.6}));
    EXPECT_THAT(set.notes,
                Contains("1 of 3 events have no whole epoch of 4 samples around them without a gap"));

    options.events = {"stimulus/*"};
    options.artefactAnnotations = {"BAD"};
    options.eventStart = 0;
    EXPECT_THAT(eventsOf(read(annotatedEdf(), options)), ElementsAre("Stimulus/S  1 0:1"));
    options.artefactAnnotations.clear();
    EXPECT_THAT(eventsOf(read(annotatedEdf(), options)),
                ElementsAre("Stimulus/S  1 0:1", "Stimulus/S  2 0:3"));
}

TEST_F(SignalEvents, WhatIsUnusableInOneEpochStaysInAnother) {
    // The samples of the second epoch are constant. The two samples shared with the first epoch must not be
    // blanked there.
    EdfText text = twoSampleRecords({"EEG Fz", "EEG Cz"}, 4);
    text.reserved = "EDF+C";
    text.signals.push_back(test::annotationSignal());
    text.records[1] = test::littleEndian({7, 7}) + text.records[1].substr(4);
    text.records[2] = test::littleEndian({7, 7}) + text.records[2].substr(4);
    const char* const lists[] = {"+0||/+0|a|/", "+1||/+1|a|/", "+2||/", "+3||/"};
    for (std::size_t k = 0; k < 4; ++k) text.records[k] += test::annotationBytes(lists[k]);
    SignalOptions options = epochsOf(4);
    options.events = {"a"};
    const SignalSet set = read(write("flat.edf", text.bytes()), options);
    EXPECT_THAT(row(set, 0, 0), nearly({0, 0.1, 0.7, 0.7}));
    EXPECT_THAT(row(set, 1, 0), Each(IsNan()));
    EXPECT_THAT(row(set, 1, 1), nearly({10.2, 10.3, 10.4, 10.5}));
}

TEST_F(SignalEvents, EveryFormatHasThem) {
    SignalOptions options = epochsOf(2);
    options.events = {"S253"};
    const std::string header =
        "BrainVision Data Exchange Header File Version 1.0\n[Common "
        "Infos]\nDataFile=b.eeg\nMarkerFile=b.vmrk\n"
        "DataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=1\nSamplingInterval=10000\n[Binary "
        "Infos]\n"
        "BinaryFormat=INT_16\n[Channel Infos]\nCh1=Fz,,1,uV\n";
    write("b.eeg", test::littleEndian({1, 2, 3, 4, 5, 6}));
    write("b.vmrk",
          "BrainVision Data Exchange Marker File, Version 1.0\n[Marker Infos]\nMk1=Stimulus,S253,3,1,0\n");
    EXPECT_THAT(row(read(write("b.vhdr", header), options), 0, 0), nearly({3, 4}));

    options.events = {"go"};
    const std::vector<float> samples{1, 10, 2, 20, 3, 30, 4, 40};
    const MatlabText::Fields events{{"type", {MatlabText::text("go")}}, {"latency", {MatlabText::number(3)}}};
    const auto set =
        write("a.set", test::eeglabSet(MatlabText::numbers<float>(7, 7, {2, 4}, samples), 4, 1, events));
    EXPECT_THAT(row(read(set, options), 0, 1), nearly({30, 40}));

    // A trigger that rises at the second sample and stays high after the gap.
    options.events = {"5"};
    options.channels = {"MEG 2"};
    const SignalSet fif = read(write("a_raw.fif", test::rawFif().bytes), options);
    EXPECT_THAT(eventsOf(fif), ElementsAre("STI 014/5 0:1"));
    EXPECT_THAT(row(fif, 0, 0), nearly({20, 30}));

    // Only the lower 16 bits of a BioSemi status count.
    EdfText bdf;
    bdf.version = test::kBdfVersion;
    bdf.signals = {{"A1"}, {"Status", "Boolean", "-8388608", "8388607", "-8388608", "8388607", "4"}};
    bdf.signals[0].samples = "4";
    bdf.records = {test::littleEndian({1, 2, 3, 4}, 3) +
                   test::littleEndian({0x10000, 0x10000, 0x10002, 0x10002}, 3)};
    options = epochsOf(2);
    options.events = {"2"};
    EXPECT_THAT(eventsOf(read(write("a.bdf", bdf.bytes()), options)), ElementsAre("Status/2 0:2"));
}

TEST_F(SignalEvents, Refusals) {
    SignalOptions options = epochsOf(4);
    options.events = {"none"};
    EXPECT_THAT(refusal(annotatedEdf(), options),
                AllOf(HasSubstr("no event is called 'none'; known: BAD (1), S  1 (1), Stimulus/S  1 (2)")));
    options.events = {"*"};
    options.epochSamples = 400;
    EXPECT_THAT(refusal(annotatedEdf(), options),
                HasSubstr("none of 5 events has a whole epoch of 400 samples"));
    EXPECT_THAT(refusal(edf({"A"}), options),
                HasSubstr("the file has no annotations and no trigger channel"));
    EXPECT_THAT(refusal<UsageError>(write("a.csv", "a,b\n1,2\n"), options), HasSubstr("only recordings"));
    options.events.clear();
    options.eventStart = 1;
    EXPECT_THAT(refusal<UsageError>(edf({"A"}), options), HasSubstr("needs the texts of events"));
}

TEST_F(SignalEvents, ReferencesAndMontages) {
    const auto file = edf({"EEG A", "EEG B-ref", "EEG C", "EOG D"});
    SignalOptions options = epochsOf(2);
    options.reference = {"average"};
    options.channels = {"A", "D"};
    EXPECT_THAT(refusal(file, options),
                AllOf(HasSubstr("no second channel like 'EOG D'"), HasSubstr("EOG, uV, 2 Hz: 'EOG D'"),
                      HasSubstr("--channels or --types")));
    // Channels are 10 apart. The average covers all channels of the type, including unselected channels.
    options.channels = {"C", "A"};
    const SignalSet average = read(file, options);
    EXPECT_THAT(average.channels, ElementsAre("EEG C", "EEG A"));
    EXPECT_THAT(row(average, 0, 0), nearly({10, 10}));
    EXPECT_THAT(row(average, 0, 1), nearly({-10, -10}));
    EXPECT_THAT(average.description, AllOf(HasSubstr("2 of 4 channels"), HasSubstr("reference average")));
    options.excluded = {"A"};
    options.channels = {"C"};
    EXPECT_THAT(row(read(file, options), 0, 0), nearly({5, 5}));
    options.excluded.clear();
    options.reference = {"A", "D"};
    EXPECT_THAT(row(read(file, options), 0, 0), nearly({5, 5}));

    options = epochsOf(2);
    options.montage = {"C-A", "B-ref-A"};
    const SignalSet montage = read(file, options);
    EXPECT_THAT(montage.channels, ElementsAre("C-A", "B-ref-A"));
    EXPECT_THAT(row(montage, 0, 0), nearly({20, 20}));
    EXPECT_THAT(row(montage, 0, 1), nearly({10, 10}));
    EXPECT_THAT(montage.description, HasSubstr("2 differences of 4 channels"));
    options.montage = {"A-X"};
    EXPECT_THAT(refusal(file, options), HasSubstr("'A-X' in a montage; expected two of the channels"));
    options.reference = {"average"};
    EXPECT_THAT(refusal<UsageError>(file, options), HasSubstr("in which a reference cancels"));
}

TEST_F(SignalEvents, TypesAndBadMarksOfFiles) {
    SignalOptions options = epochsOf(2);
    const auto file = write("a_raw.fif", test::rawFif().bytes);
    options.types = {"MEG"};
    EXPECT_THAT(read(file, options).channels, ElementsAre("MEG 1", "MEG 2"));
    options.types = {"grad"};
    EXPECT_THAT(read(file, options).channels, ElementsAre("MEG 2"));
    options.types.clear();
    const SignalSet all = read(file, options);
    EXPECT_THAT(all.channels, ElementsAre("MEG 1", "MEG 2"));
    EXPECT_THAT(all.notes, Contains("1 channel marked as bad is left out: 'EEG a long name that goes on'"));
    options.channels = {"EEG*", "MEG 1"};
    EXPECT_THAT(read(file, options).channels, ElementsAre("MEG 1"));
    options.channels = {"EEG a long name that goes on"};
    const SignalSet bad = read(file, options);
    EXPECT_THAT(row(bad, 0, 0), nearly({50, 100}));
    EXPECT_TRUE(bad.positions.at(0));
}

}  // namespace
}  // namespace glycine::crossapen
