#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/io/recordings/edf_header.hpp"
#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// Divides the data records into stretches without gaps. `onsets` has the time-keeping annotation of each
/// record as far as there is one; `header.recordDuration` is above 0.
///
/// A record continues the one before when it begins where that one ends, give or take half a sampling
/// interval of the fastest signal or 1 ms, whichever is more: onsets are often rounded to milliseconds.
///
/// EDF+D and BDF+D: throws InputError for a record without time-keeping and for one that begins before the
/// last one ends. Other files, which claim to have no gaps: gaps that time-keeping tells all the same are
/// taken and noted; time-keeping that is missing in places or runs backwards is noted and not used.
std::vector<RecordingSegment> edfSegments(const EdfHeader& header, const std::string& name,
                                          std::span<const std::optional<double>> onsets,
                                          std::vector<std::string>& notes);

}  // namespace glycine::io
