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

double cellsOfPairs(const Sequences& sequences, const PosteriorSet& posteriors) {
    double cells = 0;
    for (std::size_t a = 1; a < sequences.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (!posteriors.has(a, b))
                cells += static_cast<double>(sequences.codes[a].size()) *
                         static_cast<double>(sequences.codes[b].size());
    return cells;
}

}  // namespace glycine::align
