#pragma once

#include <optional>

#include "engine/crossapen/crossapen.hpp"

namespace glycine::crossapen {

/// Which options were given: some mean something beside others alone, or have another default there.
struct GivenOptions {
    bool m = false;
    bool bias = false;
    bool fuzzyPower = false;
    bool deviation = false;
    bool isAbsolute = false;
    bool tolerance = false;
    bool classes = false;
};

/// Fills in what follows from other options: m of crossfuzzyen and of patterns, and the number format where
/// none is asked for, that of the convention; patterns are those of float64. Throws UsageError for options
/// that mean nothing beside these.
void settle(EntropyOptions& options, const GivenOptions& given, std::optional<NumberFormat> format);

}  // namespace glycine::crossapen
