#pragma once

#include "engine/command/options.hpp"

namespace CLI {
class App;
}

/// Where the options and the command line meet: the parser behind both.
namespace glycine {

/// Options that are declared to `parser`, which must outlive them.
Options optionsOf(CLI::App& parser);

}  // namespace glycine
