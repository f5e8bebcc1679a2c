#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// Opens a BrainVision recording by its header file (.vhdr). The data (.eeg) and markers (.vmrk) are in the
/// same folder, under the names in the header. The recording is divided at its "New Segment" markers; other
/// markers become annotations.
///
/// As the format specifies, a missing resolution means 1, and a missing unit means µV.
///
/// Accepted and noted, besides what brainVisionTimeline notes: decimal commas in the sampling interval,
/// entries of channels beyond the channel count, text that is not UTF-8 although the file says so, a header
/// that names no marker file, and bytes after the last sampling point.
///
/// Throws InputError for what BrainVisionText, parseBrainVisionMarkers and brainVisionTimeline refuse. Throws
/// it, naming the line, for missing or malformed entries, a channel without entry, a resolution that is 0 or
/// no number, data in ASCII, in the frequency domain or big-endian, and an orientation or binary format other
/// than MULTIPLEXED, VECTORIZED, INT_16, UINT_16, INT_32 and IEEE_FLOAT_32. Throws it for a file that is
/// missing or cannot be read, a data file with fewer sampling points than the header says, and VECTORIZED
/// data whose size is no multiple of the channels. Source: Brain Products, BrainVision Core Data Format 1.0.
Recording readBrainVision(const std::filesystem::path& path);

/// The files of a recording, by its header file: the header, the data and, if any, the markers. Throws
/// InputError for a header that readBrainVision refuses and for missing files.
std::vector<std::filesystem::path> brainVisionFiles(const std::filesystem::path& path);

/// The contents of a recording's three files.
struct BrainVisionContents {
    std::string_view header;
    std::optional<std::string_view> markers;  ///< absent if there is no marker file
    std::span<const std::byte> data;          ///< must outlive the recording unless `owner` keeps it
    std::shared_ptr<const void> owner;
};

/// The same for files in memory; `name` is the header file's, for messages.
Recording parseBrainVision(const BrainVisionContents& contents, const std::string& name);

}  // namespace glycine::io
