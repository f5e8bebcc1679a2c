#include "app/distance/distance_commands.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/distance/distance_algorithm.hpp"
#include "engine/distance/study/distance_problem.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void register_distance();
void register_distance() {
    using namespace distance;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "distance", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add(
        {"generate", "genotypes", "", "Make random genotypes of any size, for distance", declareGenerate});
    study::addSubject(subject());
}

}  // namespace glycine
