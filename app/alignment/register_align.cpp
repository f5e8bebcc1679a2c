#include "app/alignment/align_commands.hpp"
#include "engine/alignment/align_algorithm.hpp"
#include "engine/alignment/pairwise_algorithm.hpp"
#include "engine/alignment/study/align_subject.hpp"
#include "engine/alignment/study/pairwise_problem.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void register_alignment();
void register_alignment() {
    using namespace align;
    AlgorithmRegistry::instance().add(alignAlgorithm());
    AlgorithmRegistry::instance().add(pairwiseAlgorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add(
        {"", "align", "Algorithms", "Multiple sequence alignment of proteins, DNA or RNA", declareAlign});
    commands.add({"", "pairwise", "Algorithms", std::string(pairwiseAlgorithm().summary()), declarePairwise});
    commands.add({"", "tree", "Algorithms",
                  "Trees of aligned sequences, or of distances: neighbour joining, UPGMA, bootstrap",
                  declareTree});
    commands.add(
        {"generate", "sequences", "", "Make random sequences of one family, for pairwise", declareGenerate});
    study::addSubject(alignSubject());
    study::addSubject(pairwiseSubject());
}

}  // namespace glycine
