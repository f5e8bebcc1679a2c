#include "app/commands.hpp"

#include "engine/command/part_option.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void registerCommands() {
    CommandRegistry& commands = CommandRegistry::instance();
    commands.describeGroup("generate", "Generate random input of any size");
    commands.describeGroup("validate", "Compare all backends and variants with the reference");
    commands.describeGroup("bench", "Verify and time backends and variants");
    study::addBenchDeviceCommand();
    study::addEndToEndCommand();
    study::addReproduceCommand();
    study::addStudyCommands();
    commands.add({"", "inspect", "Commands", "Show a file's type and contents, and commands that use it",
                  declareInspect, false});
    commands.add({"", "merge", "Commands", "Combine the parts of a result, computed by runs with --part",
                  declareMerge});
    commands.add({"", "plan", "Commands", "Estimate time and memory of an all-pairs run on several machines",
                  declarePlan, false});
    commands.add({"", "list", "Commands",
                  "Show algorithms, backends and variants, and which of them run here", declareList, false});
    commands.add(
        {"", "info", "Commands", "Show the build, the devices and their capabilities", declareInfo, false});
}

}  // namespace glycine
