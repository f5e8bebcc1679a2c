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

/// Recordings of several channels over time: EEG, MEG and what is recorded beside them.
namespace glycine::io {

enum class ChannelKind {
    Signal,      ///< a measured quantity
    Status,      ///< triggers and states of the device: bits, not a quantity
    Time,        ///< times or numbers of the samples, of tables
    Annotations  ///< text of EDF+ and BDF+; it is found in Recording::annotations
};

struct RecordingChannel {
    std::string label;  ///< "EEG Fpz-Cz"; not always unique, see Recording::duplicateLabels
    /// Kind of signal: in the words of EDF+'s standard texts where the label begins with one ("EEG", "EOG");
    /// FIF and EEGLAB files tell it, FIF "MAG" or "GRAD" of MEG channels. Otherwise empty.
    std::string type;
    std::string transducer;    ///< "Ag-AgCl electrodes"; may be empty
    std::string prefiltering;  ///< "HP:0.5Hz LP:100Hz"; may be empty
    std::string reference;     ///< name of the reference channel; only BrainVision tells it
    std::string unit;          ///< as the file spells it: "uV", "µV"; may be empty
    ChannelKind kind = ChannelKind::Signal;
    double samplingRate = 0;  ///< Hz; 0 for annotations
    /// The range that the digitizer could give and what it stands for in `unit`. Samples may lie outside.
    /// All zero where the file tells none: annotations, and channels stored as floating-point numbers.
    std::int32_t digitalMinimum = 0;
    std::int32_t digitalMaximum = 0;
    double physicalMinimum = 0;  ///< of digitalMinimum: the larger one where polarity is inverted
    double physicalMaximum = 0;
    /// physical value = gain · digital value + offset
    double gain = 1;
    double offset = 0;
    /// Of the sensor: to the right, to the front, upwards, in any unit, where the file tells it.
    std::optional<std::array<double, 3>> position{};
    bool isBad = false;  ///< the file marks the channel as bad
};

/// A stretch without gaps.
struct RecordingSegment {
    double onset = 0;     ///< seconds after the start time of the recording
    double duration = 0;  ///< seconds
    std::size_t firstRecord = 0;
    std::size_t records = 0;  ///< data records as the file has them; BrainVision: sampling points
};

struct RecordingAnnotation {
    double onset = 0;                ///< seconds after the start time of the recording
    std::optional<double> duration;  ///< seconds; absent where the file gives none
    std::string text;                ///< UTF-8; BrainVision: "TYPE/DESCRIPTION", "Stimulus/S253"
};

// Samples of many channels lie in records, in each of which every channel has a fixed number of samples. A
// file that interleaves its channels sample by sample has records of one sample.

/// Type of a stored sample, little-endian; Int24 is two's complement.
enum class SampleFormat { Int16, UInt16, Int24, Int32, Float32, Float64 };

std::size_t sampleBytes(SampleFormat format);

/// Where the samples of one channel lie. All distances are in bytes.
struct SampleLayout {
    SampleFormat format = SampleFormat::Int16;
    std::size_t offset = 0;  ///< of the first sample of record 0
    std::size_t samplesPerRecord = 1;
    std::size_t sampleStride = 2;  ///< from a sample to the next one of the same record
    std::size_t recordStride = 2;  ///< from a record to the next one
};

/// Fills `target` with the samples first, first + 1 … of a channel, counted through the records; `data` holds
/// all of them. Stored numbers, not scaled. Precondition of the first form: the format is of whole numbers.
void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<std::int32_t> target);
void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<double> target);

/// Where the numbers lie.
struct RecordingData {
    std::shared_ptr<const void> owner;  ///< keeps `bytes` alive; empty where somebody else does
    std::span<const std::byte> bytes;
    std::vector<SampleLayout> layouts;  ///< one a channel
    /// Throws InputError where `bytes` are not any more what the file held; empty: they cannot change.
    std::function<void()> requireUnchanged{};
};

/// A recording that is open: what is known about it lies in memory, samples stay in the file until they are
/// asked for. Copies share the file.
struct Recording {
    std::string name;         ///< of the file, for messages
    std::string format;       ///< "EDF", "EDF+C", "EDF+D", "BDF", "BDF+C", "BDF+D", "BrainVision", "FIF" …
    std::string patient;      ///< identification as the file gives it; may be empty
    std::string description;  ///< of the recording, as the file gives it; may be empty
    std::string startDate;    ///< "2009-08-12"; the file's own text where that is no date; may be empty
    std::string startTime;    ///< "16:15:00", with as many decimals as the file has; same exceptions
    std::vector<RecordingChannel> channels;
    /// In the order of time, without overlaps; empty where there are no samples.
    std::vector<RecordingSegment> segments;
    std::vector<RecordingAnnotation> annotations;  ///< in the order of the file
    /// What is odd about the file but did not hinder reading, one sentence each.
    std::vector<std::string> notes;
    RecordingData data;

    /// Whether there is a channel that holds a measured quantity; a file of annotations has none.
    bool hasSignals() const;
    /// Labels that several channels bear, annotation channels apart; each label once.
    std::vector<std::string> duplicateLabels() const;

    /// For readers: notes the labels that several channels bear.
    void noteDuplicateLabels();

    /// Number of samples of a channel in a segment.
    std::size_t sampleCount(std::size_t segment, std::size_t channel) const;
    /// Whether the samples of a channel are stored as whole numbers.
    bool isDigital(std::size_t channel) const;

    /// Fills `target` with samples first, first + 1 … of a channel, counted from the beginning of the
    /// segment, as they are stored. Throws UsageError for a channel, segment or range of samples that is not
    /// there, and for a channel that is not stored as whole numbers; InputError
    /// where the file was changed since it was opened.
    void readDigital(std::size_t segment, std::size_t channel, std::size_t first,
                     std::span<std::int32_t> target) const;
    /// The same in the channel's unit; NaN in floating-point files stays NaN. Files that interleave their
    /// channels are read fastest in pieces of some thousand samples, all channels of a piece at once.
    void readPhysical(std::size_t segment, std::size_t channel, std::size_t first,
                      std::span<double> target) const;

  private:
    /// Index of the sample from the beginning of the data.
    std::size_t locate(std::size_t segment, std::size_t channel, std::size_t first, std::size_t count) const;
};

/// RecordingChannel::type of trigger inputs of FIF files.
inline constexpr std::string_view kStimulusType = "STIM";

/// The type in EDF+'s standard texts that a label begins with ("EEG Fpz-Cz", "ECG"), or nothing.
/// Source: edfplus.info, "Standard texts and polarity rules", section 2.3.
std::string_view standardSignalType(std::string_view label);

/// A sensor's place as a file gives it; nothing where all three numbers are 0, or one is no number.
std::optional<std::array<double, 3>> knownPosition(const std::array<double, 3>& place);

/// Whether a channel bears one of the names that recorders give to trigger inputs: Status, Trigger, Triggers.
bool isStatusLabel(std::string_view label);

}  // namespace glycine::io
