#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace glycine {

/// The result of another process of this program.
struct ProgramRun {
    int exitCode = -1;     ///< 128 and above: ended by a signal
    double seconds = 0;    ///< from its start until the system has reclaimed its memory
    std::string output;    ///< all that it wrote to standard output
    std::string messages;  ///< all that it wrote to standard error
};

/// Runs this program again in `folder`, with these arguments and the present environment without the entries
/// ("NAME=VALUE") in `without`, and waits for it. Calls `wait` ten times per second meanwhile; if `wait`
/// throws, the process is ended first. Throws Error if the system cannot start it.
ProgramRun runThisProgram(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          const std::vector<std::string>& without, const std::function<void()>& wait);

}  // namespace glycine
