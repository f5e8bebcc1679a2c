#pragma once

#include <nlohmann/json_fwd.hpp>

namespace glycine {

/// Keeps members in insertion order, so that reports read from the general to the particular. Code that
/// creates or reads JSON includes json.hpp.
using Json = nlohmann::ordered_json;

}  // namespace glycine
