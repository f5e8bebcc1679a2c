#include "engine/algorithms/align/posterior/sparse_posterior.hpp"

#include "engine/algorithms/align/posterior/heaviest_chain.hpp"

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
    HeaviestChain chain(columns);
    for (std::uint32_t row = 0; row < posterior.rows(); ++row) {
        for (const PosteriorEntry& entry : posterior.row(row))
            chain.offer(row, entry.column, static_cast<double>(entry.value));
        chain.endRow();
    }
    return chain.sum();
}

}  // namespace glycine::align
