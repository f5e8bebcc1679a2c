#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/distance/discrete_data.hpp"

/// Attributes that two instances both have. A pair with few of them lies close to everybody by a count of
/// differences, and anywhere by a share of them.
namespace glycine::distance {

/// Attributes that each instance has. Reads the whole source once; progress under "counting known
/// attributes".
std::vector<std::size_t> knownAttributes(const DiscreteSource& source, Progress& progress);

/// Whether some pair might have fewer than `least` of the M attributes in common: two instances with k and l
/// known ones have at least k + l − M. Reads the source where entries may be missing.
bool mayOverlapLess(const DiscreteSource& source, std::size_t least, Progress& progress);

}  // namespace glycine::distance
