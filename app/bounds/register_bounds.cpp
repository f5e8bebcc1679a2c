#include "app/bounds/commands.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/core/algorithm.hpp"

namespace glycine {

void register_bounds();
void register_bounds() {
    using namespace bounds;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add(
        {"", "bounds", "Algorithms", std::string(algorithm().summary()), declaredToParser(addRunTask)});
    commands.add({"generate", "bounds", "", "Make input of any size from a seed for bounds",
                  declaredToParser(addGenerateTask)});
    commands.add({"validate", "bounds", "", "Compare all backends and variants with the reference for bounds",
                  declaredToParser(addValidateTask)});
    commands.add({"bench", "bounds", "", "Verify and time backends and variants for bounds",
                  declaredToParser(addBenchTask)});
}

}  // namespace glycine
