#pragma once

#include <string>
#include <utility>
#include <vector>

namespace glycine::align {

/// Stages in the order in which they ran, and what each took.
using StageSeconds = std::vector<std::pair<std::string, double>>;

}  // namespace glycine::align
