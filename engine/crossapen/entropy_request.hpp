#pragma once

#include <optional>

#include "engine/crossapen/crossapen.hpp"

namespace glycine::crossapen {

/// Which options the user gave. Some are valid only with certain others, or have another default with them.
struct GivenOptions {
    bool m = false;
    bool bias = false;
    bool fuzzyPower = false;
    bool deviation = false;
    bool isAbsolute = false;
    bool tolerance = false;
    bool classes = false;
};

/// Fills in defaults that depend on other options: m for crossfuzzyen and for patterns; the number format,
/// which follows the convention unless given and is float64 for patterns. Throws UsageError for options that
/// have no meaning in combination with the others.
void applyDefaults(EntropyOptions& options, const GivenOptions& given, std::optional<NumberFormat> format);

}  // namespace glycine::crossapen
