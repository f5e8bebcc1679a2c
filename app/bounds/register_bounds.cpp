#include "app/bounds/bounds_commands.hpp"
#include "engine/bounds/bounds_algorithm.hpp"
#include "engine/bounds/study/bounds_problem.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void register_bounds();
void register_bounds() {
    using namespace bounds;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "bounds", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add({"generate", "bounds", "", "Make random bounds of any size, for bounds", declareGenerate});
    study::addSubject(subject());
}

}  // namespace glycine
