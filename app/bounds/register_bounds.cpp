#include "app/bounds/commands.hpp"
#include "engine/algorithms/bounds/study/bounds_subject.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/study/study_commands.hpp"

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
    study::addSubject(subject());
}

}  // namespace glycine
