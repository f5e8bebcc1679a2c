#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glycine::io {

/// "2009-08-12" of EDF's "12.08.09"; years 85 to 99 are of the 20th century. Nothing for other texts and days
/// that no calendar has.
std::optional<std::string> isoDateOfEdf(std::string_view text);

/// "16:15:00" of EDF's "16.15.00"; nothing for other texts and times.
std::optional<std::string> isoTimeOfEdf(std::string_view text);

/// "2009-08-12" of an EDF+ recording identification that begins with "Startdate 12-AUG-2009"; nothing where
/// the date is not given ("Startdate X") or there is no such beginning.
std::optional<std::string> isoDateOfRecording(std::string_view identification);

}  // namespace glycine::io
