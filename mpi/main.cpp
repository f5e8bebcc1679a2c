// glycine-mpi: glycine's commands, with their work shared among several processes.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/program.hpp"
#include "engine/command/command_line.hpp"
#include "engine/command/options.hpp"
#include "engine/core/cancellation.hpp"
#include "engine/core/stopwatch.hpp"
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

/// Runs the command, as a member of the team if it shares work.
int runWith(glycine::MpiTeam& team, bool isShared, const std::vector<std::string>& arguments,
            glycine::CommandContext& context) {
    if (isShared) glycine::setProcessTeam(&team);
    const int exitCode = glycine::runCommandLine(arguments, context);
    glycine::setProcessTeam(nullptr);
    return exitCode;
}

/// Standard error of rank 0. Keeps what is written after a request to stop: mpirun also sends one when
/// another process has failed, and then that process reports why the run ends.
class RankZeroErrors final : public std::streambuf {
  public:
    void writeKept() { std::cerr << std::exchange(kept_, {}) << std::flush; }

  protected:
    int_type overflow(int_type character) override {
        if (!traits_type::eq_int_type(character, traits_type::eof())) put(std::string(1, char(character)));
        return traits_type::not_eof(character);
    }
    std::streamsize xsputn(const char* text, std::streamsize size) override {
        put({text, static_cast<std::size_t>(size)});
        return size;
    }
    int sync() override { return std::cerr.flush() ? 0 : -1; }

  private:
    void put(std::string_view text) {
        if (glycine::cancellationRequested())
            kept_ += text;
        else
            std::cerr << text;
    }
    std::string kept_;
};

/// Ends all processes after this one has failed. Of all that have failed, the one of the lowest rank reports
/// its error, with `report`.
[[noreturn]] void endAll(glycine::MpiTeam& team, int exitCode, const std::function<void()>& report) {
    using namespace std::chrono_literals;
    const bool wasStopped = glycine::cancellationRequested();
    if (!wasStopped) team.announceFailure();
    // MPI ends the others by a request to stop.
    const auto wait = [&](std::chrono::milliseconds longest, const auto& isOver) {
        const auto end = std::chrono::steady_clock::now() + longest;
        while (std::chrono::steady_clock::now() < end && !isOver()) std::this_thread::sleep_for(2ms);
    };
    const auto isEnded = [&] { return !wasStopped && glycine::cancellationRequested(); };
    if (team.leads()) {
        if (wasStopped && team.haveOthersFailed(true)) std::_Exit(exitCode);
    } else {
        bool isReportedElsewhere = false;
        wait(wasStopped ? 3000ms : 500ms, [&] {
            isReportedElsewhere = isReportedElsewhere || team.haveOthersFailed(wasStopped);
            return isReportedElsewhere || isEnded();
        });
        if (isReportedElsewhere && !wasStopped) wait(3000ms, isEnded);
        if (isReportedElsewhere || isEnded()) std::_Exit(exitCode);
    }
    report();
    // The other processes would wait forever.
    glycine::MpiTeam::abort(exitCode);
}

}  // namespace

int main(int argc, char** argv) {
    return glycine::runProgram(argc, argv, [&](const auto& arguments, glycine::CommandContext& context) {
        glycine::MpiTeam team(argc, argv);
        const bool isShared = sharesWork(arguments);
        if (!team.leads() && !isShared) return 0;
        if (team.processes() == 1) return runWith(team, isShared, arguments, context);
        std::ostringstream reports, errors;
        RankZeroErrors rankZeroErrors;
        std::ostream rankZeroStream(&rankZeroErrors);
        glycine::CommandContext silent(reports, errors, false);
        glycine::CommandContext leading(std::cout, rankZeroStream, isatty(STDERR_FILENO) != 0,
                                        glycine::Clock::processStart());
        const int exitCode = runWith(team, isShared, arguments, team.leads() ? leading : silent);
        if (exitCode != 0)
            endAll(team, exitCode, [&] {
                if (team.leads())
                    rankZeroErrors.writeKept();
                else
                    std::cerr << errors.str() << std::flush;
            });
        rankZeroErrors.writeKept();
        return exitCode;
    });
}
