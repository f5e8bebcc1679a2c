#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/crossapen/input/signals.hpp"
#include "engine/io/recordings/recording.hpp"

namespace glycine::crossapen {

/// A channel of a file.
struct SourceChannel {
    std::string name;  ///< the label, made unique: "EEG Fz (2)"
    std::string type;  ///< "EEG"; empty if the file states none and the name means none
    std::string unit;
    io::ChannelKind kind = io::ChannelKind::Signal;
    double samplingRate = 0;                          ///< Hz; 0: unknown
    std::optional<std::array<double, 3>> position{};  ///< see io::RecordingChannel
    bool isBad = false;                               ///< whether the file marks the channel as bad
};

/// A segment without gaps.
struct SourceSegment {
    double onset = 0;  ///< seconds from the start of the recording
};

/// An open file of signals, of any format. Samples are read on demand.
class SignalSource {
  public:
    virtual ~SignalSource() = default;

    std::string name;                     ///< path, for messages
    std::string format;                   ///< "EDF+C", "BrainVision", "NPY", "table"
    std::vector<SourceChannel> channels;  ///< including annotation channels
    std::vector<SourceSegment> segments;  ///< in order of time
    std::vector<io::RecordingAnnotation> annotations;
    std::vector<std::string> notes;

    virtual std::size_t sampleCount(std::size_t segment, std::size_t channel) const = 0;
    /// Loads formats that can only be read as a whole. Call once, before `read`.
    virtual void load() {}
    /// Adds an annotation at each sample where a trigger channel rises: "STI 014/5". Does nothing for sources
    /// without such channels.
    virtual void addTriggers() {}
    /// Fills `target` with the samples first, first + 1 … of a channel, counted from the beginning of the
    /// segment, in the channel's unit. Thread-safe.
    virtual void read(std::size_t segment, std::size_t channel, std::size_t first,
                      std::span<double> target) const = 0;
};

/// Opens a file. Content determines the format: EDF, BDF, FIF, MATLAB (EEGLAB), NPY and NPZ by their first
/// bytes, BrainVision by its header or marker file. A .eeg or .vmrk file leads to the .vhdr file of the same
/// name, an .fdt file to the .set file. Other text is a table of numbers. Uses the `options` that determine
/// how a file is read: samplingRate, header, transpose, array, keepTime, events.
///
/// Throws InputError as the readers do, and for folders, empty files, and unsupported formats, with advice.
/// Throws UsageError for options that the format does not support, and for a sampling rate that contradicts
/// the file.
std::unique_ptr<SignalSource> openSignals(const std::filesystem::path& path, const SignalOptions& options);

/// Sources of matrices, used by openSignals.
std::unique_ptr<SignalSource> arraySource(const std::filesystem::path& path, const SignalOptions& options,
                                          bool isArchive);
std::unique_ptr<SignalSource> tableSource(const std::filesystem::path& path, const SignalOptions& options);

/// Makes channel names unique: repeated labels get " (2)", " (3)" … appended, which is noted. Channels
/// without a label become "channel 3". Precondition: names are labels.
void makeNamesUnique(std::vector<SourceChannel>& channels, std::vector<std::string>& notes);

}  // namespace glycine::crossapen
