#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "engine/core/quantity.hpp"

namespace glycine {

/// "83 to 91", or "85" if both are equal.
inline std::string formatCounts(std::size_t least, std::size_t most) {
    return least == most ? formatCount(least)
                         : fmt::format("{} to {}", formatCount(least), formatCount(most));
}

}  // namespace glycine
