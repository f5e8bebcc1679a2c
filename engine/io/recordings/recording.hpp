#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Recordings of several channels over time: EEG, MEG and signals recorded with them.
namespace glycine::io {

enum class ChannelKind {
    Signal,      ///< a measured quantity
    Status,      ///< triggers and device states: bits, not a quantity
    Time,        ///< times or numbers of the samples, in tables
    Annotations  ///< text of EDF+ and BDF+; see Recording::annotations
};

struct RecordingChannel {
    std::string label;  ///< "EEG Fpz-Cz"; not always unique, see Recording::duplicateLabels
    /// Kind of signal: an EDF+ standard text that begins the label ("EEG", "EOG"), or the type that FIF and
    /// EEGLAB files state (FIF: "MAG" or "GRAD" for MEG channels). Otherwise empty.
    std::string type;
    std::string transducer;    ///< "Ag-AgCl electrodes"; may be empty
    std::string prefiltering;  ///< "HP:0.5Hz LP:100Hz"; may be empty
    std::string reference;     ///< name of the reference channel; only in BrainVision files
    std::string unit;          ///< as the file spells it: "uV", "µV"; may be empty
    ChannelKind kind = ChannelKind::Signal;
    double samplingRate = 0;  ///< Hz; 0 for annotations
    /// The digitizer's range and the corresponding values in `unit`. Samples may lie outside. All zero if the
    /// file states none: annotations, and channels stored as floating-point numbers.
    std::int32_t digitalMinimum = 0;
    std::int32_t digitalMaximum = 0;
    double physicalMinimum = 0;  ///< value of digitalMinimum; larger than the maximum if polarity is inverted
    double physicalMaximum = 0;
    /// physical value = gain · digital value + offset
    double gain = 1;
    double offset = 0;
    /// Sensor position: to the right, to the front, upwards, in any unit; only if the file states it.
    std::optional<std::array<double, 3>> position{};
    bool isBad = false;  ///< the file marks the channel as bad
};

/// A part of a recording without gaps.
struct RecordingSegment {
    double onset = 0;     ///< seconds after the start time of the recording
    double duration = 0;  ///< seconds
    std::size_t firstRecord = 0;
    std::size_t records = 0;  ///< data records of the file; BrainVision: sampling points
};

struct RecordingAnnotation {
    double onset = 0;                ///< seconds after the start time of the recording
    std::optional<double> duration;  ///< seconds; absent if the file states none
    std::string text;                ///< UTF-8; BrainVision: "TYPE/DESCRIPTION", "Stimulus/S253"
};

// Samples of several channels are stored in records. Every channel has a fixed number of samples per record;
// it is one in files that interleave channels sample by sample.

/// Type of a stored sample, little-endian; Int24 is two's complement.
enum class SampleFormat { Int16, UInt16, Int24, Int32, Float32, Float64 };

std::size_t sampleBytes(SampleFormat format);

/// Storage of one channel's samples. All distances are in bytes.
struct SampleLayout {
    SampleFormat format = SampleFormat::Int16;
    std::size_t offset = 0;  ///< first sample of record 0
    std::size_t samplesPerRecord = 1;
    std::size_t sampleStride = 2;  ///< between samples of the same record
    std::size_t recordStride = 2;  ///< between records
};

/// Fills `target` with the samples first, first + 1 … of a channel, counted through the records, unscaled.
/// `data` must hold all of them. Precondition of the first overload: the format is an integer type.
void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<std::int32_t> target);
void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<double> target);

/// The stored samples.
struct RecordingData {
    std::shared_ptr<const void> owner;  ///< keeps `bytes` alive; empty if the caller does
    std::span<const std::byte> bytes;
    std::vector<SampleLayout> layouts;  ///< one per channel
    /// Throws InputError if `bytes` are no longer the file's original contents; empty if they cannot change.
    std::function<void()> requireUnchanged{};
};

/// An open recording: metadata are in memory, samples stay in the file until they are read. Copies share the
/// file.
struct Recording {
    std::string name;         ///< of the file, for messages
    std::string format;       ///< "EDF", "EDF+C", "EDF+D", "BDF", "BDF+C", "BDF+D", "BrainVision", "FIF" …
    std::string patient;      ///< identification as the file gives it; may be empty
    std::string description;  ///< of the recording, as the file gives it; may be empty
    std::string startDate;    ///< "2009-08-12"; the file's own text if it is no valid date; may be empty
    std::string startTime;    ///< "16:15:00", with the file's decimals; same exceptions
    std::vector<RecordingChannel> channels;
    /// Ordered by time, without overlaps; empty if there are no samples.
    std::vector<RecordingSegment> segments;
    std::vector<RecordingAnnotation> annotations;  ///< in file order
    /// Oddities of the file that did not prevent reading, one sentence each.
    std::vector<std::string> notes;
    RecordingData data;

    /// Whether any channel holds a measured quantity; a file of annotations has none.
    bool hasSignals() const;
    /// Labels shared by several channels, except annotation channels; each label once.
    std::vector<std::string> duplicateLabels() const;

    /// For readers: notes the labels shared by several channels.
    void noteDuplicateLabels();

    /// Number of samples of a channel in a segment.
    std::size_t sampleCount(std::size_t segment, std::size_t channel) const;
    /// Whether the samples of a channel are stored as integers.
    bool isDigital(std::size_t channel) const;

    /// Fills `target` with the stored samples first, first + 1 … of a channel, counted from the beginning of
    /// the segment. Throws UsageError if the channel, segment or range of samples does not exist, or if the
    /// channel is not stored as integers. Throws InputError if the file was changed since it was opened.
    void readDigital(std::size_t segment, std::size_t channel, std::size_t first,
                     std::span<std::int32_t> target) const;
    /// The same in the channel's unit; NaN in floating-point files stays NaN. For files that interleave
    /// channels, reading some thousand samples of all channels at a time is fastest.
    void readPhysical(std::size_t segment, std::size_t channel, std::size_t first,
                      std::span<double> target) const;

  private:
    /// Index of the sample from the beginning of the data.
    std::size_t locate(std::size_t segment, std::size_t channel, std::size_t first, std::size_t count) const;
};

/// RecordingChannel::type of trigger inputs in FIF files.
inline constexpr std::string_view kStimulusType = "STIM";

/// The type in EDF+'s standard texts that a label begins with ("EEG Fpz-Cz", "ECG"), or nothing.
/// Source: edfplus.info, "Standard texts and polarity rules", section 2.3.
std::string_view standardSignalType(std::string_view label);

/// A sensor's position from a file; nothing if all three numbers are 0, or one is no number.
std::optional<std::array<double, 3>> knownPosition(const std::array<double, 3>& place);

/// Whether a label is a usual name of trigger inputs: Status, Trigger, Triggers.
bool isStatusLabel(std::string_view label);

}  // namespace glycine::io
