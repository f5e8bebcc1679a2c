#include "engine/io/recordings/fif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

/// The format's numbers.
namespace fif {

// Kinds of blocks.
constexpr int kNone = 0, kInfo = 101, kRaw = 102, kEvoked = 104, kContinuous = 112, kChannelInfo = 113,
              kReference = 118, kShieldedRaw = 119, kOldEpochs = 122, kBadChannels = 359, kEvents = 361,
              kEpochs = 373, kAnnotations = 3810;
// Kinds of tags.
constexpr int kFileId = 100, kDirectoryPlace = 101, kDirectory = 102, kBlockStart = 104, kBlockEnd = 105,
              kRole = 115, kFileName = 118, kChannels = 200, kRate = 201, kChannel = 203, kDate = 204,
              kText = 206, kFirstSample = 208, kLongName = 258, kBuffer = 300, kSkip = 301, kEpoch = 302,
              kSkipSamples = 303, kNames = 3507, kEventList = 3561, kBegins = 3568, kEnds = 3569;
// Types of numbers.
constexpr int kIdentification = 31;
constexpr std::uint32_t kShort = 2, kInt = 3, kFloat = 4, kDouble = 5, kPack16 = 16, kMatrix = 0x40000000;

constexpr int kNextFile = 2;       // role of a reference
constexpr std::size_t kHead = 16;  // bytes of a tag before its data

/// Names of the channel kinds; other kinds, including stimuli, are ChannelKind::Status.
constexpr std::pair<int, std::string_view> kSignalKinds[] = {
    {1, "MEG"},    {2, "EEG"},   {201, "MCG"},  {202, "EOG"},    {302, "EMG"},   {402, "ECG"}, {602, "Resp"},
    {802, "SEEG"}, {803, "DBS"}, {902, "ECOG"}, {1100, "FNIRS"}, {1200, "Temp"}, {1300, "GSR"}};
constexpr std::pair<int, std::string_view> kUnits[] = {{107, "V"}, {112, "T"},  {201, "T/m"},
                                                       {1, "m"},   {101, "Hz"}, {4, "A"}};
constexpr std::pair<int, std::string_view> kPrefixes[] = {{3, "k"},  {-3, "m"},  {-6, "µ"},
                                                          {-9, "n"}, {-12, "p"}, {-15, "f"}};
constexpr int kMeg = 1, kStimulus = 3, kTeslaPerMetre = 201;

}  // namespace fif

constexpr std::string_view kWasItCut = "; was it cut short?";

struct FifTag {
    int kind = 0;
    std::uint32_t type = 0;
    std::size_t position = 0;  ///< offset of the tag in the file
    std::span<const std::byte> bytes;
};

/// Reads a big-endian number.
template <class T>
T bigEndianAt(std::span<const std::byte> bytes, std::size_t position) {
    std::array<std::byte, sizeof(T)> turned;
    for (std::size_t k = 0; k < sizeof(T); ++k) turned[sizeof(T) - 1 - k] = bytes[position + k];
    return std::bit_cast<T>(turned);
}

class FifReader {
  public:
    explicit FifReader(const std::string& name) { recording_.name = name; }

    /// Reads a file or, after the first one, a file that continues it. `bytes` must outlive read(). Returns
    /// the name of the file in which the recording goes on; empty: none.
    std::string add(std::span<const std::byte> bytes, const std::string& name) {
        bytes_ = bytes;
        name_ = name;
        const std::vector<RecordingChannel> before = std::exchange(recording_.channels, {});
        const double rateBefore = rate_;
        buffersBefore_ = buffers_.size();
        infoBlocks_ = 0;
        ranges_.clear();
        next_.clear();
        role_ = 0;
        goesOn_ = isCut_ = false;
        walk();
        if (goesOn_ && next_.empty())
            recording_.notes.emplace_back("the recording continues in another file, whose name is missing");
        if (recording_.channels.empty() || rate_ == 0)
            fail(0, fmt::format("has no channels or no sampling rate{}", isCut_ ? kWasItCut : ""));
        if (channelCount_ != recording_.channels.size())
            fail(0, fmt::format("describes {} of {} channels", recording_.channels.size(), channelCount_));
        const auto isSame = [](const RecordingChannel& a, const RecordingChannel& b) {
            return a.label == b.label && a.gain == b.gain;
        };
        if (!before.empty() &&
            (rate_ != rateBefore || !std::ranges::equal(before, recording_.channels, isSame)))
            fail(0, fmt::format("continues '{}', but has other channels or another sampling rate",
                                recording_.name));
        return next_;
    }

    void noteMissing(std::string_view next) {
        recording_.notes.push_back(
            fmt::format("the recording continues in the file '{}', which is not in this folder", next));
    }

    Recording read() {
        nameChannels();
        if (!epochs_.empty())
            layOutEpochs();
        else if (!buffers_.empty())
            layOutRaw();
        else
            fail(0, hasAverages_ ? "has averages, but neither raw data nor epochs to compute with"
                    : hasRaw_    ? "has no samples in its raw data; was it cut short?"
                                 : "has neither raw data nor epochs");
        addAnnotations();
        recording_.noteDuplicateLabels();
        return std::move(recording_);
    }

  private:
    [[noreturn]] void fail(std::size_t position, std::string_view what) const {
        throw InputError(position == 0 ? fmt::format("{}: the FIF file {}", name_, what)
                                       : fmt::format("{}: byte {}: {}", name_, position, what));
    }

    /// Processes the tags as the directory lists them or, without one, by their links.
    void walk() {
        if (bytes_.size() < fif::kHead || bigEndianAt<std::int32_t>(bytes_, 0) != fif::kFileId ||
            bigEndianAt<std::int32_t>(bytes_, 4) != fif::kIdentification)
            fail(0, "does not begin with an identification of the file");
        std::vector<int> blocks{fif::kNone};
        const std::vector<std::size_t> places = directory();
        for (const std::size_t place : places)
            if (!enter(place, blocks)) return;
        for (std::size_t at = 0; places.empty() && at < bytes_.size();) {
            const std::optional<FifTag> tag = enter(at, blocks);
            if (!tag) return;
            const auto next = bigEndianAt<std::int32_t>(bytes_, at + 12);
            if (next < 0) return;
            const std::size_t follower =
                next == 0 ? at + fif::kHead + tag->bytes.size() : static_cast<std::size_t>(next);
            if (follower <= at)
                fail(at, fmt::format("the next tag is said to be at byte {}, before this one{}", next,
                                     isCut_ ? kWasItCut : ""));
            if (follower > bytes_.size()) return noteTruncation(at);
            at = follower;
        }
        if (places.empty() && blocks.size() > 1) noteTruncation({});
    }

    /// Offsets of the tags, from the directory that the file's second tag points to; empty if there is none.
    std::vector<std::size_t> directory() {
        const std::optional<FifTag> first = tagAt(0);
        const std::optional<FifTag> pointer = first ? tagAt(fif::kHead + first->bytes.size()) : std::nullopt;
        if (!pointer || pointer->kind != fif::kDirectoryPlace || pointer->bytes.size() < 4 ||
            whole(*pointer) <= 0)
            return {};
        const std::optional<FifTag> list = tagAt(static_cast<std::size_t>(whole(*pointer)));
        isCut_ = !list;
        constexpr std::size_t kEntry = 16;
        std::vector<std::size_t> places;
        if (list && list->kind == fif::kDirectory)
            for (std::size_t at = 0; at + kEntry <= list->bytes.size(); at += kEntry)
                places.push_back(
                    static_cast<std::size_t>(std::max(0, bigEndianAt<std::int32_t>(list->bytes, at + 12))));
        return places;
    }

    /// The tag at `at`; nothing if the file ends within it.
    std::optional<FifTag> tagAt(std::size_t at) const {
        if (at > bytes_.size() || bytes_.size() - at < fif::kHead) return std::nullopt;
        FifTag tag{bigEndianAt<std::int32_t>(bytes_, at), bigEndianAt<std::uint32_t>(bytes_, at + 4), at, {}};
        const auto size = bigEndianAt<std::int32_t>(bytes_, at + 8);
        if (size < 0) fail(at, fmt::format("a tag of {} bytes", size));
        if (static_cast<std::size_t>(size) > bytes_.size() - at - fif::kHead) return std::nullopt;
        tag.bytes = bytes_.subspan(at + fif::kHead, static_cast<std::size_t>(size));
        return tag;
    }

    std::optional<FifTag> enter(std::size_t at, std::vector<int>& blocks) {
        const std::optional<FifTag> tag = tagAt(at);
        if (!tag) {
            noteTruncation(at);
        } else if (tag->kind == fif::kBlockStart) {
            blocks.push_back(whole(*tag));
            if (blocks.back() == fif::kChannelInfo) ++infoBlocks_;
            hasAverages_ |= blocks.back() == fif::kEvoked;
            hasRaw_ |= blocks.back() == fif::kRaw;
        } else if (tag->kind == fif::kBlockEnd) {
            if (blocks.size() > 1) blocks.pop_back();
        } else {
            take(*tag, blocks.back());
        }
        return tag;
    }

    void noteTruncation(std::optional<std::size_t> tag) {
        isCut_ = true;
        const std::string where = tag ? fmt::format("within the tag at byte {}", *tag) : "within a block";
        recording_.notes.push_back(
            fmt::format("truncated: the file ends {}; what comes before it is read", where));
    }

    // Numbers and texts of tags.

    template <class T>
    T single(const FifTag& tag) const {
        if (tag.bytes.size() < sizeof(T)) fail(tag.position, "a tag without the number that its kind has");
        return bigEndianAt<T>(tag.bytes, 0);
    }
    int whole(const FifTag& tag) const { return single<std::int32_t>(tag); }
    static std::string text(const FifTag& tag) {
        const std::string_view raw(reinterpret_cast<const char*>(tag.bytes.data()), tag.bytes.size());
        return utf8FromUnknown(trimBlanks(raw.substr(0, raw.find('\0'))));
    }
    static std::vector<std::string> list(const FifTag& tag, char separator) {
        std::vector<std::string> parts;
        const std::string all = text(tag);
        for (std::size_t begin = 0; begin <= all.size() && !all.empty();) {
            const std::size_t end = std::min(all.find(separator, begin), all.size());
            parts.push_back(all.substr(begin, end - begin));
            begin = end + 1;
        }
        return parts;
    }
    static std::vector<double> numbers(const FifTag& tag) {
        std::vector<double> all;
        const bool isDouble = tag.type == fif::kDouble;
        const std::size_t width = isDouble ? sizeof(double) : sizeof(float);
        for (std::size_t at = 0; at + width <= tag.bytes.size(); at += width)
            all.push_back(isDouble ? bigEndianAt<double>(tag.bytes, at)
                                   : static_cast<double>(bigEndianAt<float>(tag.bytes, at)));
        return all;
    }

    void take(const FifTag& tag, int block) {
        switch (block) {
            case fif::kInfo:
                return takeInfo(tag);
            case fif::kChannelInfo:
                if (tag.kind == fif::kLongName) longNames_[infoBlocks_ - 1] = text(tag);
                return;
            case fif::kBadChannels:
                if (tag.kind == fif::kNames) bad_ = list(tag, ':');
                return;
            case fif::kRaw:
            case fif::kContinuous:
            case fif::kShieldedRaw:
                return takeRaw(tag);
            case fif::kEpochs:
            case fif::kOldEpochs:
                if (tag.kind == fif::kFirstSample) first_ = whole(tag);
                if (tag.kind == fif::kEpoch) epochs_.push_back(tag);
                return;
            case fif::kEvents:
                if (tag.kind == fif::kEventList) events_.push_back(tag);
                if (tag.kind == fif::kText) eventNames_ = list(tag, ';');
                return;
            case fif::kAnnotations:
                if (tag.kind == fif::kBegins) begins_ = numbers(tag);
                if (tag.kind == fif::kEnds) ends_ = numbers(tag);
                if (tag.kind == fif::kText) texts_ = list(tag, ':');
                if (tag.kind == fif::kDate) areDated_ = true;
                return;
            case fif::kReference:
                if (tag.kind == fif::kRole) role_ = whole(tag);
                goesOn_ |= role_ == fif::kNextFile;
                if (tag.kind == fif::kFileName && role_ == fif::kNextFile) next_ = text(tag);
                return;
            default:
                return;
        }
    }

    void takeInfo(const FifTag& tag) {
        if (tag.kind == fif::kChannels) channelCount_ = static_cast<std::size_t>(std::max(0, whole(tag)));
        if (tag.kind == fif::kRate) {
            rate_ = static_cast<double>(single<float>(tag));
            if (!(rate_ > 0 && rate_ < 1e9))
                fail(tag.position, fmt::format("a sampling rate of {} Hz", rate_));
        }
        if (tag.kind == fif::kText) recording_.description = text(tag);
        if (tag.kind == fif::kDate && tag.bytes.size() >= 4) {
            const std::chrono::sys_seconds time{std::chrono::seconds(whole(tag))};
            const auto day = std::chrono::floor<std::chrono::days>(time);
            const std::chrono::year_month_day date(day);
            const std::chrono::hh_mm_ss clock(time - day);
            recording_.startDate =
                fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                            static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
            recording_.startTime = fmt::format("{:02}:{:02}:{:02}", clock.hours().count(),
                                               clock.minutes().count(), clock.seconds().count());
        }
        if (tag.kind == fif::kChannel) takeChannel(tag);
        if (tag.kind == fif::kChannel && buffers_.size() > buffersBefore_)
            fail(tag.position, "a channel after samples");
    }

    /// Scan number, log number, kind, range, calibration, coil, twelve numbers of the position, unit and its
    /// power of ten, name.
    void takeChannel(const FifTag& tag) {
        constexpr std::size_t kBytes = 96;
        if (tag.bytes.size() < kBytes) fail(tag.position, "the description of a channel is too short");
        const auto integer = [&](std::size_t at) { return bigEndianAt<std::int32_t>(tag.bytes, at); };
        const auto real = [&](std::size_t at) {
            return static_cast<double>(bigEndianAt<float>(tag.bytes, at));
        };
        RecordingChannel channel;
        const int kind = integer(8), unit = integer(72);
        const auto nameOf = [](const auto& table, int number) {
            const auto* const found = std::find_if(std::begin(table), std::end(table),
                                                   [&](const auto& row) { return row.first == number; });
            return found == std::end(table) ? std::string_view{} : found->second;
        };
        channel.type = kind != fif::kMeg             ? nameOf(fif::kSignalKinds, kind)
                       : unit == fif::kTeslaPerMetre ? "GRAD"
                                                     : "MAG";
        channel.unit = nameOf(fif::kUnits, unit);
        if (!channel.unit.empty()) channel.unit.insert(0, nameOf(fif::kPrefixes, integer(76)));
        if (channel.type.empty()) channel.kind = ChannelKind::Status;
        if (kind == fif::kStimulus) channel.type = kStimulusType;
        ranges_.push_back(real(12));
        channel.gain = real(16);
        channel.position = knownPosition({real(24), real(28), real(32)});
        FifTag name = tag;
        name.bytes = tag.bytes.subspan(80, 16);
        channel.label = text(name);
        if (!(std::isfinite(channel.gain * ranges_.back()) && channel.gain * ranges_.back() != 0))
            fail(tag.position, fmt::format("channel '{}' has the calibration {} and the range {}",
                                           channel.label, channel.gain, ranges_.back()));
        recording_.channels.push_back(std::move(channel));
    }

    void nameChannels() {
        for (std::size_t k = 0; k < recording_.channels.size(); ++k) {
            RecordingChannel& channel = recording_.channels[k];
            if (const auto found = longNames_.find(k); found != longNames_.end())
                channel.label = found->second;
            channel.samplingRate = rate_;
            channel.isBad = std::find(bad_.begin(), bad_.end(), channel.label) != bad_.end();
        }
    }

    // Samples.

    SampleFormat formatOf(const FifTag& tag) const {
        switch (tag.type & 0xffffU) {
            case fif::kShort:
            case fif::kPack16:
                return SampleFormat::Int16;
            case fif::kInt:
                return SampleFormat::Int32;
            case fif::kFloat:
                return SampleFormat::Float32;
            case fif::kDouble:
                return SampleFormat::Float64;
            default:
                fail(tag.position,
                     fmt::format("samples of type {}; expected real numbers of 16, 32 or 64 bits",
                                 tag.type & 0xffffU));
        }
    }

    void takeRaw(const FifTag& tag) {
        if (tag.kind == fif::kFirstSample && buffers_.empty()) first_ = whole(tag);
        // A file that continues another one may begin later than that one ends.
        if (tag.kind == fif::kFirstSample && !buffers_.empty())
            gap_ += std::max(0.0, whole(tag) - first_ - time_);
        if (tag.kind == fif::kSkipSamples) gap_ += std::max(0, whole(tag));
        if (tag.kind == fif::kSkip) skipped_ += static_cast<std::size_t>(std::max(0, whole(tag)));
        if (tag.kind != fif::kBuffer) return;
        if (recording_.channels.empty()) fail(tag.position, "samples before the channels are described");
        const std::size_t point = sampleBytes(formatOf(tag)) * recording_.channels.size();
        if (!buffers_.empty() && formatOf(tag) != formatOf(buffers_.front()))
            fail(tag.position, "samples of another type than those before");
        if (tag.bytes.size() % point != 0)
            fail(tag.position,
                 fmt::format("a buffer of {} bytes, not a multiple of the {} of a sample of {} channels",
                             tag.bytes.size(), point, recording_.channels.size()));
        const std::size_t points = tag.bytes.size() / point;
        if (points == 0) return;
        // Skips are counted in buffers, each as long as the next one.
        const double gap = std::exchange(gap_, 0) + static_cast<double>(std::exchange(skipped_, 0) * points);
        (buffers_.empty() ? first_ : time_) += gap;
        if (buffers_.empty() || gap > 0) recording_.segments.push_back({time_, 0, points_, 0});
        time_ += static_cast<double>(points);
        points_ += points;
        recording_.segments.back().records += points;
        buffers_.push_back(tag);
    }

    /// Copies the samples in this machine's byte order.
    void store(std::span<const FifTag> tags, std::size_t length) {
        const std::size_t width = sampleBytes(formatOf(tags.front()));
        requireHostMemory(recording_.name, static_cast<double>(length));
        const auto data = std::make_shared<std::vector<std::byte>>();
        data->reserve(length);
        for (const FifTag& tag : tags) data->insert(data->end(), tag.bytes.begin(), tag.bytes.end());
        data->resize(length);
        for (auto at = data->begin(); at != data->end(); at += static_cast<std::ptrdiff_t>(width))
            std::reverse(at, at + static_cast<std::ptrdiff_t>(width));
        recording_.data.bytes = *data;
        recording_.data.owner = data;
    }

    void layOutRaw() {
        recording_.format = "FIF";
        const SampleFormat format = formatOf(buffers_.front());
        const std::size_t width = sampleBytes(format), point = width * recording_.channels.size();
        store(buffers_, points_ * point);
        for (std::size_t k = 0; k < recording_.channels.size(); ++k) {
            recording_.data.layouts.push_back({format, k * width, 1, width, point});
            recording_.channels[k].gain *= ranges_[k];
        }
        for (RecordingSegment& segment : recording_.segments) {
            segment.onset /= rate_;
            segment.duration = static_cast<double>(segment.records) / rate_;
        }
    }

    /// Matrices, epochs × channels × samples, each followed by its extents in reverse order.
    void layOutEpochs() {
        recording_.format = "FIF, epochs";
        const SampleFormat format = formatOf(epochs_.front());
        const std::size_t width = sampleBytes(format), channels = recording_.channels.size();
        constexpr std::size_t kTail = 16;
        std::size_t samples = 0, epochs = 0;
        std::vector<std::size_t> counts;
        for (FifTag& tag : epochs_) {
            const std::size_t length = tag.bytes.size() < kTail ? 0 : tag.bytes.size() - kTail;
            const auto tail = [&](std::size_t k) {
                return static_cast<std::size_t>(
                    std::max(0, bigEndianAt<std::int32_t>(tag.bytes, length + k * sizeof(std::int32_t))));
            };
            if ((tag.type & fif::kMatrix) == 0 || length == 0 || tail(3) != 3 || tail(1) != channels ||
                tail(0) == 0 || tail(2) != length / width / channels / tail(0) ||
                length != tail(2) * channels * tail(0) * width || formatOf(tag) != format ||
                (samples != 0 && tail(0) != samples))
                fail(tag.position,
                     fmt::format("epochs of {} bytes; expected a matrix of epochs × {} channels × samples",
                                 tag.bytes.size(), channels));
            samples = tail(0);
            counts.push_back(tail(2));
            epochs += tail(2);
            tag.bytes = tag.bytes.first(length);
        }
        store(epochs_, epochs * channels * samples * width);
        for (std::size_t k = 0; k < channels; ++k)
            recording_.data.layouts.push_back(
                {format, k * samples * width, samples, width, channels * samples * width});
        const double duration = static_cast<double>(samples) / rate_;
        for (std::size_t e = 0; e < epochs; ++e)
            recording_.segments.push_back({static_cast<double>(e) * duration, duration, e, 1});
        if (events_.size() == epochs_.size()) nameEpochs(counts, duration);
    }

    /// Adds the event of each epoch, with its name if the file has one: "left:1".
    void nameEpochs(std::span<const std::size_t> counts, double duration) {
        std::map<std::int32_t, std::string> names;
        for (const std::string& entry : eventNames_)
            if (const std::size_t colon = entry.rfind(':'); colon != std::string::npos)
                if (const auto number = parseHeaderNumber(entry.substr(colon + 1));
                    number && std::abs(number->value) < 2e9)
                    names[static_cast<std::int32_t>(number->value)] = entry.substr(0, colon);
        constexpr std::size_t kRow = 3 * sizeof(std::int32_t);
        for (std::size_t part = 0, first = 0; part < counts.size(); first += counts[part++])
            for (std::size_t e = 0; e < counts[part] && (e + 1) * kRow <= events_[part].bytes.size(); ++e) {
                const auto number =
                    bigEndianAt<std::int32_t>(events_[part].bytes, e * kRow + 2 * sizeof(std::int32_t));
                const auto name = names.find(number);
                recording_.annotations.push_back(
                    {static_cast<double>(first + e) * duration - first_ / rate_, 0.0,
                     name == names.end() || name->second.empty() ? fmt::to_string(number) : name->second});
            }
    }

    /// Times include the samples before the first one kept, except undated ones in a file with a date. Those
    /// of epochs refer to the continuous recording, where the place of an epoch is not always known.
    void addAnnotations() {
        if (!epochs_.empty()) return;
        const double before = !areDated_ && !recording_.startDate.empty() ? 0 : first_ / rate_;
        for (std::size_t k = 0; k < std::min({begins_.size(), ends_.size(), texts_.size()}); ++k) {
            if (!std::isfinite(begins_[k]) || !std::isfinite(ends_[k]) || texts_[k].empty()) continue;
            std::string words = texts_[k];
            for (std::size_t at = 0; (at = words.find("{COLON}", at)) != std::string::npos;)
                words.replace(at, 7, ":");
            recording_.annotations.push_back(
                {begins_[k] - before, std::max(0.0, ends_[k] - begins_[k]), std::move(words)});
        }
    }

    std::span<const std::byte> bytes_;
    std::string name_;  ///< of the file that is read
    std::string next_;
    Recording recording_;
    std::size_t channelCount_ = 0, infoBlocks_ = 0, buffersBefore_ = 0;
    double rate_ = 0;
    double first_ = 0;  ///< number of the first sample: of raw data from the start, of epochs from the event
    std::vector<double> ranges_;
    std::map<std::size_t, std::string> longNames_;
    std::vector<std::string> bad_;
    std::vector<FifTag> buffers_;
    std::size_t skipped_ = 0, points_ = 0;
    double time_ = 0;                      ///< samples since the first one, including skipped ones
    double gap_ = 0;                       ///< samples missing before the next buffer
    std::vector<FifTag> epochs_, events_;  ///< of each file
    std::vector<std::string> eventNames_, texts_;
    std::vector<double> begins_, ends_;
    bool areDated_ = false, goesOn_ = false, isCut_ = false, hasAverages_ = false, hasRaw_ = false;
    int role_ = 0;
};

/// The bytes of a file, unpacked if it is gzipped.
class FifFile {
  public:
    explicit FifFile(const std::filesystem::path& path) : mapped_(path), bytes_(mapped_.bytes()) {
        if (bytes_.size() < 2 || bigEndianAt<std::uint16_t>(bytes_, 0) != kGzip) return;
        unpacked_ = readText(path, std::numeric_limits<std::uint64_t>::max());
        bytes_ = std::as_bytes(std::span(unpacked_));
    }
    std::span<const std::byte> bytes() const { return bytes_; }
    void requireUnchanged() const { mapped_.requireUnchanged(); }

  private:
    static constexpr std::uint16_t kGzip = 0x1f8b;
    storage::MappedFile mapped_;
    std::string unpacked_;
    std::span<const std::byte> bytes_;
};

/// A recording's files: each names the next one, in the same folder.
struct FifFileChain {
    explicit FifFileChain(const std::filesystem::path& path) : reader(path.string()) {
        for (std::filesystem::path at = path;;) {
            paths.push_back(at);
            files.push_back(std::make_unique<FifFile>(at));
            const std::string next = reader.add(files.back()->bytes(), at.string());
            if (next.empty()) return;
            at.replace_filename(std::filesystem::path(next).filename());
            if (std::ranges::find(paths, at) != paths.end())
                throw InputError(fmt::format("{}: the FIF file continues in '{}', which comes before it",
                                             paths.back().string(), next));
            if (!std::filesystem::exists(at)) {
                reader.noteMissing(next);
                return;
            }
        }
    }
    FifReader reader;
    std::vector<std::filesystem::path> paths;
    std::vector<std::unique_ptr<FifFile>> files;
};

}  // namespace

Recording parseFif(std::span<const std::byte> bytes, const std::string& name) {
    FifReader reader(name);
    if (const std::string next = reader.add(bytes, name); !next.empty()) reader.noteMissing(next);
    return reader.read();
}

Recording readFif(const std::filesystem::path& path) {
    FifFileChain all(path);
    Recording recording = all.reader.read();
    for (const std::unique_ptr<FifFile>& file : all.files) file->requireUnchanged();
    return recording;
}

std::vector<std::filesystem::path> fifFiles(const std::filesystem::path& path) {
    return FifFileChain(path).paths;
}

}  // namespace glycine::io
