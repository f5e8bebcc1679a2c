#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/recordings/edf_header.hpp"
#include "engine/io/recordings/recording.hpp"

/// The annotation signals of EDF+ and BDF+: what happened when, and when each data record begins.
namespace glycine::io {

/// What the bytes of one annotation signal in one data record say.
struct EdfAnnotations {
    struct Damage {
        std::size_t offset = 0;  ///< bytes from the beginning of the signal in this record
        std::string reason;
    };

    /// Of the time-keeping annotation: when the data record begins, in seconds after the start time. Absent
    /// where the first list does not begin with an empty annotation.
    std::optional<double> recordOnset;
    std::vector<RecordingAnnotation> annotations;
    std::vector<Damage> damages;  ///< lists that could not be read; their annotations are missing
};

/// Reads time-stamped annotation lists. Each is
///
///     ±ONSET [0x15 DURATION] 0x14 TEXT 0x14 [TEXT 0x14 …] 0x00
///
/// and unused bytes are 0. Lists that look otherwise become damages. Texts that are not UTF-8 are taken for
/// Latin-1. Empty texts say nothing beyond time-keeping and are left out.
/// Source: EDF+ specification, sections 2.2.2 to 2.2.4.
EdfAnnotations parseEdfAnnotations(std::string_view bytes);

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
