#include "app/commands.hpp"

#include <algorithm>

#include "engine/study/study_commands.hpp"

namespace glycine {

void registerCommands() {
    CommandRegistry& commands = CommandRegistry::instance();
    commands.describeGroup("generate", "Make input of any size from a seed");
    commands.describeGroup("validate", "Compare all backends and variants with the reference");
    commands.describeGroup("bench", "Verify and time backends and variants");
    // Some algorithms still bring a command of their own.
    if (std::none_of(commands.commands().begin(), commands.commands().end(),
                     [](const Command& command) { return command.group == "reproduce"; }))
        study::addReproduceCommand();
    else
        commands.describeGroup("reproduce", "Measure a publication's figures on this machine");
    commands.add({"", "list", "Commands",
                  "Show algorithms, backends and variants, and which of them run here", declareList});
    commands.add({"", "info", "Commands", "Show the build, the devices and what they can do", declareInfo});
}

}  // namespace glycine
