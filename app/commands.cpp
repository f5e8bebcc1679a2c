#include "app/commands.hpp"

#include "engine/command/part_option.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void registerCommands() {
    CommandRegistry& commands = CommandRegistry::instance();
    commands.describeGroup("generate", "Make random input of any size");
    commands.describeGroup("validate", "Compare all backends and variants with the reference");
    commands.describeGroup("bench", "Verify and time backends and variants");
    study::addBenchDeviceCommand();
    study::addEndToEndCommand();
    study::addReproduceCommand();
    study::addStudyCommands();
    commands.add({"", "inspect", "Commands",
                  "Show what a file is, what is in it and what can be done with it", declareInspect, false});
    commands.add({"", "merge", "Commands", "Make a result of its parts, which runs with --part have computed",
                  declareMerge});
    commands.add({"", "plan", "Commands", "Say what a run of all pairs on several machines takes",
                  declarePlan, false});
    commands.add({"", "list", "Commands",
                  "Show algorithms, backends and variants, and which of them run here", declareList, false});
    commands.add(
        {"", "info", "Commands", "Show the build, the devices and what they can do", declareInfo, false});
}

}  // namespace glycine
