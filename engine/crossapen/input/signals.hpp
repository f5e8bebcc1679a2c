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

/// The signals of one file, cut into epochs: what the entropies are computed of.
namespace glycine::crossapen {

/// Hz: no recorder is faster.
inline constexpr double kHighestSamplingRate = 1e9;

/// Frequencies that a band pass lets through, Hz; 0 ≤ low < high. low = 0: a low pass; high = infinity: a
/// high pass. See BandPass for the filter.
struct FrequencyBand {
    double low = 0;
    double high = 0;
};

/// How a file is read. Every member is an option of the command with the same meaning.
struct SignalOptions {
    /// Channels by name, in this order; a name may hold * and ?. Empty: all signals of the chosen types. See
    /// selectChannels for how names are matched.
    std::vector<std::string> channels;
    /// "EEG", "MEG" …, as the file says or labels begin with; empty: all types. Channels that `channels`
    /// gives by their whole name are taken whatever their type.
    std::vector<std::string> types;
    std::vector<std::string> excluded;  ///< names that are left out; may hold * and ?
    /// Hz; of files that tell none (NPY, CSV). Needed there for what is given in Hz or seconds.
    std::optional<double> samplingRate;
    std::optional<bool> header;  ///< tables: whether the first line holds names; found out if absent
    bool transpose = false;      ///< arrays: samples × channels; tables: one line a channel
    std::string array;           ///< NPZ: the array of the signals; empty: the one that there is
    /// Tables, NPZ: what is called like times (isTimeName) or is a ramp (rampStep) is a signal, too; without
    /// it, such columns are taken only where `channels` gives their whole name.
    bool keepTime = false;
    /// "average": each channel less the mean of all of its type that are not bad or excluded; else names of
    /// the channels whose mean is taken out. Empty: signals stay as they are.
    std::vector<std::string> reference;
    /// "Fp1-F3": differences of two channels, in place of `channels`.
    std::vector<std::string> montage;
    std::optional<double> resampleRate;  ///< Hz; all channels are brought to it
    std::optional<FrequencyBand> band;   ///< applied after resampling
    std::size_t epochSamples = 1024;     ///< after resampling
    /// Epochs around annotations with these texts, in place of consecutive ones; * and ? stand for other
    /// characters, and a text without what is before its last slash counts, too ("S  1" of "Stimulus/S  1").
    /// Rises of trigger channels are annotations here: "STI 014/5".
    std::vector<std::string> events;
    double eventStart = 0;  ///< seconds from an event to the first sample of its epoch
    /// Epochs taken, the first ones of each file that are free of artefacts; absent: all.
    std::optional<std::size_t> maximumEpochs;
    /// A list of artefacts, see readArtefactList; empty: none.
    std::filesystem::path artefacts;
    /// Texts of annotations in the recording that mark artefacts; may hold * and ?: "BAD*".
    std::vector<std::string> artefactAnnotations;
    UsabilityLimits usability;  ///< of the samples as the file has them
};

/// Where an epoch comes from.
struct EpochOrigin {
    std::size_t number = 0;       ///< from 1, counted over the whole file, artefact epochs included
    std::size_t segment = 0;      ///< stretch without gaps, from 0
    std::size_t firstSample = 0;  ///< from the beginning of the segment, after resampling
    double onset = 0;             ///< seconds from the start of the recording; samples where no rate is known
    std::string event{};          ///< text of the annotation that it lies around; empty: none
};

/// An epoch that is left out.
struct SkippedEpoch {
    EpochOrigin origin;
    std::string reason;  ///< "artefact list, line 3"
};

/// What is known of a file without reading its samples.
struct SignalSetShape {
    std::string description;            ///< "EDF+C, 64 of 65 channels, 160 Hz, 61 s, band pass 0.5–40 Hz"
    std::vector<std::string> channels;  ///< labels, made unique
    double samplingRate = 0;            ///< Hz, after resampling; 0: unknown
    std::vector<EpochOrigin> epochs;
    std::vector<SkippedEpoch> skipped;
    std::vector<std::string> notes;  ///< what is odd about the file, one sentence each
    /// Of the sensors, one a channel where the file tells it: see io::RecordingChannel.
    std::vector<std::optional<std::array<double, 3>>> positions;
};

struct SignalSet : SignalSetShape {
    std::string name;                ///< of the file, for people and for results: "S001R01.edf"
    std::vector<std::string> units;  ///< one a channel; may be empty text
    std::size_t epochSamples = 0;
    /// channels × samples each, resampled and filtered; segments without an epoch are empty. Epochs around
    /// events, which may overlap, are in `around` instead, one a matrix.
    std::vector<Matrix<double>> segments;
    std::vector<Matrix<double>> around;
    /// In the order of epochs; their samples are NaN. Channels with samples that are not finite are not among
    /// them: of these, resampling and the filter decide what is NaN.
    std::vector<UnusableChannel> unusable;
    /// channels × epochSamples, a window on a segment.
    MatrixView<const double> epoch(std::size_t index) const {
        if (!around.empty()) return around[index].view();
        const EpochOrigin& origin = epochs[index];
        return segments[origin.segment].view().block(0, origin.firstSample, channels.size(), epochSamples);
    }
};

/// Reads a recording (EDF, EDF+, BDF, BrainVision .vhdr, FIF, EEGLAB .set), an array in an NPY or NPZ file
/// (channels × samples, or epochs × channels × samples, of which each epoch is a stretch without gaps) or a
/// table of numbers (one line a sample, one column a channel; packed by gzip or not). Formats are told apart
/// by content and name, see openSignals. An NPZ file may tell the names of its channels (channels, ch_names,
/// channel_names, labels or names, text) and their sampling rate (sfreq, fs, rate, srate, samplingrate,
/// sampling_rate or sampling_frequency, one number in Hz), in any case.
///
/// A column of a table is never taken for names of rows. Columns that are called like times, or are ramps,
/// are no signals (see SignalOptions::keepTime), which is noted.
///
/// Each segment between gaps is resampled (Resampler), filtered (BandPass), referenced and cut into epochs by
/// itself; what is left at its end is no epoch. A derived channel cannot be used where its own channel, or
/// the only other one that it is made of, cannot. Epochs are left out that artefacts mark, and those of
/// segments that are shorter than the filter. Samples of channels that cannot be used in an epoch
/// (ChannelUsability, of the samples that the file has) become NaN there. Samples that are not finite stay
/// what they are, and make NaN of what resampling and filtering compute of them.
///
/// Throws InputError, naming file and place: unreadable files, channels that are not there (the nearest names
/// are shown), files without signals, different sampling rates among the chosen channels unless they are
/// resampled, bands beyond half the sampling rate, artefact lists that do not fit, no epoch left. UsageError
/// for contradictory options. CancelledError.
SignalSet readSignals(const std::filesystem::path& path, const SignalOptions& options, Progress& progress);

/// The same checks without the work: a long batch finds out about the last file before it begins. Only
/// tables are read as a whole.
SignalSetShape inspectSignals(const std::filesystem::path& path, const SignalOptions& options);

/// The files that readSignals would read: three for BrainVision, two for EEGLAB, whichever of them is given.
/// Throws InputError as openSignals.
std::vector<std::filesystem::path> signalFiles(const std::filesystem::path& path);

}  // namespace glycine::crossapen
