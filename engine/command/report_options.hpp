#pragma once

#include <string>

#include "engine/command/options.hpp"

/// How a command reports.
namespace glycine {

/// Declares --json.
void addJsonOption(Options& options, bool& json,
                   const std::string& help = "Print the report as one JSON object");

}  // namespace glycine
