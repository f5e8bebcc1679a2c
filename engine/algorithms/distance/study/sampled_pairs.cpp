#include "engine/algorithms/distance/study/sampled_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"

namespace glycine::distance {

namespace {

constexpr std::size_t kSymbolsAtOnce = std::size_t{1} << 16;

/// `count` distinct rows of `total`, with the first and the last.
std::vector<std::size_t> sampleRows(std::size_t total, std::size_t count, std::uint64_t seed) {
    std::set<std::size_t> rows{0, total - 1};
    RandomSequence random(seed);
    while (rows.size() < std::min(count, total)) rows.insert(random.below(total));
    return {rows.begin(), rows.end()};
}

}  // namespace

SampledPairs::SampledPairs(const DataView& data, SumTerm term, std::size_t rows, std::uint64_t seed)
    : rows_(sampleRows(data.instances(), rows, seed)) {
    for (const std::size_t row : rows_)
        for (const std::size_t column : rows_)
            if (column < row) pairs_.push_back({.row = row, .column = column});
    if (data.isCoordinates())
        sumPairs(data.coordinates, term);
    else
        countPairs(*data.discrete);
}

void SampledPairs::countPairs(const DiscreteSource& source) {
    const bool isGenotypes = source.shape().isGenotypes;
    for (const Range attributes : splitRange(source.shape().attributes, kSymbolsAtOnce)) {
        Matrix<std::uint8_t> symbols(rows_.size(), attributes.size());
        for (std::size_t r = 0; r < rows_.size(); ++r)
            source.readSymbols({rows_[r], rows_[r] + 1}, attributes,
                               symbols.view().block(r, 0, 1, attributes.size()));
        std::size_t next = 0;
        for (std::size_t a = 0; a < rows_.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                Pair& pair = pairs_[next++];
                for (std::size_t k = 0; k < attributes.size(); ++k) {
                    const std::uint8_t first = symbols(a, k);
                    const std::uint8_t second = symbols(b, k);
                    if (first == kMissingSymbol || second == kMissingSymbol) continue;
                    ++pair.valid;
                    if (first != second) ++pair.differing;
                    if (isGenotypes && first + second == 2 && first != second) ++pair.opposite;
                }
            }
        }
    }
}

void SampledPairs::sumPairs(MatrixView<const float> coordinates, SumTerm term) {
    tolerance_ = summationTolerance(coordinates.columns());
    for (Pair& pair : pairs_) {
        for (std::size_t k = 0; k < coordinates.columns(); ++k) {
            const double difference = double{coordinates(pair.row, k)} - double{coordinates(pair.column, k)};
            pair.sum += term == SumTerm::AbsoluteDifference ? std::abs(difference) : difference * difference;
        }
    }
}

void SampledPairs::check(const PairTile& tile, const TileResult& result) {
    const auto isIn = [](std::size_t index, Range range) {
        return index >= range.begin && index < range.end;
    };
    for (const Pair& pair : pairs_) {
        if (!isIn(pair.row, tile.rows) || !isIn(pair.column, tile.columns)) continue;
        ++seen_;
        const std::size_t row = pair.row - tile.rows.begin;
        const std::size_t column = pair.column - tile.columns.begin;
        if (result.sums.empty())
            checkCounts(pair, result.counts, row, column);
        else
            checkSum(pair, result.sums(row, column));
    }
}

void SampledPairs::checkCounts(const Pair& pair, const PairCounts& counts, std::size_t row,
                               std::size_t column) {
    const auto compare = [&](MatrixView<std::uint32_t> found, std::uint64_t expected, const char* what) {
        if (!found.empty() && found(row, column) != expected)
            fail(pair, fmt::format("{} {} instead of {}", formatCount(found(row, column)), what,
                                   formatCount(expected)));
    };
    compare(counts.differing, pair.differing, "differing attributes");
    compare(counts.opposite, pair.opposite, "opposite homozygotes");
    compare(counts.valid, pair.valid, "attributes in common");
}

void SampledPairs::checkSum(const Pair& pair, double found) {
    const double difference =
        found == pair.sum ? 0 : std::abs(found - pair.sum) / std::max(std::abs(found), pair.sum);
    // NaN is no agreement either.
    if (!(difference <= tolerance_))
        fail(pair, fmt::format("{} instead of {}, {:.1g} of it allowed", found, pair.sum, tolerance_));
    else
        largestDifference_ = std::max(largestDifference_, difference);
}

void SampledPairs::fail(const Pair& pair, const std::string& what) {
    if (failure_.empty()) failure_ = fmt::format("pair ({}, {}): {}", pair.row, pair.column, what);
}

bool SampledPairs::finish() {
    const bool isRight = failure_.empty() && seen_ == pairs_.size();
    if (!failure_.empty())
        verdict_ = failure_;
    else if (seen_ != pairs_.size())
        verdict_ =
            fmt::format("{} of {} were computed", formatCount(seen_), formatCount(pairs_.size(), "pair"));
    else if (largestDifference_ == 0)
        verdict_ = fmt::format("{} exact", formatCount(pairs_.size(), "pair"));
    else
        verdict_ = fmt::format("{} within {:.1g}", formatCount(pairs_.size(), "pair"), largestDifference_);
    seen_ = 0;
    largestDifference_ = 0;
    failure_.clear();
    return isRight;
}

}  // namespace glycine::distance
