#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

/// Documents of an installation, generated from the declared options so that they cannot become stale.
namespace glycine {

/// Manual page of the program and all its commands, in troff with the man macros, UTF-8. `version`: "0.1.0".
std::string manualPage(const CLI::App& program, std::string_view version);

/// Values that a shell suggests for an option, given the command and the option's name; empty if unknown.
using SuggestionsOf =
    std::function<std::vector<std::string>(const CLI::App& command, const std::string& option)>;

/// Completion script for `shell`, "bash" or "zsh": completes commands, options, and suggested values;
/// elsewhere file names. Values follow the option or its "=", list elements follow a comma. Throws UsageError
/// for another shell.
std::string completionScript(const CLI::App& program, std::string_view shell,
                             const SuggestionsOf& suggestions);

}  // namespace glycine
