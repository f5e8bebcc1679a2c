#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

/// What an installation brings besides the program, made from the declared options, so that it cannot be
/// stale.
namespace glycine {

/// The manual page of the program and all of its commands, in man's macros for troff, UTF-8. `version`:
/// "0.1.0".
std::string manualPage(const CLI::App& program, std::string_view version);

/// What a shell offers for the value of an option, by the command and the option's name; nothing where that
/// is not known.
using SuggestionsOf =
    std::function<std::vector<std::string>(const CLI::App& command, const std::string& option)>;

/// A script that completes commands, options and the values that options suggest in a shell, "bash" or "zsh",
/// and file names elsewhere. Values stand behind the option or its "=", those of a list behind commas. Throws
/// UsageError for another shell.
std::string completionScript(const CLI::App& program, std::string_view shell,
                             const SuggestionsOf& suggestions);

}  // namespace glycine
