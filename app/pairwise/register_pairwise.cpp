#include "app/pairwise/pairwise_commands.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/study/pairwise_problem.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void register_pairwise();
void register_pairwise() {
    using namespace pairwise;
    AlgorithmRegistry::instance().add(pairwiseAlgorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "pairwise", "Algorithms", std::string(pairwiseAlgorithm().summary()), declarePairwise});
    commands.add(
        {"generate", "sequences", "", "Make random sequences of one family, for pairwise", declareGenerate});
    study::addSubject(pairwiseSubject());
}

}  // namespace glycine
