#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace glycine {

/// Makes the help of `command` and of the commands added to it later fit a terminal: descriptions are
/// wrapped, required options say so, and the usage line names the whole command.
void useWrappedHelp(CLI::App& command);

}  // namespace glycine
