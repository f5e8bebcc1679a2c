#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "engine/mutualinfo/mutualinfo_algorithm.hpp"
#include "engine/mutualinfo/study/information_problem.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void register_mutualinfo();
void register_mutualinfo() {
    using namespace mutualinfo;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "mutualinfo", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add({"", "network", "Algorithms", "Infers a gene network from expression or mutual information",
                  declareNetwork});
    commands.add({"generate", "expression", "",
                  "Simulate a gene network and expression that follows from it, for mutualinfo",
                  declareGenerate});
    study::addSubject(subject());
}

}  // namespace glycine
