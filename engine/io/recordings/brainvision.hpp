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

/// Opens a BrainVision recording by its header file (.vhdr); data (.eeg) and markers (.vmrk) are found beside
/// it under the names in the header. The recording is divided at its "New Segment" markers; other markers
/// become annotations.
///
/// A channel without resolution has 1, one without unit µV, as the format says.
///
/// Accepted and noted, besides what brainVisionTimeline notes: decimal commas in the sampling interval,
/// entries of channels beyond their number, text that is not UTF-8 although the file says so, a header that
/// names no marker file, and bytes behind the last sampling point.
///
/// Throws InputError for what BrainVisionText, parseBrainVisionMarkers and brainVisionTimeline refuse; naming
/// the line, for missing or malformed entries, a channel without entry, a resolution that is 0 or no number,
/// data in ASCII, in the frequency domain or big-endian, and an orientation or binary format other than
/// MULTIPLEXED, VECTORIZED, INT_16, UINT_16, INT_32 and IEEE_FLOAT_32; for a file that is missing or cannot
/// be read, for a data file with fewer sampling points than the header says, and for data in the order
/// VECTORIZED that are no multiple of the channels. Source: Brain Products, BrainVision Core Data Format 1.0.
Recording readBrainVision(const std::filesystem::path& path);

/// The files of a recording by its header file: that, the data and, where there are some, the markers. Throws
/// InputError for a header that readBrainVision refuses and for files that are missing.
std::vector<std::filesystem::path> brainVisionFiles(const std::filesystem::path& path);

/// The contents of a recording's three files.
struct BrainVisionContents {
    std::string_view header;
    std::optional<std::string_view> markers;  ///< absent: there is no marker file
    std::span<const std::byte> data;          ///< outlives the recording unless `owner` keeps it
    std::shared_ptr<const void> owner;
};

/// The same for files in memory; `name` is that of the header file, for messages.
Recording parseBrainVision(const BrainVisionContents& contents, const std::string& name);

}  // namespace glycine::io
