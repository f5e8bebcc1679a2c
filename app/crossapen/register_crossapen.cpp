#include "app/crossapen/commands.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/core/algorithm.hpp"

namespace glycine {

void register_crossapen();
void register_crossapen() {
    using namespace crossapen;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add(
        {"", "crossapen", "Algorithms", std::string(algorithm().summary()), declaredToParser(addRunTask)});
    commands.add({"generate", "signals", "", "Make input of any size from a seed for crossapen",
                  declaredToParser(addGenerateTask)});
    commands.add({"validate", "crossapen", "",
                  "Compare all backends and variants with the reference for crossapen",
                  declaredToParser(addValidateTask)});
    commands.add({"bench", "crossapen", "", "Verify and time backends and variants for crossapen",
                  declaredToParser(addBenchTask)});
    commands.add({"reproduce", "crossapen", "",
                  "Measure a publication's figures on this machine for crossapen",
                  declaredToParser(addReproduceTask)});
}

}  // namespace glycine
