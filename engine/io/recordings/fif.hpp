#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// Opens a FIF file with raw data or epochs, in the form that Elekta/MEGIN recorders and MNE-Python write; it
/// may be gzipped. Files in the same folder that continue the recording are read with it.
///
/// Channels have the file's names (including long ones), types, units, calibrations, positions and bad marks.
/// Stimulus, reference, head position and system channels are ChannelKind::Status. Raw data are divided where
/// buffers were skipped; annotations count from the first sample. Each epoch is a segment with an annotation
/// that names its event; segments follow one another in time.
///
/// Accepted and noted: a file that is cut short, and one whose continuation is not in the same folder.
///
/// Throws InputError for a file that cannot be read or is no FIF file, a file without raw data and epochs
/// (averages, sources …), complex or packed samples, buffers without complete samples of all channels,
/// contradictory tags, and continuations with other channels. Source: Elekta Neuromag, "Functional Image File
/// Format", 2009; the numbers of MNE-Python's fiff constants.
Recording readFif(const std::filesystem::path& path);

/// The files that readFif would read. Throws as it does.
std::vector<std::filesystem::path> fifFiles(const std::filesystem::path& path);

/// The same for one file in memory, not gzipped; copies the samples. `name` is used in messages.
Recording parseFif(std::span<const std::byte> bytes, const std::string& name);

}  // namespace glycine::io
