#include "engine/io/recordings/eeglab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

constexpr std::string_view kVariable = "EEG";
constexpr std::string_view kFields[] = {"nbchan",  "trials",  "pnts",     "srate", "xmin", "data",
                                        "datfile", "setname", "chanlocs", "event", "ref"};

/// The data set is the variable EEG, or the file's variables are its fields.
const MatlabValue& dataSetOf(const MatlabValue& variables, const std::string& name) {
    const MatlabValue* eeg = variables.find(kVariable);
    const MatlabValue& found = eeg == nullptr ? variables : *eeg;
    if (found.kind != MatlabValue::Kind::Structure || found.find("srate") == nullptr ||
        found.find("nbchan") == nullptr)
        throw InputError(
            fmt::format("{}: has no EEGLAB data set: expected a structure EEG with the fields nbchan, "
                        "pnts, srate and data",
                        name));
    return found;
}

std::string textOf(const MatlabValue* value) {
    if (value == nullptr) return {};
    if (const std::optional<double> number = value->number()) return fmt::format("{}", *number);
    return std::string(trimBlanks(value->text));
}

std::optional<double> numberOf(const MatlabValue* value) {
    if (value == nullptr) return std::nullopt;
    if (const std::optional<double> number = value->number()) return number;
    const std::optional<HeaderNumber> parsed = parseHeaderNumber(value->text);
    return parsed ? std::optional(parsed->value) : std::nullopt;
}

/// The file that EEG.data names; empty if the data set holds the samples.
std::string dataFileOf(const MatlabValue& eeg) {
    const MatlabValue* data = eeg.find("data");
    if (data != nullptr && data->kind == MatlabValue::Kind::Text && data->text != "EEG") return textOf(data);
    if (data == nullptr || data->kind != MatlabValue::Kind::Numbers) return textOf(eeg.find("datfile"));
    return {};
}

/// `written` may be the old name if both files were renamed together.
std::filesystem::path companionFile(const std::filesystem::path& path, const std::string& written) {
    const std::filesystem::path file = path.parent_path() / std::filesystem::path(written).filename();
    if (std::filesystem::exists(file)) return file;
    const std::filesystem::path renamed = std::filesystem::path(path).replace_extension(file.extension());
    if (!file.extension().empty() && std::filesystem::exists(renamed)) return renamed;
    throw InputError(fmt::format("{}: the samples are in the file '{}', which is not in the same folder",
                                 path.string(), written));
}

class Assembler {
  public:
    Assembler(const MatlabValue& eeg, const std::string& name, std::optional<RecordingData> samples)
        : eeg_(eeg), samples_(std::move(samples)) {
        recording_.name = name;
        recording_.format = "EEGLAB";
    }

    Recording assemble() {
        channels_ = whole("nbchan", 1);
        points_ = whole("pnts", 1);
        trials_ = eeg_.find("trials") == nullptr ? 1 : whole("trials", 1);
        rate_ = numberOf(eeg_.find("srate")).value_or(0);
        if (!(rate_ > 0 && rate_ < 1e9))
            fail(fmt::format("EEG.srate is {}; expected a sampling rate in Hz", textOf(eeg_.find("srate"))));
        if (trials_ > 1) recording_.format = "EEGLAB, epochs";
        recording_.description = textOf(eeg_.find("setname"));
        layOut();
        addChannels();
        addEvents();
        recording_.noteDuplicateLabels();
        return std::move(recording_);
    }

  private:
    [[noreturn]] void fail(std::string_view what) const {
        throw InputError(fmt::format("{}: {}", recording_.name, what));
    }

    std::size_t whole(std::string_view field, double least) const {
        constexpr double kLargest = 1e12;
        const double value = numberOf(eeg_.find(field)).value_or(-1);
        if (!(value >= least && value <= kLargest && value == std::trunc(value)))
            fail(fmt::format("EEG.{} is '{}'; expected a whole number from {} on", field,
                             excerpt(textOf(eeg_.find(field))), least));
        return static_cast<std::size_t>(value);
    }

    /// The samples of a point lie together; in a .dat file, those of a channel do.
    void layOut() {
        const MatlabValue* data = eeg_.find("data");
        SampleFormat format = SampleFormat::Float32;
        bool isByChannel = false;
        if (samples_) {
            isByChannel = !samples_->layouts.empty();
            recording_.data = std::move(*samples_);
            recording_.data.layouts.clear();
        } else {
            if (data == nullptr || data->kind != MatlabValue::Kind::Numbers)
                fail("EEG.data holds no real numbers");
            format = store(*data);
        }
        const std::size_t width = sampleBytes(format);
        const double expected = static_cast<double>(channels_) * static_cast<double>(points_) *
                                static_cast<double>(trials_) * static_cast<double>(width);
        if (static_cast<double>(recording_.data.bytes.size()) != expected)
            fail(fmt::format(
                "the samples take {} bytes; expected {} of {} channels × {} points × {} trials{}",
                recording_.data.bytes.size(), expected, channels_, points_, trials_,
                static_cast<double>(recording_.data.bytes.size()) < expected ? "; was it cut short?" : ""));
        for (std::size_t k = 0; k < channels_; ++k)
            recording_.data.layouts.push_back(
                isByChannel ? SampleLayout{format, k * points_ * trials_ * width, 1, width, width}
                            : SampleLayout{format, k * width, 1, width, channels_ * width});
    }

    SampleFormat store(const MatlabValue& data) {
        using enum MatlabValue::Type;
        recording_.data.bytes = data.bytes;
        recording_.data.owner = data.owner;
        switch (data.type) {
            case Float32:
                return SampleFormat::Float32;
            case Float64:
                return SampleFormat::Float64;
            case Int16:
                return SampleFormat::Int16;
            case UInt16:
                return SampleFormat::UInt16;
            case Int32:
                return SampleFormat::Int32;
            default:
                break;
        }
        requireHostMemory(recording_.name, static_cast<double>(data.count()) * sizeof(double));
        const auto numbers = std::make_shared<std::vector<double>>();
        for (std::size_t k = 0; k < data.count(); ++k) numbers->push_back(data.number(k));
        recording_.data.bytes = std::as_bytes(std::span(*numbers));
        recording_.data.owner = numbers;
        return SampleFormat::Float64;
    }

    /// EEGLAB's X axis points to the front, its Y axis to the left.
    void addChannels() {
        const MatlabValue* places = eeg_.find("chanlocs");
        const bool hasPlaces = places != nullptr && places->kind == MatlabValue::Kind::Structure;
        if (!hasPlaces || (places->find("labels", channels_ - 1) == nullptr))
            recording_.notes.push_back("EEG.chanlocs does not name all channels");
        for (std::size_t k = 0; k < channels_; ++k) {
            RecordingChannel channel;
            channel.samplingRate = rate_;
            channel.unit = "µV";
            if (hasPlaces) {
                channel.label = textOf(places->find("labels", k));
                channel.type = textOf(places->find("type", k));
                const auto x = numberOf(places->find("X", k)), y = numberOf(places->find("Y", k)),
                           z = numberOf(places->find("Z", k));
                if (x && y && z) channel.position = knownPosition({-*y, *x, *z});
            }
            if (channel.type.empty()) channel.type = standardSignalType(channel.label);
            if (isStatusLabel(channel.label) || isStatusLabel(channel.type))
                channel.kind = ChannelKind::Status;
            recording_.channels.push_back(std::move(channel));
        }
    }

    void addEvents() {
        struct Event {
            double place = 0;  ///< in points, from 0
            double duration = 0;
            std::string text;
        };
        const auto length = static_cast<double>(points_ * trials_);
        std::vector<Event> cuts, marks;
        RepeatedNote odd;
        const MatlabValue* events = eeg_.find("event");
        for (std::size_t k = 0; events != nullptr && events->find("latency", k) != nullptr; ++k) {
            const double place = numberOf(events->find("latency", k)).value_or(-1) - 1;
            Event event{place, numberOf(events->find("duration", k)).value_or(0),
                        textOf(events->find("type", k))};
            if (!(event.duration >= 0 && event.duration < 1e15)) event.duration = 0;
            if (!(place >= -1 && place <= length) || event.text.empty()) {
                odd.add(fmt::format("event {} ('{}') has no place within the recording", k + 1,
                                    excerpt(event.text)));
                continue;
            }
            (event.text == "boundary" && trials_ == 1 ? cuts : marks).push_back(std::move(event));
        }
        odd.appendTo(recording_.notes);
        std::stable_sort(cuts.begin(), cuts.end(),
                         [](const Event& a, const Event& b) { return a.place < b.place; });
        // A boundary lies between two points.
        const auto add = [&](double onset, std::size_t begin, std::size_t end) {
            recording_.segments.push_back(
                {onset, static_cast<double>(end - begin) / rate_, begin, end - begin});
        };
        double cutOut = 0;
        std::size_t begin = 0;
        for (const Event& cut : cuts) {
            const auto end = static_cast<std::size_t>(std::clamp(std::ceil(cut.place), 0.0, length));
            if (end > begin && end < points_) {
                add((static_cast<double>(begin) + cutOut) / rate_, begin, end);
                begin = end;
            }
            cutOut += cut.duration;
        }
        for (std::size_t trial = 0; trial < trials_; ++trial) {
            const std::size_t first = trials_ == 1 ? begin : trial * points_;
            add((static_cast<double>(first) + cutOut) / rate_, first, (trial + 1) * points_);
        }
        for (const Event& mark : marks) {
            const auto after =
                std::upper_bound(recording_.segments.begin() + 1, recording_.segments.end(), mark.place,
                                 [](double place, const RecordingSegment& segment) {
                                     return place < static_cast<double>(segment.firstRecord);
                                 });
            const RecordingSegment& segment = *(after - 1);
            recording_.annotations.push_back(
                {segment.onset + (mark.place - static_cast<double>(segment.firstRecord)) / rate_,
                 mark.duration / rate_, mark.text});
        }
    }

    const MatlabValue& eeg_;
    std::optional<RecordingData> samples_;
    Recording recording_;
    std::size_t channels_ = 0, points_ = 0, trials_ = 0;
    double rate_ = 0;
};

}  // namespace

Recording recordingOf(const MatlabValue& variables, const std::string& name,
                      std::optional<RecordingData> samples) {
    return Assembler(dataSetOf(variables, name), name, std::move(samples)).assemble();
}

Recording readEeglab(const std::filesystem::path& path) {
    const MatlabValue variables = readMatlab(path, kVariable, kFields);
    const std::string written = dataFileOf(dataSetOf(variables, path.string()));
    if (written.empty()) return recordingOf(variables, path.string(), std::nullopt);
    const std::filesystem::path companion = companionFile(path, written);
    const auto file = std::make_shared<const storage::MappedFile>(companion);
    RecordingData samples{file, file->bytes(), {}, [file] { file->requireUnchanged(); }};
    // A non-empty list of layouts marks the channel-by-channel order.
    if (lowerCase(companion.extension().string()) == ".dat") samples.layouts.emplace_back();
    return recordingOf(variables, path.string(), std::move(samples));
}

std::vector<std::filesystem::path> eeglabFiles(const std::filesystem::path& path) {
    const MatlabValue variables = readMatlab(path, kVariable, kFields);
    const std::string written = dataFileOf(dataSetOf(variables, path.string()));
    std::vector<std::filesystem::path> files{path};
    if (!written.empty()) files.push_back(companionFile(path, written));
    return files;
}

}  // namespace glycine::io
