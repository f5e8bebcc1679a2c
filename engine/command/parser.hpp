#pragma once

#include "engine/command/options.hpp"

namespace CLI {
class App;
}

/// Where the options and the command line meet: the parser behind both.
namespace glycine {

/// Options that are declared to `parser`, which must outlive them.
Options optionsOf(CLI::App& parser);

/// Throws UsageError for values among the arguments of `command` that the parser would pass over, and take
/// the next argument in their place: "--matrix=", and empty elements of lists, "3,,4".
void requireValues(const CLI::App& command, const std::vector<std::string>& arguments);

}  // namespace glycine
