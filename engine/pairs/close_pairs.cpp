#include "engine/pairs/close_pairs.hpp"

#include <omp.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/core/parallel.hpp"
#include "engine/pairs/stored_value.hpp"

namespace glycine::pairs {

ClosePairs::ClosePairs(std::size_t instances, ValueType type, double largest, double diagonalValue, Seen seen)
    : instances_(instances), type_(type), largest_(largest), seen_(std::move(seen)), summary_(diagonalValue) {
    // Also refuses more instances than 32 bits count.
    storedBytes({instances, StoreLayout::Triangle}, type);
}

void ClosePairs::store(const PairTile& tile, MatrixView<const double> values) {
    /// What one thread finds in some rows.
    struct Part {
        ValueSummarizer summary;
        std::vector<ClosePair> close;
        bool fits = true;
    };
    constexpr std::size_t kRowsAtOnce = 16;
    const std::vector<Range> ranges = splitRange(tile.rows.size(), kRowsAtOnce);
    std::vector<Part> parts(ranges.size(), Part{ValueSummarizer(summary_.diagonalValue()), {}});
    parallelFor(omp_get_max_threads(), ranges.size(), [&](std::size_t index, std::size_t) {
        Part& part = parts[index];
        std::vector<double> held(tile.columns.size());
        for (std::size_t r = ranges[index].begin; r < ranges[index].end; ++r) {
            const std::size_t row = tile.rows.begin + r;
            const std::size_t first = tile.columns.begin;
            const std::span<double> kept(held.data(), std::min(tile.columns.end, row) - std::min(first, row));
            part.fits &= holdAs(type_, {values.row(r), kept.size()}, kept);
            part.summary.add(row, first, kept);
            if (seen_) seen_(row, first, kept);
            for (std::size_t k = 0; k < kept.size(); ++k)
                if (kept[k] <= largest_)
                    part.close.push_back(
                        {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(first + k), kept[k]});
        }
    });
    for (const Part& part : parts) {
        if (!part.fits) refuseFirst(tile, values, type_);
        summary_.add(part.summary);
        pairs_.insert(pairs_.end(), part.close.begin(), part.close.end());
    }
}

const std::vector<ClosePair>& ClosePairs::sorted() {
    const auto isBefore = [](const ClosePair& a, const ClosePair& b) {
        return std::tie(a.row, a.column) < std::tie(b.row, b.column);
    };
    if (!std::is_sorted(pairs_.begin(), pairs_.end(), isBefore))
        std::sort(pairs_.begin(), pairs_.end(), isBefore);
    return pairs_;
}

}  // namespace glycine::pairs
