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

/// A channel as a file has it.
struct SourceChannel {
    std::string name;  ///< the label, made unique: "EEG Fz (2)"
    std::string type;  ///< "EEG"; empty where the label does not begin with one
    std::string unit;
    io::ChannelKind kind = io::ChannelKind::Signal;
    double samplingRate = 0;                          ///< Hz; 0: unknown
    std::optional<std::array<double, 3>> position{};  ///< see io::RecordingChannel
    bool isBad = false;                               ///< the file marks the channel as bad
};

/// A stretch without gaps.
struct SourceSegment {
    double onset = 0;  ///< seconds from the start of the recording
};

/// A file of signals that is open, whatever its format. Samples are read when they are asked for.
class SignalSource {
  public:
    virtual ~SignalSource() = default;

    std::string name;                     ///< path, for messages
    std::string format;                   ///< "EDF+C", "BrainVision", "NPY", "table"
    std::vector<SourceChannel> channels;  ///< annotation channels too
    std::vector<SourceSegment> segments;  ///< in the order of time
    std::vector<io::RecordingAnnotation> annotations;
    std::vector<std::string> notes;

    virtual std::size_t sampleCount(std::size_t segment, std::size_t channel) const = 0;
    /// Reads what can only be read as a whole. Call once, before `read`.
    virtual void load() {}
    /// Adds an annotation at each sample where a trigger channel rises: "STI 014/5". Sources without such
    /// channels have none.
    virtual void addTriggers() {}
    /// Fills `target` with the samples first, first + 1 … of a channel, counted from the beginning of the
    /// segment, in the channel's unit. May be called by several threads at a time.
    virtual void read(std::size_t segment, std::size_t channel, std::size_t first,
                      std::span<double> target) const = 0;
};

/// Opens a file: EDF and BDF by their first bytes, BrainVision by those of its header or marker file (.eeg
/// and .vmrk files lead to the .vhdr file beside them, .fdt files to the .set file), FIF, MATLAB (EEGLAB),
/// NPY and NPZ by theirs; other text is a table of numbers. Of `options`, those are heeded that tell how a
/// file is read: samplingRate, header, transpose, array, keepTime.
///
/// Throws InputError as the readers do, and for folders, empty files, and formats that are not
/// read, with what to do about them. UsageError for options that the format has no place for, and for a
/// sampling rate that contradicts the file.
std::unique_ptr<SignalSource> openSignals(const std::filesystem::path& path, const SignalOptions& options);

/// The sources of matrices, for openSignals.
std::unique_ptr<SignalSource> arraySource(const std::filesystem::path& path, const SignalOptions& options,
                                          bool isArchive);
std::unique_ptr<SignalSource> tableSource(const std::filesystem::path& path, const SignalOptions& options);

/// Gives each channel a name of its own: further ones of a label get " (2)", " (3)" … behind it, which is
/// noted. Channels without a label become "channel 3". Precondition: names are labels.
void makeNamesUnique(std::vector<SourceChannel>& channels, std::vector<std::string>& notes);

}  // namespace glycine::crossapen
