#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/io/arrays/matlab.hpp"
#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// Opens an EEGLAB data set (.set), a MATLAB file of version 5 to 7.3. Its samples are in the file, or in an
/// .fdt or .dat file in the same folder.
///
/// Channels have the labels, types and positions of EEG.chanlocs. Continuous data are divided at "boundary"
/// events, whose durations (samples that were cut out) count as time. Each trial of epoched data is a
/// segment; segments follow one another in time. Other events become annotations. Noted: events without a
/// position or outside the recording, and incomplete chanlocs.
///
/// Throws InputError as readMatlab does. Throws it for files without an EEG data set, for numbers of
/// channels, points or trials that contradict the samples, and for a sample file that is missing or has
/// another size.
Recording readEeglab(const std::filesystem::path& path);

/// The same for values already read. `samples`: contents of the file that EEG.data names.
Recording recordingOf(const MatlabValue& variables, const std::string& name,
                      std::optional<RecordingData> samples);

/// The files that readEeglab reads.
std::vector<std::filesystem::path> eeglabFiles(const std::filesystem::path& path);

}  // namespace glycine::io
