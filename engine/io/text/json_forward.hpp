#pragma once

#include <nlohmann/json_fwd.hpp>

namespace glycine {

/// Keeps the order in which members were added, so that reports read from the general to the particular.
/// What makes or reads any includes json.hpp.
using Json = nlohmann::ordered_json;

}  // namespace glycine
