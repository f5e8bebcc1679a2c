#include "engine/algorithms/align/posterior/sparse_posterior.hpp"

#include <algorithm>

namespace glycine::align {

SparsePosterior SparsePosterior::transposed(std::size_t columns) const {
    std::vector<std::uint32_t> begins(columns + 1, 0);
    for (const PosteriorEntry& entry : entries_) ++begins[entry.column + 1];
    for (std::size_t column = 0; column < columns; ++column) begins[column + 1] += begins[column];
    std::vector<PosteriorEntry> entries(entries_.size());
    std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t number = 0; number < rows(); ++number)
        for (const PosteriorEntry& entry : row(number))
            entries[next[entry.column]++] = {static_cast<std::uint32_t>(number), entry.value};
    return {std::move(begins), std::move(entries)};
}

double expectedAccuracy(const SparsePosterior& posterior, std::size_t columns) {
    // best[k]: the largest sum of a chain of pairs that ends in a column below some bound, in a tree of
    // largest values over stretches whose lengths are powers of two (P. M. Fenwick 1994).
    std::vector<double> best(columns + 1, 0);
    std::vector<double> ends;
    for (std::size_t row = 0; row < posterior.rows(); ++row) {
        const auto entries = posterior.row(row);
        ends.clear();
        for (const PosteriorEntry& entry : entries) {
            double before = 0;
            for (std::size_t k = entry.column; k > 0; k &= k - 1) before = std::max(before, best[k]);
            ends.push_back(before + static_cast<double>(entry.value));
        }
        for (std::size_t e = 0; e < entries.size(); ++e)
            for (std::size_t k = entries[e].column + 1; k <= columns; k += k & (~k + 1))
                best[k] = std::max(best[k], ends[e]);
    }
    double all = 0;
    for (std::size_t k = columns; k > 0; k &= k - 1) all = std::max(all, best[k]);
    return all;
}

}  // namespace glycine::align
