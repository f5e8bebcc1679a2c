#include "engine/crossapen/input/signal_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/inspect_advice.hpp"
#include "engine/core/text.hpp"
#include "engine/io/recordings/brainvision.hpp"
#include "engine/io/recordings/edf.hpp"
#include "engine/io/recordings/eeglab.hpp"
#include "engine/io/recordings/electrodes.hpp"
#include "engine/io/recordings/fif.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::crossapen {

namespace {

using namespace std::literals;

constexpr std::string_view kReadFormats =
    "EDF, BDF, BrainVision (.vhdr), FIF, EEGLAB (.set), NPY, NPZ, or a table of numbers (.csv, .tsv, .txt)";

/// A format that is recognised but not supported.
struct RefusedFormat {
    std::string_view magic;      ///< the first bytes of the file
    std::string_view extension;  ///< or its extension, if it has no magic bytes
    std::string_view what;
    std::string_view advice;
};
constexpr std::string_view kExportAdvice =
    "convert it, in Python for instance with mne.export.export_raw(\"FILE.edf\", raw) or "
    "numpy.save(\"FILE.npy\", raw.get_data())";
constexpr RefusedFormat kRefused[] = {
    {"\x89HDF"sv, ".h5", "an HDF5 file", kExportAdvice},
    {"GDF "sv, ".gdf", "a GDF file", kExportAdvice},
    {"Version 3.0"sv, ".cnt", "a Neuroscan CNT file", kExportAdvice},
};

/// The first bytes of a file's text, decompressed if it is gzipped.
std::string readBeginning(const std::filesystem::path& path) {
    const std::unique_ptr<io::TextStream> stream = io::openText(path);
    std::string bytes(4096, '\0');
    bytes.resize(stream->read(bytes));
    return bytes;
}

std::string rawBeginning(const std::filesystem::path& path) {
    const std::unique_ptr<io::ByteSource> file = io::openFile(path);
    std::string bytes(16, '\0');
    bytes.resize(file->read(std::as_writable_bytes(std::span(bytes))));
    return bytes;
}

bool isEdf(std::string_view bytes) {
    return bytes.starts_with("0       ") || bytes.starts_with(
                                                "\xff"
                                                "BIOSEMI"sv);
}
bool isNpy(std::string_view bytes) {
    return bytes.starts_with("\x93NUMPY"sv);
}
/// Whether this is a ZIP archive, with or without members.
bool isNpz(std::string_view bytes) {
    return bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv);
}
bool isBrainVision(std::string_view bytes, std::string_view kind) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    return line.find("Vision Data Exchange " + std::string(kind)) != std::string_view::npos ||
           line.find("Vision V-Amp Data " + std::string(kind)) != std::string_view::npos;
}

bool isFif(std::string_view bytes) {
    return bytes.starts_with("\x00\x00\x00\x64\x00\x00\x00\x1f"sv);
}

/// Tables contain no zero bytes and no control characters.
bool isText(std::string_view bytes) {
    return std::none_of(bytes.begin(), bytes.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
    });
}

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view what, std::string_view advice) {
    throw InputError(
        fmt::format("{}: is {}; expected {}{}", path.string(), what, kReadFormats,
                    advice.empty() ? inspectAdvice(path.string()) : fmt::format(": {}", advice)));
}

/// The header file (".vhdr", ".set") of the recording to which `path` belongs.
std::filesystem::path siblingHeader(const std::filesystem::path& path, std::string_view what,
                                    const std::string& extension = ".vhdr") {
    std::string capitals = extension;
    for (char& c : capitals)
        if (c != '.') c = static_cast<char>(c - 'a' + 'A');
    for (const std::string& ending : {extension, capitals}) {
        std::filesystem::path header = path;
        header.replace_extension(ending);
        if (std::filesystem::exists(header)) return header;
    }
    throw InputError(fmt::format("{}: is {}; expected the header file ({}), which is not in the same folder",
                                 path.string(), what, extension));
}

enum class Format { Edf, BrainVision, Fif, Eeglab, Array, Archive, Table };

struct SignalFile {
    Format format;
    std::filesystem::path path;  ///< the file to open
};

SignalFile recognise(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) refuse(path, "a folder", "");
    const std::string raw = rawBeginning(path);
    if (raw.empty()) refuse(path, "empty", "");
    if (isEdf(raw)) return {Format::Edf, path};
    if (isNpy(raw)) return {Format::Array, path};
    if (isNpz(raw)) return {Format::Archive, path};
    if (isFif(raw)) return {Format::Fif, path};
    const std::string extension = lowerCase(path.extension().string());
    if (raw.starts_with("MATLAB ") || extension == ".set") return {Format::Eeglab, path};
    const std::string bytes = readBeginning(path);
    if (isFif(bytes)) return {Format::Fif, path};
    const bool isPacked = !bytes.starts_with(raw);
    if (isPacked && (isEdf(bytes) || isNpy(bytes) || isNpz(bytes) || isBrainVision(bytes, "Header")))
        refuse(path, "packed by gzip", "run gunzip first; only FIF files and tables are unpacked on the way");
    for (const RefusedFormat& format : kRefused)
        if (bytes.starts_with(format.magic)) refuse(path, format.what, format.advice);
    if (isBrainVision(bytes, "Header") || extension == ".vhdr") return {Format::BrainVision, path};
    if (isBrainVision(bytes, "Marker"))
        return {Format::BrainVision, siblingHeader(path, "a BrainVision marker file")};
    if (extension == ".eeg" || extension == ".vmrk")
        return {Format::BrainVision, siblingHeader(path, "one of the other files of a recording")};
    if (extension == ".fdt")
        return {Format::Eeglab, siblingHeader(path, "the file of samples of an EEGLAB data set", ".set")};
    // The extension contradicts the content; the reader reports what is wrong.
    if (extension == ".edf" || extension == ".bdf") return {Format::Edf, path};
    if (extension == ".fif") return {Format::Fif, path};
    if (extension == ".npy") return {Format::Array, path};
    if (extension == ".npz") return {Format::Archive, path};
    for (const RefusedFormat& format : kRefused)
        if (extension == format.extension) refuse(path, format.what, format.advice);
    if (!isText(bytes)) refuse(path, "a binary file of an unknown kind", "");
    return {Format::Table, path};
}

class RecordingSource : public SignalSource {
  public:
    explicit RecordingSource(io::Recording recording) : recording_(std::move(recording)) {
        name = recording_.name;
        format = recording_.format;
        for (const io::RecordingChannel& channel : recording_.channels)
            channels.push_back({channel.label, channel.type, channel.unit, channel.kind, channel.samplingRate,
                                channel.position, channel.isBad});
        for (const io::RecordingSegment& segment : recording_.segments) segments.push_back({segment.onset});
        annotations = recording_.annotations;
        notes = recording_.notes;
        makeNamesUnique(channels, notes);
    }

    std::size_t sampleCount(std::size_t segment, std::size_t channel) const override {
        return recording_.sampleCount(segment, channel);
    }
    void read(std::size_t segment, std::size_t channel, std::size_t first,
              std::span<double> target) const override {
        recording_.readPhysical(segment, channel, first, target);
    }
    /// The upper byte of BDF's status channel describes the recorder, not stimuli.
    void addTriggers() override {
        for (std::size_t k = 0; k < channels.size(); ++k) {
            const io::RecordingChannel& channel = recording_.channels[k];
            if (channel.kind != io::ChannelKind::Status ||
                (channel.type != io::kStimulusType && !io::isStatusLabel(channel.label)))
                continue;
            const bool hasStates = recording_.data.layouts[k].format == io::SampleFormat::Int24;
            for (std::size_t s = 0; s < segments.size(); ++s) {
                std::vector<double> values(recording_.sampleCount(s, k));
                recording_.readPhysical(s, k, 0, values);
                std::int64_t last = std::numeric_limits<std::int64_t>::max();
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const double number = std::isfinite(values[i]) ? std::clamp(values[i], -1e15, 1e15) : 0;
                    std::int64_t value = std::llround(number);
                    if (hasStates) value &= 0xffff;
                    if (value > last)
                        annotations.push_back(
                            {segments[s].onset + static_cast<double>(i) / channel.samplingRate, std::nullopt,
                             fmt::format("{}/{}", channels[k].name, value)});
                    last = value;
                }
            }
        }
    }

  private:
    io::Recording recording_;
};

std::unique_ptr<SignalSource> open(const SignalFile& file, const SignalOptions& options) {
    switch (file.format) {
        case Format::Edf:
            return std::make_unique<RecordingSource>(io::readEdf(file.path));
        case Format::BrainVision:
            return std::make_unique<RecordingSource>(io::readBrainVision(file.path));
        case Format::Fif:
            return std::make_unique<RecordingSource>(io::readFif(file.path));
        case Format::Eeglab:
            return std::make_unique<RecordingSource>(io::readEeglab(file.path));
        case Format::Array:
            return arraySource(file.path, options, false);
        case Format::Archive:
            return arraySource(file.path, options, true);
        case Format::Table:
            break;
    }
    return tableSource(file.path, options);
}

/// Gives signals whose file states no type the one that their names mean.
void addTypes(std::vector<SourceChannel>& channels) {
    std::vector<std::string> names;
    for (const SourceChannel& channel : channels) names.push_back(channel.name);
    const std::vector<std::string_view> types = io::signalTypes(names);
    for (std::size_t k = 0; k < channels.size(); ++k)
        if (channels[k].type.empty() && channels[k].kind == io::ChannelKind::Signal)
            channels[k].type = types[k];
}

/// Refuses options that would silently have no effect on a file of this format.
void requireReadOptions(Format format, const std::filesystem::path& path, const SignalOptions& options) {
    const bool isRecording = format != Format::Array && format != Format::Archive && format != Format::Table;
    const auto refuseIf = [&](bool isRefused, const char* why) {
        if (isRefused) throw UsageError(fmt::format("{}: {}", path.string(), why));
    };
    refuseIf(options.header && format != Format::Table, "only tables have a header line");
    refuseIf(options.transpose && isRecording, "only tables, .npy and .npz files can be transposed");
    refuseIf(!options.array.empty() && format != Format::Archive,
             "only .npz files have several arrays to choose from");
    refuseIf(options.keepTime && format != Format::Table && format != Format::Archive,
             "only tables and .npz files have columns of times that could be kept");
    refuseIf(!options.artefactAnnotations.empty() && !isRecording,
             "only recordings (EDF+, BDF+, BrainVision, FIF, EEGLAB) have annotations that mark artefacts");
    refuseIf(!options.events.empty() && !isRecording,
             "only recordings (EDF+, BDF, BrainVision, FIF, EEGLAB) have events to cut epochs around");
}

}  // namespace

std::unique_ptr<SignalSource> openSignals(const std::filesystem::path& path, const SignalOptions& options) {
    const SignalFile file = recognise(path);
    requireReadOptions(file.format, path, options);
    std::unique_ptr<SignalSource> source = open(file, options);
    addTypes(source->channels);
    if (!options.events.empty()) source->addTriggers();
    if (options.samplingRate)
        for (SourceChannel& channel : source->channels) {
            if (channel.kind == io::ChannelKind::Annotations) continue;
            if (channel.samplingRate != 0 && channel.samplingRate != *options.samplingRate)
                throw UsageError(
                    fmt::format("{}: the file gives channel '{}' {} Hz, which a sampling rate of {} Hz "
                                "contradicts; leave the rate out, or resample",
                                path.string(), channel.name, channel.samplingRate, *options.samplingRate));
            channel.samplingRate = *options.samplingRate;
        }
    return source;
}

std::vector<std::filesystem::path> signalFiles(const std::filesystem::path& path) {
    const SignalFile file = recognise(path);
    if (file.format == Format::BrainVision) return io::brainVisionFiles(file.path);
    if (file.format == Format::Fif) return io::fifFiles(file.path);
    return file.format == Format::Eeglab ? io::eeglabFiles(file.path) : std::vector{file.path};
}

void makeNamesUnique(std::vector<SourceChannel>& channels, std::vector<std::string>& notes) {
    io::RepeatedNote note;
    std::unordered_set<std::string> labels, taken;
    for (const SourceChannel& channel : channels) labels.insert(channel.name);
    for (std::size_t k = 0; k < channels.size(); ++k) {
        std::string& name = channels[k].name;
        if (name.empty()) name = fmt::format("channel {}", k + 1);
        const std::string label = name;
        // A label with a number appended may itself be another channel's label.
        for (std::size_t n = 2; taken.contains(name) || (name != label && labels.contains(name)); ++n)
            name = fmt::format("{} ({})", label, n);
        taken.insert(name);
        if (name != label && channels[k].kind != io::ChannelKind::Annotations)
            note.add(fmt::format("a further channel labelled '{}' is called '{}'", label, name));
    }
    note.appendTo(notes);
}

}  // namespace glycine::crossapen
