#include "engine/crossapen/input/matrix_source.hpp"
#include "engine/crossapen/input/signal_filters.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/recordings/edf.hpp"
#include "tests/crossapen/signal_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

TEST_F(SignalFiles, EdfEpochs) {
    const SignalSet set = read(edf({"EEG Fz", "EEG Cz"}), epochsOf(5));
    EXPECT_EQ(set.name, "test.edf");
    EXPECT_THAT(set.channels, ElementsAre("EEG Fz", "EEG Cz"));
    EXPECT_THAT(set.units, ElementsAre("uV", "uV"));
    EXPECT_EQ(set.samplingRate, 2);
    EXPECT_EQ(set.description, "EDF, 2 channels, 2 Hz, 6 s");
    ASSERT_EQ(set.epochs.size(), 2U);
    EXPECT_EQ(set.epochs[1].number, 2U);
    EXPECT_EQ(set.epochs[1].firstSample, 5U);
    EXPECT_EQ(set.epochs[1].onset, 2.5);
    EXPECT_THAT(row(set, 1, 0), nearly({0.5, 0.6, 0.7, 0.8, 0.9}));
    EXPECT_THAT(row(set, 0, 1), nearly({10, 10.1, 10.2, 10.3, 10.4}));
    EXPECT_THAT(set.notes, Contains("2 samples at the end make no whole epoch and are left out"));
}

TEST_F(SignalFiles, MaximumEpochsAreTheFirstOnes) {
    SignalOptions options = epochsOf(2);
    options.maximumEpochs = 2;
    EXPECT_THAT(numbers(read(edf({"EEG Fz"}), options)), ElementsAre(1, 2));
    options.maximumEpochs = 100;
    EXPECT_EQ(read(edf({"EEG Fz"}), options).epochs.size(), 6U);
}

TEST_F(SignalFiles, ChannelsByName) {
    const std::filesystem::path path = edf({"EEG Fz", "EEG Cz", "EOG left", "Fc5.", "FC6", "Status"});
    const auto chosen = [&](std::vector<std::string> names, std::vector<std::string> types = {},
                            std::vector<std::string> excluded = {}) {
        SignalOptions options = epochsOf(2);
        options.channels = std::move(names);
        options.types = std::move(types);
        options.excluded = std::move(excluded);
        return read(path, options).channels;
    };
    EXPECT_THAT(chosen({}), ElementsAre("EEG Fz", "EEG Cz", "EOG left", "Fc5.", "FC6"));
    EXPECT_THAT(chosen({"FC6", "EEG Fz", "FC6"}), ElementsAre("FC6", "EEG Fz"));
    EXPECT_THAT(chosen({"eeg fz"}), ElementsAre("EEG Fz"));
    EXPECT_THAT(chosen({"fc5"}), ElementsAre("Fc5."));
    EXPECT_THAT(chosen({"Cz"}), ElementsAre("EEG Cz"));
    EXPECT_THAT(chosen({"EEG*"}), ElementsAre("EEG Fz", "EEG Cz"));
    EXPECT_THAT(chosen({"fc?", "*z"}), ElementsAre("Fc5.", "FC6", "EEG Fz", "EEG Cz"));
    EXPECT_THAT(chosen({"Status"}), ElementsAre("Status"));
    EXPECT_THAT(chosen({}, {"eeg"}), ElementsAre("EEG Fz", "EEG Cz", "Fc5.", "FC6"));
    EXPECT_THAT(chosen({}, {"EOG"}), ElementsAre("EOG left"));
    EXPECT_THAT(chosen({"*z", "FC6"}, {"EEG"}), ElementsAre("EEG Fz", "EEG Cz", "FC6"));
    EXPECT_THAT(chosen({}, {}, {"eog*", "FC5"}), ElementsAre("EEG Fz", "EEG Cz", "FC6"));
    EXPECT_EQ(read(path, epochsOf(2)).description, "EDF, 5 of 6 channels, 2 Hz, 6 s");
}

TEST_F(SignalFiles, ChannelsThatAreNotThere) {
    const std::filesystem::path path = edf({"EEG Fz", "EEG Cz", "EOG left", "fc5"});
    const auto refused = [&](std::vector<std::string> names, std::vector<std::string> types = {},
                             std::vector<std::string> excluded = {}) {
        SignalOptions options = epochsOf(2);
        options.channels = std::move(names);
        options.types = std::move(types);
        options.excluded = std::move(excluded);
        return refusal(path, options);
    };
    EXPECT_THAT(refused({"EEG Fx"}),
                AllOf(HasSubstr("test.edf: no channel is called 'EEG Fx'"), HasSubstr("nearest: EEG Fz")));
    EXPECT_THAT(refused({"Cx"}), HasSubstr("nearest: EEG Cz"));
    EXPECT_THAT(refused({"quite different"}), HasSubstr("known: EEG Fz, EEG Cz, EOG left, fc5"));
    EXPECT_THAT(refused({"P*"}), HasSubstr("no signal matches 'P*'"));
    EXPECT_THAT(refused({}, {"MEG"}),
                AllOf(HasSubstr("no channel is of the type 'MEG'"), HasSubstr("EEG (3), EOG (1)")));
    EXPECT_THAT(refused({}, {}, {"Pz"}), HasSubstr("no channel is called 'Pz'"));
    EXPECT_THAT(refused({}, {}, {"*"}), HasSubstr("no channel is left"));
}

TEST_F(SignalFiles, NamesAreMadeUnique) {
    const std::filesystem::path path = edf({"EEG Fz", "EEG Fz", "Cz", "CZ", "EEG Fz (2)"});
    const SignalSet set = read(path, epochsOf(2));
    EXPECT_THAT(set.channels, ElementsAre("EEG Fz", "EEG Fz (3)", "Cz", "CZ", "EEG Fz (2)"));
    EXPECT_THAT(set.notes, AllOf(Contains(HasSubstr("several channels are labelled 'EEG Fz'")),
                                 Contains("a further channel labelled 'EEG Fz' is called 'EEG Fz (3)'")));
    SignalOptions options = epochsOf(2);
    options.channels = {"EEG Fz (3)"};
    EXPECT_THAT(row(read(path, options), 0, 0), nearly({10, 10.1}));
    options.channels = {"cz"};
    EXPECT_THAT(refusal(path, options), HasSubstr("several channels match 'cz': 'Cz', 'CZ'"));
}

TEST_F(SignalFiles, TextWithoutNumbersIsNoTable) {
    EXPECT_THAT(refusal(write("a.fa", ">a\nACGT\n>b\nACGA\n"), epochsOf(2)),
                HasSubstr("a.fa` may identify it"));
    EXPECT_THAT(refusal(write("a.csv", "a,b\n1,x\n"), epochsOf(2)), Not(HasSubstr("inspect")));
}

TEST_F(SignalFiles, AnnotationsAloneAreNoSignals) {
    EdfText text;
    text.reserved = "EDF+C";
    text.duration = "0";
    text.signals = {test::annotationSignal()};
    text.records = {test::annotationBytes("+0||/")};
    EXPECT_THAT(refusal(write("a.edf", text.bytes()), epochsOf(2)),
                HasSubstr("a.edf: has no signals, only annotations"));
}

TEST_F(SignalFiles, SamplingRatesMustAgree) {
    EdfText text = twoSampleRecords({"EEG Fz", "Temp"}, 3);
    text.signals[1].samples = "1";
    for (std::string& record : text.records) record.resize(6);
    const std::filesystem::path path = write("mixed.edf", text.bytes());
    EXPECT_THAT(refusal(path, epochsOf(2)),
                AllOf(HasSubstr("1 Hz: 'Temp'; 2 Hz: 'EEG Fz'"), HasSubstr("--resample")));
    SignalOptions options = epochsOf(4);
    options.channels = {"EEG Fz"};
    EXPECT_EQ(read(path, options).samplingRate, 2);
    options.channels = {};
    options.resampleRate = 2;
    const SignalSet set = read(path, options);
    EXPECT_EQ(set.samplingRate, 2);
    EXPECT_EQ(set.description, "EDF, 2 channels, 1, 2 → 2 Hz, 3 s");
    // Channels that already have the rate stay unchanged.
    EXPECT_THAT(row(set, 0, 0), nearly({0, 0.1, 0.2, 0.3}));
    EXPECT_NEAR(row(set, 0, 1)[0], 10, 0.1);
}

TEST_F(SignalFiles, EpochsDoNotCrossGaps) {
    const std::filesystem::path path = write("gaps.edf", gappedEdf());
    const SignalSet set = read(path, epochsOf(2));
    EXPECT_THAT(numbers(set), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(set.epochs[3].segment, 1U);
    EXPECT_EQ(set.epochs[3].firstSample, 0U);
    EXPECT_EQ(set.epochs[3].onset, 10);
    EXPECT_THAT(row(set, 3, 0), nearly({0.6, 0.7}));
    EXPECT_THAT(set.description, HasSubstr("in 2 segments"));
    const SignalSet longer = read(path, epochsOf(4));
    EXPECT_THAT(numbers(longer), ElementsAre(1));
    EXPECT_TRUE(longer.segments[1].empty());
    EXPECT_THAT(longer.notes,
                Contains("4 samples at the ends of 2 segments make no whole epoch and are left out"));
    EXPECT_THAT(
        refusal(path, epochsOf(7)),
        HasSubstr("the longest stretch without gaps has 6 samples; expected at least one epoch of 7"));
}

TEST_F(SignalFiles, Arrays) {
    Matrix<double> values(2, 7);
    for (std::size_t i = 0; i < 14; ++i) values.data()[i] = 0.1 * static_cast<double>(i);
    values(1, 2) = std::numeric_limits<double>::quiet_NaN();
    values(1, 3) = std::numeric_limits<double>::infinity();
    io::writeNpy<double>(folder_ / "a.npy", values.view());
    const SignalSet set = read(folder_ / "a.npy", epochsOf(3));
    EXPECT_THAT(set.channels, ElementsAre("1", "2"));
    EXPECT_EQ(set.samplingRate, 0);
    EXPECT_EQ(set.description, "NPY, 2 channels, 7 samples");
    EXPECT_EQ(set.epochs[1].onset, 3);
    EXPECT_EQ(set.epoch(1)(0, 0), values(0, 3));
    EXPECT_TRUE(std::isnan(set.epoch(0)(1, 2)));
    EXPECT_TRUE(std::isinf(set.epoch(1)(1, 0)));
    EXPECT_THAT(set.notes, Contains("channel '2': 2 samples are not finite"));
    SignalOptions options = epochsOf(2);
    options.transpose = true;
    options.samplingRate = 100;
    const SignalSet turned = read(folder_ / "a.npy", options);
    EXPECT_EQ(turned.channels.size(), 7U);
    EXPECT_EQ(turned.epoch(0)(3, 0), values(0, 3));
    EXPECT_EQ(turned.samplingRate, 100);
    EXPECT_THAT(turned.notes, Contains(HasSubstr("7 channels of 2 samples")));
}

TEST_F(SignalFiles, Tables) {
    const std::filesystem::path path =
        write("t.csv", "Fz,EEG Cz\n0.1,1\n1e-320,2\n0.30000000000000004,NA\ninf,4\n");
    const SignalSet set = read(path, epochsOf(2));
    EXPECT_THAT(set.channels, ElementsAre("Fz", "EEG Cz"));
    EXPECT_EQ(set.description, "table, 2 channels, 4 samples");
    EXPECT_THAT(row(set, 0, 0), ElementsAre(0.1, 1e-320));
    EXPECT_EQ(set.epoch(1)(0, 0), 0.30000000000000004);
    EXPECT_TRUE(std::isnan(set.epoch(1)(1, 0)));
    EXPECT_TRUE(std::isinf(set.epoch(1)(0, 1)));
    SignalOptions options = epochsOf(2);
    options.types = {"EEG"};
    EXPECT_THAT(read(path, options).channels, ElementsAre("Fz", "EEG Cz"));
    options = epochsOf(3);
    options.transpose = true;
    EXPECT_THAT(read(write("u.tsv", "a\t1\t2\t3\nb\t4\t5\t6\n"), options).channels, ElementsAre("a", "b"));
    EXPECT_THAT(refusal(write("bad.csv", "a,b\n1,2\n3,x\n"), epochsOf(1)),
                AllOf(HasSubstr("bad.csv: line 3, column 2"), HasSubstr("'x'")));
    EXPECT_THAT(refusal(write("large.csv", "a\n1e999\n"), epochsOf(1)), HasSubstr("float64"));
}

/// Appends one line for each of `count` samples.
template <class Line>
std::string lines(std::string text, std::size_t count, const Line& line) {
    for (std::size_t i = 0; i < count; ++i) text += line(i) + "\n";
    return text;
}
std::string digits(std::size_t i, std::size_t factor) {
    return std::to_string(1000 + i * factor % 997).substr(1);
}

TEST_F(SignalFiles, TablesWithDecimalCommas) {
    const std::filesystem::path path = write("x.csv", lines("u;v\n", 40, [](std::size_t i) {
                                                 return "0," + digits(i, 7919) + ";" + digits(i, 104729);
                                             }));
    const SignalSet set = read(path, epochsOf(40));
    EXPECT_THAT(set.channels, ElementsAre("u", "v"));
    EXPECT_EQ(row(set, 0, 0)[3], std::stod("0." + digits(3, 7919)));
    EXPECT_EQ(row(set, 0, 1)[3], std::stod(digits(3, 104729)));
    EXPECT_THAT(set.notes, Contains(HasSubstr("decimal commas")));
    // Without a separator of another kind, decimal commas look like additional columns.
    EXPECT_THAT(refusal(write("y.csv", lines("u,v\n", 3,
                                             [](std::size_t i) {
                                                 return "0," + digits(i, 7919) + "," + digits(i, 104729);
                                             })),
                        epochsOf(2)),
                AllOf(HasSubstr("y.csv: line 2 has 3 fields; expected 2, as the header has"),
                      HasSubstr("decimal commas")));
    EXPECT_THAT(refusal(write("z.csv", "u;v\n0,5;1\n0.7;2\n"), epochsOf(2)),
                AllOf(HasSubstr("z.csv: a decimal comma at line 2, column 1 ('0,5')"),
                      HasSubstr("a decimal point at line 3, column 1 ('0.7')")));
}

TEST_F(SignalFiles, TablesHaveNoRowNames) {
    EXPECT_THAT(refusal(write("bad.csv", "u,v\n0.1.2,3\n0.4,5\n"), epochsOf(1)),
                HasSubstr("bad.csv: line 2, column 1: '0.1.2' was found; expected a number"));
    EXPECT_THAT(
        refusal(write("bare.csv", "x,3\n0.4,5\n"), epochsOf(1)),
        AllOf(HasSubstr("bare.csv: line 1 holds text ('x' in column 1) and numbers ('3' in column 2)"),
              HasSubstr("--header")));
    SignalOptions options = epochsOf(1);
    options.header = true;
    EXPECT_THAT(read(folder_ / "bare.csv", options).channels, ElementsAre("x", "3"));
    options.header = false;
    EXPECT_THAT(refusal(folder_ / "bare.csv", options), HasSubstr("bare.csv: line 1, column 1: 'x'"));
    // In other tables, the title 'id' would name a column of row names. Here it names a channel.
    EXPECT_THAT(read(write("id.csv", "id,v\n1,3\n4,5\n"), epochsOf(1)).channels, ElementsAre("id", "v"));
    EXPECT_THAT(refusal(write("r.tsv", "a\tb\n1\t2\t3\n"), epochsOf(1)),
                AllOf(HasSubstr("line 2 has 3 fields; expected 2"), HasSubstr("row names")));
    // If channels are lines, either all lines begin with a name or none does.
    options = epochsOf(2);
    options.transpose = true;
    EXPECT_THAT(read(write("t.csv", "1,2\n3,4\n"), options).channels, ElementsAre("1", "2"));
    EXPECT_THAT(
        refusal(write("u.csv", "1..5,2,7\n3,4,8\n"), options),
        AllOf(HasSubstr("u.csv: line 2 begins with '3', line 1 with '1..5'"), HasSubstr("every line")));
}

TEST_F(SignalFiles, ColumnsOfTimesAreNoChannels) {
    const std::string text = lines("Time (s),a,n,b\n", 40, [](std::size_t i) {
        return std::to_string(static_cast<double>(i) / 128) + "," + digits(i, 7919) + "," +
               std::to_string(500 - 2 * static_cast<int>(i)) + "," + digits(i, 104729);
    });
    const std::filesystem::path path = write("t.csv", text);
    const SignalSet set = read(path, epochsOf(40));
    EXPECT_THAT(set.channels, ElementsAre("a", "b"));
    EXPECT_THAT(set.description, HasSubstr("2 of 4 channels"));
    EXPECT_THAT(set.notes,
                AllOf(Contains(AllOf(HasSubstr("'Time (s)' is left out"), HasSubstr("--keep-time"))),
                      Contains(HasSubstr("'n' is left out: it rises evenly, by -2 a sample"))));
    SignalOptions options = epochsOf(40);
    options.keepTime = true;
    EXPECT_THAT(read(path, options).channels, ElementsAre("Time (s)", "a", "n", "b"));
    options = epochsOf(40);
    options.channels = {"b", "time (s)"};
    EXPECT_THAT(read(path, options).channels, ElementsAre("b", "Time (s)"));
    options.channels = {"n"};
    EXPECT_THAT(read(path, options).channels, ElementsAre("n"));
    // A column of indices without a title, and a column of text, which no option turns into a channel.
    const std::filesystem::path bare = write(
        "i.csv", lines("", 40, [](std::size_t i) { return std::to_string(i) + "," + digits(i, 7919); }));
    EXPECT_THAT(read(bare, epochsOf(40)).channels, ElementsAre("2"));
    const std::filesystem::path dated =
        write("d.csv", lines("timestamp,a\n", 40, [](std::size_t i) {
                  return "2024-05-01 10:00:" + std::to_string(i) + "," + digits(i, 7919);
              }));
    EXPECT_THAT(read(dated, epochsOf(40)).channels, ElementsAre("a"));
    options = epochsOf(40);
    options.keepTime = true;
    EXPECT_THAT(refusal(dated, options), HasSubstr("d.csv: line 2, column 1: '2024-05-01 10:00:0'"));
    EXPECT_THAT(refusal(write("only.csv", "time\n1\n5\n2\n"), epochsOf(2)),
                HasSubstr("only.csv: has no signals, only columns of times or counters"));
}

TEST_F(SignalFiles, NamesOfTimes) {
    for (const char* name : {"time", "Time", "t", "T", "sec", "ms", "timestamp", "time_ms", "Time:512Hz",
                             "timestamps [s]", "seconds", "s", "datetime"})
        EXPECT_TRUE(isTimeName(name)) << name;
    for (const char* name : {"T3", "T", "t7", "Timur", "timeseries", "secondary", "Fz", "", "1", "MS1"})
        EXPECT_EQ(isTimeName(name), std::string(name) == "T") << name;
}

TEST_F(SignalFiles, Ramps) {
    std::vector<double> samples(100);
    for (std::size_t i = 0; i < 100; ++i) samples[i] = 5 - 0.1 * static_cast<double>(i);
    EXPECT_DOUBLE_EQ(rampStep(samples), -0.1);
    // Rounded times.
    for (std::size_t i = 0; i < 100; ++i) samples[i] = std::round(static_cast<double>(i) * 3.90625);
    EXPECT_NEAR(rampStep(samples), 3.90625, 0.01);
    EXPECT_EQ(rampStep(std::span(samples).first(15)), 0) << "few samples may be chance";
    samples[50] = samples[49];
    EXPECT_EQ(rampStep(samples), 0);
    samples[50] = std::nan("");
    EXPECT_EQ(rampStep(samples), 0);
    EXPECT_EQ(rampStep(std::vector<double>(50, 1)), 0);
    // A drift is not a ramp.
    for (std::size_t i = 0; i < 100; ++i)
        samples[i] = 0.1 * static_cast<double>(i) + 0.09 * std::sin(static_cast<double>(i) / 10);
    EXPECT_EQ(rampStep(samples), 0);
}

/// Element (e, c, s) is 100 e + 10 c + s.
Matrix<double> stack(std::size_t epochs, std::size_t channels, std::size_t samples) {
    Matrix<double> values(epochs * channels, samples);
    for (std::size_t row = 0; row < values.rows(); ++row)
        for (std::size_t s = 0; s < samples; ++s)
            values(row, s) = static_cast<double>(100 * (row / channels) + 10 * (row % channels) + s);
    return values;
}
io::NpyMatrixSource stackSource(const Matrix<double>& values, std::vector<std::size_t> shape) {
    io::NpyMatrixSource source = io::npyMatrixSource<double>(values.view());
    source.shape = std::move(shape);
    return source;
}

TEST_F(SignalFiles, Archives) {
    const Matrix<double> values = stack(1, 2, 7);
    const Matrix<double> rate(1, 1, 250.0);
    io::NpzWriter archive;
    archive.add("eeg", io::npyMatrixSource<double>(values.view()));
    archive.add("ch_names", std::vector<std::string>{"EEG Fz", "EEG Cz"});
    archive.add("sfreq", stackSource(rate, {1}));
    archive.write(folder_ / "a.npz");
    const SignalSet set = read(folder_ / "a.npz", epochsOf(3));
    EXPECT_THAT(set.channels, ElementsAre("EEG Fz", "EEG Cz"));
    EXPECT_EQ(set.description, "NPZ, 2 channels, 250 Hz, 0.028 s");
    EXPECT_THAT(row(set, 1, 1), ElementsAre(13, 14, 15));
    SignalOptions options = epochsOf(3);
    options.samplingRate = 100;
    EXPECT_THAT(refusal<UsageError>(folder_ / "a.npz", options), HasSubstr("250 Hz, which a sampling rate"));

    const Matrix<double> other = stack(1, 3, 7);
    archive.add("filtered", io::npyMatrixSource<double>(other.view()));
    archive.write(folder_ / "b.npz");
    EXPECT_THAT(read(folder_ / "b.npz", epochsOf(3)).channels, ElementsAre("EEG Fz", "EEG Cz"))
        << "'eeg' is a name of signals";
    options = epochsOf(3);
    options.array = "filtered";
    EXPECT_THAT(refusal(folder_ / "b.npz", options),
                HasSubstr("'filtered' has 3 channels of 7 samples, and there are 2 names"));
    options.array = "nothing";
    EXPECT_THAT(refusal(folder_ / "b.npz", options), HasSubstr("has no array 'nothing'; known: eeg, "));
    archive.add("signals", io::npyMatrixSource<double>(other.view()));
    archive.write(folder_ / "c.npz");
    EXPECT_THAT(refusal(folder_ / "c.npz", epochsOf(3)),
                AllOf(HasSubstr("several arrays may hold the signals"), HasSubstr("--array")));
    io::NpzWriter none;
    none.add("names", std::vector<std::string>{"a"});
    none.write(folder_ / "d.npz");
    EXPECT_THAT(refusal(folder_ / "d.npz", epochsOf(3)), HasSubstr("d.npz: none of its arrays"));
    io::NpzWriter fast;
    const Matrix<double> wrong(1, 1, -1.0);
    fast.add("x", io::npyMatrixSource<double>(values.view()));
    fast.add("fs", io::npyMatrixSource<double>(wrong.view()));
    fast.write(folder_ / "e.npz");
    EXPECT_THAT(refusal(folder_ / "e.npz", epochsOf(3)), HasSubstr("is -1; expected a sampling rate in Hz"));
}

TEST_F(SignalFiles, ArraysOfEpochs) {
    const Matrix<double> values = stack(3, 2, 5);
    io::writeNpy(folder_ / "e.npy", stackSource(values, {3, 2, 5}));
    SignalOptions options = epochsOf(2);
    options.samplingRate = 10;
    const SignalSet set = read(folder_ / "e.npy", options);
    EXPECT_EQ(set.channels.size(), 2u);
    ASSERT_EQ(set.epochs.size(), 6u) << "two in each, and none across";
    EXPECT_THAT(row(set, 3, 1), ElementsAre(112, 113));
    EXPECT_THAT(row(set, 4, 0), ElementsAre(200, 201));
    EXPECT_EQ(set.epochs[4].onset, 1.0);
    EXPECT_THAT(set.description, HasSubstr("in 3 segments"));
    EXPECT_THAT(refusal(folder_ / "e.npy", epochsOf(6)),
                AllOf(HasSubstr("has 5 samples; expected at least one epoch of 6"), HasSubstr("--epoch 5")));
    // epochs × samples × channels
    options.transpose = true;
    const SignalSet turned = read(folder_ / "e.npy", options);
    EXPECT_EQ(turned.channels.size(), 5u);
    EXPECT_THAT(row(turned, 1, 4), ElementsAre(104, 114));
    // In Fortran order, element (e, c, s) lies at e + E (c + C s).
    Matrix<double> byColumns(1, 30);
    for (std::size_t e = 0; e < 3; ++e)
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t s = 0; s < 5; ++s) byColumns(0, e + 3 * (c + 2 * s)) = values(2 * e + c, s);
    std::string header(io::npyHeaderText("<f8", std::vector<std::size_t>{3, 2, 5}));
    header.replace(header.find("False"), 5, "True ");
    header.append(reinterpret_cast<const char*>(byColumns.data()), 30 * sizeof(double));
    options = epochsOf(5);
    const SignalSet fortran = read(write("f.npy", header), options);
    ASSERT_EQ(fortran.epochs.size(), 3u);
    EXPECT_THAT(row(fortran, 2, 1), ElementsAre(210, 211, 212, 213, 214));
    EXPECT_EQ(fortran.epochs[2].onset, 10) << "samples where no rate is known";
    io::writeNpy(folder_ / "v.npy", io::npyVectorSource<double>(std::vector<double>{1, 2, 3}));
    EXPECT_THAT(refusal(folder_ / "v.npy", epochsOf(2)), HasSubstr("epochs × channels × samples"));
}

TEST_F(SignalFiles, RefusesOptionsThatAFileDoesNotRead) {
    const auto refused = [&](const std::filesystem::path& path, const auto& change) {
        SignalOptions options = epochsOf(2);
        change(options);
        return refusal<UsageError>(path, options);
    };
    const std::filesystem::path table = write("a.csv", "a,b\n1,2\n3,5\n2,1\n");
    EXPECT_THAT(refused(table, [](SignalOptions& o) { o.artefactAnnotations = {"BAD*"}; }),
                HasSubstr("a.csv: only recordings"));
    EXPECT_THAT(refused(table, [](SignalOptions& o) { o.array = "x"; }), HasSubstr("a.csv: only .npz"));
    EXPECT_THAT(refused(edf({"EEG Fz"}), [](SignalOptions& o) { o.keepTime = true; }),
                HasSubstr("test.edf: only tables and .npz"));
}

TEST_F(SignalFiles, RatesOfFilesWithoutOne) {
    const std::filesystem::path path = write("t.csv", "a\n1\n2\n3\n4\n");
    SignalOptions options = epochsOf(2);
    options.band = FrequencyBand{0, 1};
    EXPECT_THAT(refusal(path, options), HasSubstr("has no sampling rate, which a band needs"));
    options = epochsOf(2);
    options.resampleRate = 1;
    EXPECT_THAT(refusal(path, options), HasSubstr("has no sampling rate, which resampling needs"));
    options = epochsOf(2);
    options.artefacts = write("list.csv", "onset\n1\n");
    EXPECT_THAT(refusal(path, options), HasSubstr("a time in seconds, but"));
    options.samplingRate = 2;
    const SignalSet set = read(path, options);
    EXPECT_THAT(numbers(set), ElementsAre(1));
    EXPECT_EQ(set.description, "table, 1 channel, 2 Hz, 2 s");
    options = epochsOf(2);
    options.samplingRate = 3;
    EXPECT_THAT(refusal<UsageError>(edf({"EEG Fz"}), options),
                HasSubstr("2 Hz, which a sampling rate of 3 Hz"));
    options.samplingRate = 2;
    EXPECT_EQ(read(edf({"EEG Fz"}), options).samplingRate, 2);
}

TEST_F(SignalFiles, FilesOfOtherKinds) {
    using namespace std::literals;
    const SignalOptions options = epochsOf(2);
    EXPECT_THAT(refusal(folder_ / "none.edf", options), HasSubstr("none.edf"));
    EXPECT_THAT(refusal(folder_.path(), options), HasSubstr("is a folder"));
    EXPECT_THAT(refusal(write("empty.edf", ""), options), HasSubstr("is empty"));
    EXPECT_THAT(
        refusal(write("x.dat", "\x00\x00\x00\x64\x00\x00\x00\x1f\x00\x00\x00\x14"s + std::string(50, '\0')),
                options),
        HasSubstr("x.dat: the FIF file has no channels"));
    EXPECT_THAT(refusal(write("x.gdf", "GDF 2.10" + std::string(50, '\0')), options),
                AllOf(HasSubstr("is a GDF file"), HasSubstr("mne.export")));
    EXPECT_THAT(refusal(write("x.set", "no such header"), options),
                HasSubstr("x.set: byte 0: no MATLAB file"));
    EXPECT_THAT(refusal(write("lone.fdt", "\x01\x02"s), options),
                HasSubstr("expected the header file (.set)"));
    EXPECT_THAT(refusal(write("x.npz", "PK\x03\x04 and so on"), options),
                HasSubstr("x.npz: truncated or damaged"));
    EXPECT_THAT(refusal(write("x.bin", "\x01\x02\x03"s), options),
                HasSubstr("a binary file of an unknown kind"));
    EXPECT_THAT(refusal(write("x.edf", "no such header"), options), HasSubstr("x.edf"));
    EXPECT_THAT(refusal(write("x.npy", "no such header"), options), HasSubstr("x.npy"));
    EXPECT_THAT(refusal(write("x.vhdr", "no such header\n"), options), HasSubstr("x.vhdr"));
    EXPECT_THAT(refusal(write("y.vmrk", "Brain Vision Data Exchange Marker File, Version 1.0\n"), options),
                HasSubstr("expected the header file (.vhdr)"));
    EXPECT_THAT(refusal(write("y.eeg", "\x01\x02"), options), HasSubstr("expected the header file (.vhdr)"));
    SignalOptions turned = options;
    turned.transpose = true;
    EXPECT_THAT(refusal<UsageError>(edf({"EEG Fz"}), turned), HasSubstr("can be transposed"));
    SignalOptions header = options;
    header.header = true;
    EXPECT_THAT(refusal<UsageError>(edf({"EEG Fz"}), header), HasSubstr("header line"));
}

TEST_F(SignalFiles, RefusesWrongUse) {
    const std::filesystem::path path = edf({"EEG Fz"});
    SignalOptions options = epochsOf(0);
    EXPECT_THAT(refusal<UsageError>(path, options), HasSubstr("epochs of 0 samples"));
    options = epochsOf(2);
    options.maximumEpochs = 0;
    EXPECT_THAT(refusal<UsageError>(path, options), HasSubstr("at most 0 epochs"));
    for (const double rate : {0.0, -1.0, std::nan("")}) {
        options = epochsOf(2);
        options.resampleRate = rate;
        EXPECT_THAT(refusal<UsageError>(path, options), HasSubstr("above 0"));
    }
    options = epochsOf(2);
    options.resampleRate = 1e6;
    EXPECT_THAT(refusal(path, options), HasSubstr("1000-fold at most"));
    options = epochsOf(2);
    options.band = FrequencyBand{3, 2};
    EXPECT_THAT(refusal<UsageError>(path, options), HasSubstr("0 ≤ low < high"));
    options.band = FrequencyBand{0.1, 1};
    EXPECT_THAT(refusal(path, options), HasSubstr("expected less than 1 Hz, half the sampling rate"));
}

TEST_F(SignalFiles, ShortSegmentsAreNotFiltered) {
    EdfText text = twoSampleRecords({"EEG Fz"}, 20);
    text.reserved = "EDF+D";
    text.signals.push_back(test::annotationSignal());
    for (std::size_t k = 0; k < 20; ++k)
        text.records[k] += test::annotationBytes("+" + std::to_string(k < 4 ? k : k + 5) + "||/");
    const std::filesystem::path path = write("gaps.edf", text.bytes());
    SignalOptions options = epochsOf(2);
    options.band = FrequencyBand{0, 0.5};  // falls off over 0.5 Hz: 3.3 / 0.5 Hz · 2 Hz = 13.2, hence 15 taps
    const SignalSet set = read(path, options);
    ASSERT_EQ(set.skipped.size(), 4U);
    EXPECT_EQ(set.skipped[3].reason, "its segment has 8 samples, fewer than the 15 taps of the filter");
    EXPECT_EQ(set.epochs.size(), 16U);
    EXPECT_EQ(set.epochs[0].number, 5U);
    EXPECT_EQ(set.epochs[0].onset, 9);
    options.band = FrequencyBand{0, 0.9};
    EXPECT_THAT(refusal(path, options),
                HasSubstr("takes a filter of 67 samples, 33.5 s; the longest stretch"));
    options.band = FrequencyBand{1e-300, 0.5};
    EXPECT_THAT(refusal(path, options), HasSubstr("takes a filter of"));
}

TEST_F(SignalFiles, FiltersAfterResampling) {
    Matrix<double> values(2, 4000);
    for (std::size_t i = 0; i < 4000; ++i) {
        const double t = static_cast<double>(i) / 200;
        values(0, i) = 5 + std::sin(2 * std::numbers::pi * 10 * t);
        values(1, i) = std::sin(2 * std::numbers::pi * 40 * t);
    }
    io::writeNpy<double>(folder_ / "tones.npy", values.view());
    SignalOptions options = epochsOf(100);
    options.samplingRate = 200;
    options.resampleRate = 100;
    options.band = FrequencyBand{2, 30};
    const SignalSet set = read(folder_ / "tones.npy", options);
    EXPECT_EQ(set.samplingRate, 100);
    EXPECT_EQ(set.epochs.size(), 20U);
    EXPECT_EQ(set.description,
              "NPY, 2 channels, 200 → 100 Hz, 20 s, " + BandPass({2, 30}, 100).description());
    for (std::size_t epoch = 5; epoch < 15; ++epoch)
        for (std::size_t i = 0; i < 100; ++i) {
            const double t = set.epochs[epoch].onset + static_cast<double>(i) / 100;
            EXPECT_NEAR(set.epoch(epoch)(0, i), std::sin(2 * std::numbers::pi * 10 * t), 0.005);
            EXPECT_NEAR(set.epoch(epoch)(1, i), 0, 0.004);
        }
}

TEST_F(SignalFiles, CanBeCancelled) {
    Progress cancelled({}, [] { return true; });
    EXPECT_THROW(readSignals(edf({"EEG Fz"}), epochsOf(2), cancelled), CancelledError);
}

/// Published recordings, if the files are available.
class RealSignals : public ::testing::Test {
  protected:
    std::filesystem::path file(const std::string& name) { return sharedData("crossapen/" + name); }
    void SetUp() override {
        for (const std::string name :
             {"edf/S001R01.edf", "edf/mne_test_biosemi.bdf", "odd/edfReader_edfPlusD.edf",
              "odd/mne_duplicate_channel_labels.edf", "odd/edfio_short_psg.edf",
              "odd/edfize_zero-data-records.edf", "odd/edfio_SC4001EC-Hypnogram_annotations_only.edf"})
            if (const std::string lack = lackOfData("crossapen/" + name); !lack.empty()) GTEST_SKIP() << lack;
    }
};

TEST_F(RealSignals, PhysioNet) {
    SignalOptions options;
    options.channels = {"Fc5", "C*", "iz"};
    const SignalSet set = read(file("edf/S001R01.edf"), options);
    EXPECT_EQ(set.channels.front(), "Fc5.");
    EXPECT_EQ(set.channels.back(), "Iz..");
    EXPECT_EQ(set.epochs.size(), 9U);
    EXPECT_THAT(set.description, HasSubstr("of 64 channels, 160 Hz, 61 s"));
    const io::Recording recording = io::readEdf(file("edf/S001R01.edf"));
    std::vector<double> samples(1024);
    recording.readPhysical(0, 0, 1024, samples);
    EXPECT_EQ(row(set, 1, 0), samples);
    options.channels = {};
    options.types = {"EEG"};
    EXPECT_EQ(read(file("edf/S001R01.edf"), options).channels.size(), 64U);
}

TEST_F(RealSignals, OtherFormats) {
    const SignalSet biosemi = read(file("edf/mne_test_biosemi.bdf"), epochsOf(256));
    EXPECT_EQ(biosemi.channels.size(), 72U);
    EXPECT_THAT(biosemi.channels, Not(Contains("Status")));
    const SignalSet gaps = read(file("odd/edfReader_edfPlusD.edf"), epochsOf(64));
    EXPECT_EQ(gaps.segments.size(), 6U);
    const SignalSet twins = read(file("odd/mne_duplicate_channel_labels.edf"), epochsOf(64));
    EXPECT_THAT(twins.channels, Contains("EEG F1-Ref (2)"));
    for (const char* const part : {"test.vhdr", "test.eeg", "test.vmrk"}) {
        const std::filesystem::path path = file(std::string("brainvision/") + part);
        EXPECT_EQ(read(path, epochsOf(1000)).channels.size(), 32U);
        EXPECT_EQ(signalFiles(path).size(), 3U);
    }
    SignalOptions options = epochsOf(512);
    options.resampleRate = 128;
    options.excluded = {"Event*"};
    const SignalSet mixed = read(file("odd/edfio_short_psg.edf"), options);
    EXPECT_EQ(mixed.samplingRate, 128);
    EXPECT_THAT(refusal(file("odd/edfize_zero-data-records.edf"), epochsOf(2)), HasSubstr("has no samples"));
    EXPECT_THAT(refusal(file("odd/edfio_SC4001EC-Hypnogram_annotations_only.edf"), epochsOf(2)),
                HasSubstr("has no signals, only annotations"));
}

}  // namespace
}  // namespace glycine::crossapen
