#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/recordings/recording.hpp"

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

}  // namespace glycine::io
