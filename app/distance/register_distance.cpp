#include "app/distance/commands.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/core/algorithm.hpp"

namespace glycine {

void register_distance();
void register_distance() {
    using namespace distance;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add(
        {"", "distance", "Algorithms", std::string(algorithm().summary()), declaredToParser(addRunTask)});
    commands.add({"generate", "genotypes", "", "Make input of any size from a seed for distance",
                  declaredToParser(addGenerateTask)});
    commands.add({"validate", "distance", "",
                  "Compare all backends and variants with the reference for distance",
                  declaredToParser(addValidateTask)});
    commands.add({"bench", "distance", "", "Verify and time backends and variants for distance",
                  declaredToParser(addBenchTask)});
    commands.add({"reproduce", "distance", "", "Measure a publication's figures on this machine for distance",
                  declaredToParser(addReproduceTask)});
}

}  // namespace glycine
