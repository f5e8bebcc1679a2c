#include "engine/algorithms/align/posterior/posteriors.hpp"

namespace glycine::align {

std::size_t PosteriorSet::entries() const {
    std::size_t count = 0;
    for (const SparsePosterior& pair : pairs_) count += pair.size();
    return count;
}

double cellsOfPairs(const Sequences& sequences) {
    double all = 0, cells = 0;
    for (const auto& codes : sequences.codes) {
        const auto length = static_cast<double>(codes.size());
        cells += all * length;
        all += length;
    }
    return cells;
}

}  // namespace glycine::align
