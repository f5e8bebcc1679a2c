#include "app/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/register_algorithms.hpp"
#include "engine/api/backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/system/machine.hpp"

namespace {

/// Bounds how long threads of GNU OpenMP spin while they wait for each other. By default they do for 300,000
/// rounds, some milliseconds: where other programs want the processors, the waiting threads hold up those
/// that they wait for. Measured on 16 threads, `cpu dense` of 512, 1024 and 2048 atoms beside 12 busy
/// programs: 205, 220 and 270 ms by default, 18, 25 and 74 with 5,000 rounds; alone on the machine that costs
/// 8, 5 and 10 %. With 1,000 rounds it is 7, 14 and 61 ms, but up to 20 %. The runtime reads this when it is
/// loaded, before main(): so the program starts itself once more, unless the user has chosen.
void boundSpinning(char** arguments) {
    if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
    setenv("GOMP_SPINCOUNT", glycine::kSpinCount, 1);
    glycine::restartProgram(arguments);
    // Where the system cannot, the program goes on with the runtime's own rule.
}

/// Whether the arguments ask for a computation, and not only for its help.
bool isComputation(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return false;
    for (const char* help : {"--help", "-h"})
        if (std::ranges::find(arguments, help) != arguments.end()) return false;
    return std::ranges::any_of(
        glycine::CommandRegistry::instance().commands(), [&](const glycine::Command& command) {
            return command.isComputation &&
                   arguments.front() == (command.group.empty() ? command.name : command.group);
        });
}

/// GNU OpenMP, drivers and other libraries end the process when they do not know how to go on, some of them
/// without a word.
bool isInMain = true;

void sayThatALibraryEndedThis() {
    if (isInMain)
        std::cerr
            << "glycine: error: a library that Glycine uses has ended the program, as the system refused "
               "it something (memory or threads); raise the limits, or use fewer --threads\n"
            << std::flush;
}

}  // namespace

int glycine::runProgram(
    int argc, char** argv,
    const std::function<int(const std::vector<std::string>& arguments, CommandContext&)>& run) {
    const glycine::Clock::TimePoint begin = glycine::Clock::processStart();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    glycine::registerBackends();
    glycine::registerAlgorithms();
    glycine::registerCommands();
    const bool computes = isComputation(arguments);
    if (computes) boundSpinning(argv);
    glycine::installCancellationHandler();
    std::atexit(sayThatALibraryEndedThis);
    if (computes) glycine::startThreads();
    glycine::CommandContext context(std::cout, std::cerr, isatty(STDERR_FILENO) != 0, begin);
    const int exitCode = run(arguments, context);
    isInMain = false;
    return exitCode;
}
