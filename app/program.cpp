#include "app/program.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/early_environment.hpp"
#include "app/register_algorithms.hpp"
#include "engine/api/backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/system/machine.hpp"

namespace {

/// Limits how long threads of GNU OpenMP spin while they wait for each other. The default is 300,000 rounds,
/// some milliseconds. If other programs need the processors, spinning threads delay the threads that they
/// wait for.
///
/// Measured on 16 threads, `cpu dense` of 512, 1024 and 2048 atoms, next to 12 busy programs: 205, 220 and
/// 270 ms by default; 18, 25 and 74 ms with 5,000 rounds, which costs 8, 5 and 10 % on an idle machine. 1,000
/// rounds give 7, 14 and 61 ms, but cost up to 20 %.
///
/// app/early_environment.cpp shows the limit to the runtime before the runtime is initialised. Where that is
/// impossible (sanitizers, an environment without a variable to borrow), the program restarts itself once.
void boundSpinning(char** arguments) {
    if (glycine::isSpinningBounded()) return;
    setenv("GOMP_SPINCOUNT", glycine::kSpinCount, 1);
    glycine::restartProgram(arguments);
    // If the restart fails, the program continues with the runtime's default.
}

/// Whether the arguments request a computation, and not just its help.
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

/// Limits OpenMP to the threads that the process can have. Where address space is limited, starts them before
/// data take the room for their stacks; elsewhere they start with the first work for them, since starting
/// takes a small run longer than its computation, which needs none.
void prepareThreads() {
    if (glycine::freeAddressSpace() < std::numeric_limits<std::uint64_t>::max())
        glycine::startThreads();
    else
        omp_set_num_threads(glycine::availableThreads(omp_get_max_threads()));
}

/// GNU OpenMP, drivers and other libraries end the process on fatal errors, some of them without a message.
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
    if (computes) prepareThreads();
    glycine::CommandContext context(std::cout, std::cerr, isatty(STDERR_FILENO) != 0, begin);
    const int exitCode = run(arguments, context);
    isInMain = false;
    return exitCode;
}
