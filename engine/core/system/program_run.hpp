#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace glycine {

/// What another process of this program left.
struct ProgramRun {
    int exitCode = -1;   ///< 128 and more: ended by a signal
    double seconds = 0;  ///< from its start until the system has taken back its memory
    std::string output;  ///< all that it wrote, to standard error, too
};

/// Starts this program once more, in `folder`, with these arguments and the present environment but for the
/// entries ("NAME=VALUE") in `without`, and waits for it. `wait` is called ten times a second meanwhile; what
/// it throws ends the process first. Throws Error where the system cannot start it.
ProgramRun runThisProgram(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          const std::vector<std::string>& without, const std::function<void()>& wait);

}  // namespace glycine
