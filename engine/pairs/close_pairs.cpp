#include "engine/pairs/close_pairs.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/pairs/stored_value.hpp"

namespace glycine::pairs {

ClosePairs::ClosePairs(std::size_t instances, ValueType type, double largest, double diagonalValue, Seen seen)
    : instances_(instances), type_(type), largest_(largest), seen_(std::move(seen)), summary_(diagonalValue) {
    // Also refuses more instances than 32 bits count.
    storedBytes({instances, StoreLayout::Triangle}, type);
}

void ClosePairs::store(const PairTile& tile, MatrixView<const double> values) {
    struct Part {
        ValueSummarizer summary;
        std::vector<ClosePair> close;
    };
    std::vector<Part> parts(heldParts(tile), Part{ValueSummarizer(summary_.diagonalValue()), {}});
    visitHeldRows(tile, values, type_,
                  [&](std::size_t index, std::size_t row, std::size_t first, std::span<const double> held) {
                      Part& part = parts[index];
                      part.summary.add(row, first, held);
                      if (seen_) seen_(row, first, held);
                      for (std::size_t k = 0; k < held.size(); ++k)
                          if (held[k] <= largest_)
                              part.close.push_back({static_cast<std::uint32_t>(row),
                                                    static_cast<std::uint32_t>(first + k), held[k]});
                  });
    for (const Part& part : parts) {
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
