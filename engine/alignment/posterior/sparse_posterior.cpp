#include "engine/alignment/posterior/sparse_posterior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/alignment/posterior/heaviest_chain.hpp"
#include "engine/core/stage_recount.hpp"

namespace glycine::align {

void PosteriorView::require(std::size_t size, std::size_t columns, std::size_t first,
                            std::size_t second) const {
    const auto name = [&] { return fmt::format("sequences {} and {}", first + 1, second + 1); };
    if (rows_ == 0) return;
    if (begins_[0] != 0 || begins_[rows_] != size || !std::ranges::is_sorted(begins()))
        throw ImpossibleResultError(fmt::format(
            "the posteriors of {} begin at {} and end at {}; expected rows that ascend from 0 to {}", name(),
            begins_[0], begins_[rows_], size));
    for (std::size_t number = 0; number < rows_; ++number) {
        std::size_t least = 0;
        for (const PosteriorEntry& entry : row(number)) {
            if (entry.column < least || entry.column >= columns)
                throw ImpossibleResultError(
                    fmt::format("the posteriors of {} have letter {} of the second sequence for letter {} of "
                                "the first one; expected {} to {}",
                                name(), entry.column + std::size_t{1}, number + 1, least + 1, columns));
            least = entry.column + std::size_t{1};
        }
    }
}

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
