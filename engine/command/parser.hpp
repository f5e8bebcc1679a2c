#pragma once

#include "engine/command/options.hpp"

namespace CLI {
class App;
}

/// The parser, which connects options and command line.
namespace glycine {

/// Options declared on `parser`, which must outlive them.
Options optionsOf(CLI::App& parser);

/// Throws UsageError for empty values in the arguments of `command`, which the parser would skip, taking the
/// next argument instead: "--matrix=", and empty list elements, "3,,4".
void requireValues(const CLI::App& command, const std::vector<std::string>& arguments);

}  // namespace glycine
