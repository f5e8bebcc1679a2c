#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

/// What an installation brings besides the program, made from the declared options, so that it cannot be
/// stale.
namespace glycine {

/// The manual page of the program and all of its commands, in man's macros for troff, UTF-8. `version`:
/// "0.1.0".
std::string manualPage(const CLI::App& program, std::string_view version);

/// A script that completes commands and options in a shell, "bash" or "zsh", and file names elsewhere. Throws
/// UsageError for another shell.
std::string completionScript(const CLI::App& program, std::string_view shell);

}  // namespace glycine
