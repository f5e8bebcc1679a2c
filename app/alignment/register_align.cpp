#include "app/alignment/align_commands.hpp"
#include "engine/alignment/method.hpp"
#include "engine/alignment/study/alignment_problem.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine {

void register_alignment();
void register_alignment() {
    using namespace align;
    AlgorithmRegistry::instance().add(alignAlgorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add(
        {"", "align", "Algorithms", "Multiple sequence alignment of proteins, DNA or RNA", declareAlign});
    commands.add({"", "tree", "Algorithms",
                  "Trees of aligned sequences, or of distances: neighbour joining, UPGMA, bootstrap",
                  declareTree});
    study::addSubject(alignSubject());
}

}  // namespace glycine
