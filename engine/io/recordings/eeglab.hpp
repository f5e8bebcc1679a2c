#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/io/arrays/matlab.hpp"
#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// Opens an EEGLAB data set (.set), a MATLAB file of version 5 to 7.3, with its samples in it or in an .fdt
/// or .dat file beside it.
///
/// Channels have the labels, types and places of EEG.chanlocs. Continuous data are divided at "boundary"
/// events, whose durations (samples that were cut out) count as time; each trial of epoched data is a
/// segment, one behind another in time. Other events are annotations. Noted: events without a place or
/// outside the recording, and what is missing of chanlocs.
///
/// Throws InputError as readMatlab; for files without an EEG data set, numbers of channels, points or trials
/// that contradict the samples, and a file of samples that is not there or has another size.
Recording readEeglab(const std::filesystem::path& path);

/// The same of values that were read; `samples`: those of the file that EEG.data names.
Recording recordingOf(const MatlabValue& variables, const std::string& name,
                      std::optional<RecordingData> samples);

/// The files that readEeglab reads.
std::vector<std::filesystem::path> eeglabFiles(const std::filesystem::path& path);

}  // namespace glycine::io
