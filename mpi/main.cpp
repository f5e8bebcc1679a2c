// glycine-mpi: glycine's commands, with their work shared among several processes.
#include <chrono>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "app/program.hpp"
#include "engine/command/command_line.hpp"
#include "engine/command/options.hpp"
#include "mpi/mpi_team.hpp"

namespace {

/// Whether the command can share its work: it has --part, or shares blocks.
bool sharesWork(const std::vector<std::string>& arguments) {
    for (const glycine::Command& command : glycine::CommandRegistry::instance().commands()) {
        if (arguments.empty() || !command.group.empty() || command.name != arguments.front()) continue;
        if (command.name == "bounds") return true;
        glycine::Options options;
        const glycine::CommandAction action = command.declare(options);
        try {
            return !options.help("--part").empty();
        } catch (const std::logic_error&) {
            return false;
        }
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    return glycine::runProgram(argc, argv, [&](const auto& arguments, glycine::CommandContext& context) {
        glycine::MpiTeam team(argc, argv);
        const bool isShared = sharesWork(arguments);
        if (!team.leads() && !isShared) return 0;
        if (isShared) glycine::setProcessTeam(&team);
        std::ostringstream reports, errors;
        glycine::CommandContext silent(reports, errors, false);
        const int exitCode = glycine::runCommandLine(arguments, team.leads() ? context : silent);
        glycine::setProcessTeam(nullptr);
        if (exitCode == 0 || team.processes() == 1) return exitCode;
        if (!team.leads()) {
            // If all processes fail in the same way, the lead reports the error and ends this process
            // meanwhile.
            std::this_thread::sleep_for(std::chrono::seconds(1));
            std::cerr << errors.str() << std::flush;
        }
        // The other processes would wait forever.
        glycine::MpiTeam::abort(exitCode);
    });
}
