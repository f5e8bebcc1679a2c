#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// What a .vhdr file says.
struct BrainVisionHeader {
    std::string dataFile;    ///< as written, without folder
    std::string markerFile;  ///< empty: none
    bool isMultiplexed =
        true;  ///< all channels of a sampling point lie together; otherwise all points of a channel
    SampleFormat sampleFormat = SampleFormat::Int16;
    std::optional<std::size_t> points;  ///< number of sampling points, where the file tells it
    double samplingInterval = 0;        ///< µs
    std::vector<RecordingChannel> channels;
    std::vector<std::string> notes;

    /// Bytes of one sampling point of all channels.
    std::size_t pointBytes() const { return channels.size() * sampleBytes(sampleFormat); }
};

/// Reads a header file; `name` is used in messages, and "$b" in the names of files stands for it without
/// folder and ending. A channel without resolution has 1, one without unit µV, as the format says.
///
/// Accepted and noted: decimal commas in the sampling interval, entries of channels beyond their number, text
/// that is not UTF-8 although the file says so.
///
/// Throws InputError, naming the line, for what BrainVisionText refuses, missing or malformed entries, a
/// channel without entry, a resolution that is 0 or no number, data in ASCII, in the frequency domain or
/// big-endian, and an orientation or binary format other than MULTIPLEXED, VECTORIZED, INT_16, UINT_16,
/// INT_32 and IEEE_FLOAT_32. Source: Brain Products, BrainVision Core Data Format 1.0.
BrainVisionHeader parseBrainVisionHeader(std::string_view text, const std::string& name);

}  // namespace glycine::io
