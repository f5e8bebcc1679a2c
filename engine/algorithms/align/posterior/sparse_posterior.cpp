#include "engine/algorithms/align/posterior/sparse_posterior.hpp"

#include <algorithm>
#include <numeric>

#include "engine/algorithms/align/posterior/heaviest_chain.hpp"

namespace glycine::align {

void PosteriorView::transposeTo(std::size_t columns, std::uint32_t* begins, PosteriorEntry* entries) const {
    // Of each column first where it ends; what it has lies before that, the last row first.
    std::fill_n(begins, columns + 1, 0U);
    for (const PosteriorEntry& entry : this->entries()) ++begins[entry.column];
    std::partial_sum(begins, begins + columns + 1, begins);
    for (std::size_t number = rows(); number-- > 0;)
        for (const PosteriorEntry& entry : row(number))
            entries[--begins[entry.column]] = {static_cast<std::uint32_t>(number), entry.value};
}

SparsePosterior SparsePosterior::transposed(std::size_t columns) const {
    std::vector<std::uint32_t> begins(columns + 1);
    std::vector<PosteriorEntry> entries(entries_.size());
    PosteriorView(*this).transposeTo(columns, begins.data(), entries.data());
    return {std::move(begins), std::move(entries)};
}

double expectedAccuracy(const PosteriorView& posterior, std::size_t columns) {
    HeaviestChain chain(columns);
    for (std::uint32_t row = 0; row < posterior.rows(); ++row) {
        for (const PosteriorEntry& entry : posterior.row(row))
            chain.offer(row, entry.column, static_cast<double>(entry.value));
        chain.endRow();
    }
    return chain.sum();
}

}  // namespace glycine::align
