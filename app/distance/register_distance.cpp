#include "app/distance/commands.hpp"
#include "engine/algorithms/distance/study/distance_problem.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/study/study_commands.hpp"

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
    study::addSubject(subject());
}

}  // namespace glycine
