#pragma once

#include "engine/crossapen/input/signals.hpp"
#include "tests/io/recordings/recording_fixtures.hpp"
#include "tests/test.hpp"

/// Signal files for tests to read.
namespace glycine::crossapen {

inline SignalOptions epochsOf(std::size_t samples) {
    SignalOptions options;
    options.epochSamples = samples;
    return options;
}

inline SignalSet read(const std::filesystem::path& path, const SignalOptions& options) {
    Progress silent;
    SignalSet set = readSignals(path, options, silent);
    const SignalSetShape shape = inspectSignals(path, options);
    EXPECT_EQ(shape.channels, set.channels);
    EXPECT_EQ(shape.samplingRate, set.samplingRate);
    EXPECT_EQ(shape.epochs.size(), set.epochs.size());
    EXPECT_EQ(shape.skipped.size(), set.skipped.size());
    return set;
}

/// Returns the message with which readSignals and inspectSignals refuse. Both must refuse alike.
template <class Exception = InputError>
std::string refusal(const std::filesystem::path& path, const SignalOptions& options) {
    Progress silent;
    const std::string message = messageOf<Exception>([&] { readSignals(path, options, silent); });
    EXPECT_EQ(messageOf<Exception>([&] { inspectSignals(path, options); }), message);
    return message;
}

inline std::vector<double> row(const SignalSet& set, std::size_t epoch, std::size_t channel) {
    const MatrixView<const double> view = set.epoch(epoch);
    return {view.row(channel), view.row(channel) + view.columns()};
}

/// Compares approximately, because scaling rounds.
inline auto nearly(std::vector<double> values) {
    return Pointwise(DoubleEq(), std::move(values));
}

/// The numbers of the epochs.
inline std::vector<std::size_t> numbers(const SignalSet& set) {
    std::vector<std::size_t> result;
    for (const EpochOrigin& origin : set.epochs) result.push_back(origin.number);
    return result;
}

/// Records of one second with two samples. Channels count up from `first`; digital = physical · 10.
inline EdfText twoSampleRecords(const std::vector<std::string>& labels, std::size_t records) {
    EdfText edf;
    edf.signals.clear();
    for (const std::string& label : labels) {
        EdfSignalText signal;
        signal.label = label;
        edf.signals.push_back(signal);
    }
    std::int32_t value = 0;
    for (std::size_t r = 0; r < records; ++r) {
        std::string bytes;
        for (std::size_t k = 0; k < labels.size(); ++k) {
            const auto base = static_cast<std::int32_t>(100 * k);
            bytes += test::littleEndian({base + value, base + value + 1});
        }
        value += 2;
        edf.records.push_back(bytes);
    }
    return edf;
}

class SignalFiles : public ::testing::Test {
  protected:
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        writeFile(folder_ / name, bytes);
        return folder_ / name;
    }
    std::filesystem::path edf(const std::vector<std::string>& labels, std::size_t records = 6) const {
        return write("test.edf", twoSampleRecords(labels, records).bytes());
    }
    TemporaryFolder folder_;
};

/// Three records of 1 s, then one at 10 s.
inline std::string gappedEdf() {
    EdfText text = twoSampleRecords({"EEG Fz"}, 4);
    text.reserved = "EDF+D";
    text.signals.push_back(test::annotationSignal());
    const char* const onsets[] = {"+0||/", "+1||/+1.6~0.2|BAD blink|/", "+2||/", "+10||/"};
    for (std::size_t k = 0; k < 4; ++k) text.records[k] += test::annotationBytes(onsets[k]);
    return text.bytes();
}

}  // namespace glycine::crossapen
