#include "engine/alignment/method.hpp"

#include <stdexcept>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/rooting.hpp"

namespace glycine::align {

pairwise::PairScoring Method::scoringOf(Alphabet) const {
    throw std::logic_error("the method aligns no pairs by themselves");
}

double Method::distanceOf(double found, double) const {
    return found;
}

trees::Tree Method::joinNeighbours(std::size_t sequences, std::vector<double> distances,
                                   Progress& progress) const {
    return trees::joinNeighbours(sequences, std::move(distances), progress);
}

trees::Tree Method::rooted(const trees::Tree& tree) const {
    return tree.nodes[tree.root].children.size() == 2 ? tree : newRoot(tree);
}

trees::Tree Method::newRoot(const trees::Tree& tree) const {
    return trees::rootAtMidpoint(tree);
}

std::optional<trees::Tree> Method::givenTree(std::size_t sequences, const AlignOptions& options,
                                             Progress& progress) const {
    if (options.guideTree || !options.distances) return options.guideTree;
    return guideTreeOf(sequences, options.method, *options.distances, progress, options.treeMethod);
}

const Method& methodOf(AlignMethod method) {
    switch (method) {
        case AlignMethod::Accuracy:
        case AlignMethod::Auto:
            return posteriorMethod();
        case AlignMethod::ClustalW:
            return clustalMethod();
        case AlignMethod::Thesis:
            return thesisMethod();
        case AlignMethod::Fast:
            return fastMethod();
    }
    checkKnown(method);
    throw std::logic_error("a method without a class");
}

}  // namespace glycine::align
