// glycine-mpi: the commands of glycine, whose work several processes share.
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

/// Whether the command divides its work: then it has --part, or shares blocks.
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
            // What all find wrong the lead says, and ends this process.
            std::this_thread::sleep_for(std::chrono::seconds(1));
            std::cerr << errors.str() << std::flush;
        }
        // The others wait for what does not come.
        glycine::MpiTeam::abort(exitCode);
    });
}
