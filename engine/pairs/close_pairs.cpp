#include "engine/pairs/close_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <parallel/algorithm>
#include <tuple>
#include <utility>

#include "engine/core/process_team.hpp"
#include "engine/pairs/stored_value.hpp"

namespace glycine::pairs {

ClosePairs::ClosePairs(std::size_t instances, ValueType type, double largest, double diagonalValue,
                       std::size_t references, SampledValues samples)
    : instances_(instances),
      type_(type),
      largest_(largest),
      references_(references),
      samples_(std::move(samples)),
      summary_(diagonalValue) {
    // Also refuses more instances than fit into 32 bits.
    storedBytes({instances, StoreLayout::Triangle}, type);
}

void ClosePairs::store(const PairTile& tile, MatrixView<const double> values) {
    struct Part {
        ValueSummarizer summary;
        std::vector<ClosePair> close;
    };
    std::vector<Part> parts(partsOfStoredRows(tile), Part{ValueSummarizer(summary_.diagonalValue()), {}});
    visitStoredRows(tile, values, type_,
                    [&](std::size_t index, std::size_t row, std::size_t first, std::span<const double> held) {
                        Part& part = parts[index];
                        part.summary.add(row, first, held);
                        if (samples_.take) samples_.take(row, first, held);
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

std::optional<DigestRequest> ClosePairs::digestRequest() const {
    if (type_ != ValueType::Int32 || summary_.diagonalValue() != 0 || !(largest_ >= 0)) return std::nullopt;
    constexpr double kMax = std::numeric_limits<std::int32_t>::max();
    return DigestRequest{static_cast<std::uint32_t>(std::min(std::floor(largest_), kMax)), samples_.numbers};
}

void ClosePairs::store(const PairTile& tile, const TileDigest& digest) {
    summary_.add(tile, digest.rows);
    pairs_.insert(pairs_.end(), digest.close.begin(), digest.close.end());
    if (!samples_.take) return;
    for (const ClosePair& pair : digest.samples) samples_.take(pair.row, pair.column, {&pair.value, 1});
}

void ClosePairs::moveToLead(ProcessTeam& team) {
    summary_.addOthers(team);
    glycine::moveToLead(team, pairs_);
}

const std::vector<ClosePair>& ClosePairs::sorted() {
    const auto isBefore = [](const ClosePair& a, const ClosePair& b) {
        return std::tie(a.row, a.column) < std::tie(b.row, b.column);
    };
    if (!std::is_sorted(pairs_.begin(), pairs_.end(), isBefore))
        __gnu_parallel::sort(pairs_.begin(), pairs_.end(), isBefore);
    return pairs_;
}

}  // namespace glycine::pairs
