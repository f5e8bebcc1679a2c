#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/command/command_context.hpp"
#include "engine/command/options.hpp"

namespace glycine {

/// Runs a parsed command; returns the exit code.
using CommandAction = std::function<int(CommandContext&)>;

/// A command as it stands on the command line: `glycine NAME …` or `glycine GROUP NAME …`.
struct Command {
    std::string group;  ///< "generate"; empty: at the top
    std::string name;   ///< "bounds", "network", "genotypes"
    std::string
        heading;  ///< under which the help lists it, where it stands at the top: "Algorithms", "Commands"
    std::string summary;
    /// Declares the options and returns what runs after parsing. What it captures lives as long as the
    /// action; the options outlive it.
    std::function<CommandAction(Options&)> declare;
    bool isComputation = true;  ///< works with threads, and does not only tell something
};

/// All commands of the program, in the order in which they were added. An algorithm may add several.
class CommandRegistry {
  public:
    static CommandRegistry& instance();
    void add(Command command);
    /// What `glycine help` says of a group: "Make random input of any size".
    void describeGroup(std::string group, std::string summary);
    const std::vector<Command>& commands() const { return commands_; }
    std::string groupSummary(const std::string& group) const;

  private:
    std::vector<Command> commands_;
    std::vector<std::pair<std::string, std::string>> groups_;
};

}  // namespace glycine
