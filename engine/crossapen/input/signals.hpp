#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/input/usability.hpp"

/// The signals of one file, cut into epochs: the input of the entropies.
namespace glycine::crossapen {

/// Upper limit in Hz; no recorder is faster.
inline constexpr double kHighestSamplingRate = 1e9;

/// Pass band in Hz; 0 ≤ low < high. low = 0: a low pass; high = infinity: a high pass. See BandPass for the
/// filter.
struct FrequencyBand {
    double low = 0;
    double high = 0;
};

/// How to read a file. Every member is an option of the command with the same meaning.
struct SignalOptions {
    /// Channels by name, in this order; a name may contain * and ?. Empty: all signals of the chosen types.
    /// selectChannels describes how names are matched.
    std::vector<std::string> channels;
    /// "EEG", "MEG" …, as the file states or labels begin; empty: all types. Channels that `channels` gives
    /// by their whole name are selected whatever their type.
    std::vector<std::string> types;
    std::vector<std::string> excluded;  ///< excluded channels; may contain * and ?
    /// Hz, for files without a rate (NPY, CSV). They need it if other options are in Hz or seconds.
    std::optional<double> samplingRate;
    std::optional<bool> header;  ///< tables: whether the first line holds names; detected if absent
    bool transpose = false;      ///< arrays: samples × channels; tables: one line per channel
    std::string array;           ///< NPZ: the array of the signals; empty: the only candidate
    /// Tables, NPZ: columns named like times (isTimeName) and ramps (rampStep) are signals, too. Otherwise
    /// they are selected only if `channels` gives their whole name.
    bool keepTime = false;
    /// "average": subtracts from each channel the mean of all channels of its type that are not bad or
    /// excluded. Otherwise names of the channels whose mean is subtracted. Empty: no reference.
    std::vector<std::string> reference;
    /// "Fp1-F3": differences of two channels, instead of `channels`.
    std::vector<std::string> montage;
    std::optional<double> resampleRate;  ///< Hz; all channels are converted to it
    std::optional<FrequencyBand> band;   ///< applied after resampling
    std::size_t epochSamples = 1024;     ///< after resampling
    /// Cuts epochs around annotations with these texts instead of consecutive ones. * and ? are wildcards. A
    /// text also matches the part after an annotation's last slash ("S  1" matches "Stimulus/S  1"). Rises of
    /// trigger channels count as annotations: "STI 014/5".
    std::vector<std::string> events;
    double eventStart = 0;  ///< seconds from an event to the first sample of its epoch
    /// The most epochs to use: the first ones of each file that are free of artefacts; absent: all.
    std::optional<std::size_t> maximumEpochs;
    /// A list of artefacts, see readArtefactList; empty: none.
    std::filesystem::path artefacts;
    /// Texts of annotations in the recording that mark artefacts; may contain * and ?: "BAD*".
    std::vector<std::string> artefactAnnotations;
    UsabilityLimits usability;  ///< applied to the samples as stored in the file
};

/// The origin of an epoch.
struct EpochOrigin {
    std::size_t number = 0;       ///< from 1, counted over the whole file, artefact epochs included
    std::size_t segment = 0;      ///< segment without gaps, from 0
    std::size_t firstSample = 0;  ///< from the beginning of the segment, after resampling
    double onset = 0;             ///< seconds from the start of the recording; samples if the rate is unknown
    std::string event{};          ///< text of the annotation around which it lies; empty: none
};

/// An epoch that is not used.
struct SkippedEpoch {
    EpochOrigin origin;
    std::string reason;  ///< "artefact list, line 3"
};

/// Properties of a file that are known without reading its samples.
struct SignalSetShape {
    std::string description;            ///< "EDF+C, 64 of 65 channels, 160 Hz, 61 s, band pass 0.5–40 Hz"
    std::vector<std::string> channels;  ///< labels, made unique
    double samplingRate = 0;            ///< Hz, after resampling; 0: unknown
    std::vector<EpochOrigin> epochs;
    std::vector<SkippedEpoch> skipped;
    std::vector<std::string> notes;  ///< oddities of the file, one sentence each
    /// Sensor positions, one per channel, where the file states them: see io::RecordingChannel.
    std::vector<std::optional<std::array<double, 3>>> positions;
};

struct SignalSet : SignalSetShape {
    std::string name;                ///< of the file, for display and results: "S001R01.edf"
    std::vector<std::string> units;  ///< one per channel; may be empty text
    std::size_t epochSamples = 0;
    /// channels × samples each, resampled and filtered; segments without an epoch are empty. Epochs around
    /// events may overlap; they are in `around` instead, one per matrix.
    std::vector<Matrix<double>> segments;
    std::vector<Matrix<double>> around;
    /// In the order of epochs; their samples are NaN. Does not include channels with non-finite samples:
    /// which of their samples become NaN depends on resampling and the filter.
    std::vector<UnusableChannel> unusable;
    /// channels × epochSamples, a view of a segment.
    MatrixView<const double> epoch(std::size_t index) const {
        if (!around.empty()) return around[index].view();
        const EpochOrigin& origin = epochs[index];
        return segments[origin.segment].view().block(0, origin.firstSample, channels.size(), epochSamples);
    }
};

/// Reads a recording, an array or a table. Content and name determine the format, see openSignals.
/// - recording: EDF, EDF+, BDF, BrainVision .vhdr, FIF, EEGLAB .set
/// - array in an NPY or NPZ file: channels × samples, or epochs × channels × samples with each epoch a
///   segment of its own
/// - table of numbers: one line per sample, one column per channel, optionally gzipped
///
/// An NPZ file may contain the names of its channels as text: channels, ch_names, channel_names, labels or
/// names. It may contain their sampling rate as one number in Hz: sfreq, fs, rate, srate, samplingrate,
/// sampling_rate or sampling_frequency. The case of these names does not matter.
///
/// A column of a table is never used as row names. Columns named like times, and ramps, are not signals (see
/// SignalOptions::keepTime), which is noted.
///
/// Each segment between gaps is resampled (Resampler), filtered (BandPass), referenced and cut into epochs
/// separately; the remainder at its end is dropped. A derived channel is unusable where its own channel is,
/// or the only other channel from which it is derived. Epochs that artefacts mark are skipped, and so are
/// epochs of segments shorter than the filter. Samples of channels that are unusable in an epoch
/// (ChannelUsability, applied to the samples in the file) become NaN there. Other non-finite samples are
/// kept, and resampling and filtering turn everything computed from them into NaN.
///
/// Throws InputError, naming file and place, for: unreadable files, missing channels (showing the nearest
/// names), files without signals, different sampling rates among the chosen channels unless they are
/// resampled, bands beyond half the sampling rate, artefact lists that do not fit, no epoch left. Throws
/// UsageError for contradictory options. Throws CancelledError.
SignalSet readSignals(const std::filesystem::path& path, const SignalOptions& options, Progress& progress);

/// Makes the same checks without the work, so that a long batch fails before it starts even if its last file
/// is wrong. Only tables are read completely.
SignalSetShape inspectSignals(const std::filesystem::path& path, const SignalOptions& options);

/// The files that readSignals would read: three for BrainVision and up to two for EEGLAB, whichever of them
/// is given; all parts of a FIF recording. Throws InputError as openSignals does.
std::vector<std::filesystem::path> signalFiles(const std::filesystem::path& path);

}  // namespace glycine::crossapen
