#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// Opens a FIF file with raw data or epochs, as Elekta/MEGIN recorders and MNE-Python write them.
///
/// Channels have the names (long ones included), types, units, calibrations, positions and bad marks of the
/// file. Stimulus, reference, head position and system channels are ChannelKind::Status. Raw data are divided
/// where buffers were skipped; annotations count from the first sample. Each epoch is a segment, one behind
/// another in time, with an annotation that names its event.
///
/// Accepted and noted: a file that ends within a tag, and one that goes on in a further file.
///
/// Throws InputError for a file that cannot be read or is no FIF file, one without raw data and epochs
/// (averages, sources …), complex or packed samples, buffers that are no whole samples of all channels, and
/// tags that contradict each other. Source: Elekta Neuromag, "Functional Image File Format", 2009; the
/// numbers of MNE-Python's fiff constants.
Recording readFif(const std::filesystem::path& path);

/// The same for a file in memory; samples are copied. `name` is used in messages.
Recording parseFif(std::span<const std::byte> bytes, const std::string& name);

}  // namespace glycine::io
