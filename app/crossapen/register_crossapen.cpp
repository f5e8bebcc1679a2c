#include "app/crossapen/crossapen_commands.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/crossapen/crossapen_algorithm.hpp"
#include "engine/crossapen/study/pair_problem.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void register_crossapen();
void register_crossapen() {
    using namespace crossapen;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "crossapen", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add(
        {"generate", "signals", "", "Make random signals of any size, for crossapen", declareGenerate});
    study::addSubject(makeSubject());
}

}  // namespace glycine
