#include "engine/pairs/close_pairs.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/pairs/stored_value.hpp"

namespace glycine::pairs {

ClosePairs::ClosePairs(std::size_t instances, ValueType type, double largest,
                       std::function<void(std::size_t, std::size_t, double)> seen)
    : instances_(instances), type_(type), largest_(largest), seen_(std::move(seen)) {
    // Also refuses more instances than 32 bits count.
    storedBytes({instances, StoreLayout::Triangle}, type);
}

void ClosePairs::store(const PairTile& tile, MatrixView<const double> values) {
    for (std::size_t r = 0; r < tile.rows.size(); ++r) {
        const std::size_t row = tile.rows.begin + r;
        const std::size_t end = std::min(tile.columns.end, row);
        for (std::size_t column = tile.columns.begin; column < end; ++column) {
            const double value = storedValue(row, column, values(r, column - tile.columns.begin), type_);
            seen_(row, column, value);
            if (value <= largest_)
                pairs_.push_back(
                    {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), value});
        }
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
