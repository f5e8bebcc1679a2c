#include "engine/pairs/value_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/core/cancellation.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/stored_value.hpp"

namespace glycine::pairs {

namespace {

/// One SIMD register, and the result of comparing it: −1 where the comparison holds, else 0.
using Lanes [[gnu::vector_size(16)]] = double;
using Masks [[gnu::vector_size(16)]] = std::int64_t;
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(double);

/// Adds a value to a sum and its rounding error to `rest`: together they have the digits of two doubles
/// (Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem B).
template <class Value>
void addLong(Value value, Value& sum, Value& rest) {
    const Value next = sum + value;
    const Value added = next - sum;
    rest += (sum - (next - added)) + (value - added);
    sum = next;
}

/// Among equal values, the first pair in row order counts. An instance paired with itself is no pair.
bool comesFirst(std::size_t row, std::size_t column, const std::size_t (&pair)[2]) {
    return pair[0] == pair[1] || std::tie(row, column) < std::tie(pair[1], pair[0]);
}

}  // namespace

ValueSummarizer::ValueSummarizer(double diagonalValue) : diagonalValue_(diagonalValue) {
    summary_.smallest = std::numeric_limits<double>::infinity();
    summary_.largest = -std::numeric_limits<double>::infinity();
}

void ValueSummarizer::add(std::size_t row, std::size_t first, std::span<const double> values) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Lanes sum = {};
    Lanes rest = {};
    Lanes least = kInfinity - Lanes{};
    Lanes most = Lanes{} - kInfinity;
    Masks known = {};
    Masks same = {};
    const auto take = [&](Lanes lanes) {
        // Comparisons with NaN are false.
        const Masks isKnown = lanes == lanes;
        known -= isKnown;
        same -= lanes == diagonalValue_;
        addLong(isKnown ? lanes : Lanes{}, sum, rest);
        least = lanes < least ? lanes : least;
        most = lanes > most ? lanes : most;
    };
    Lanes lanes;
    std::size_t next = 0;
    for (; next + kLanes <= values.size(); next += kLanes) {
        std::memcpy(&lanes, values.data() + next, sizeof(lanes));
        take(lanes);
    }
    if (next < values.size()) {
        lanes = std::numeric_limits<double>::quiet_NaN() - Lanes{};
        std::memcpy(&lanes, values.data() + next, (values.size() - next) * sizeof(double));
        take(lanes);
    }

    std::size_t pairs = 0;
    double smallest = kInfinity;
    double largest = -kInfinity;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        addSum(sum[lane], rest[lane]);
        pairs += static_cast<std::size_t>(known[lane]);
        summary_.identical += static_cast<std::size_t>(same[lane]);
        smallest = std::min(smallest, least[lane]);
        largest = std::max(largest, most[lane]);
    }
    summary_.pairs += pairs;
    summary_.undefined += values.size() - pairs;
    if (pairs == 0) return;
    const auto columnOf = [&](double value) {
        return first +
               static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
    };
    if (smallest <= summary_.smallest) addSmallest(smallest, row, columnOf(smallest));
    if (largest >= summary_.largest) addLargest(largest, row, columnOf(largest));
}

void ValueSummarizer::add(const PairTile& tile, std::span<const RowDigest> rows) {
    const std::size_t first = tile.columns.begin;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const RowDigest& digest = rows[r];
        // Exact: at most 2³¹ values below 2³¹.
        const std::uint64_t high = digest.sum >> 32U << 32U;
        addSum(static_cast<double>(high), static_cast<double>(digest.sum - high));
        summary_.undefined += tile.columnsOf(r) - digest.known;
        if (digest.known == 0) continue;
        summary_.pairs += digest.known;
        summary_.identical += digest.zeros;
        addSmallest(digest.smallest, tile.rows.begin + r, first + digest.smallestColumn);
        addLargest(digest.largest, tile.rows.begin + r, first + digest.largestColumn);
    }
}

void ValueSummarizer::add(const ValueSummarizer& other) {
    const ValueSummary& more = other.summary_;
    addSum(other.sum_, other.rest_);
    summary_.undefined += more.undefined;
    if (more.pairs == 0) return;
    addSmallest(more.smallest, more.smallestPair[1], more.smallestPair[0]);
    addLargest(more.largest, more.largestPair[1], more.largestPair[0]);
    summary_.pairs += more.pairs;
    summary_.identical += more.identical;
}

void ValueSummarizer::addOthers(ProcessTeam& team) {
    const std::vector<ValueSummarizer> ofAll = valuesOfAll(team, *this);
    for (std::size_t rank = 0; rank < ofAll.size(); ++rank)
        if (rank != team.rank()) add(ofAll[rank]);
}

void ValueSummarizer::addSum(double sum, double rest) {
    rest_ += rest;
    addLong(sum, sum_, rest_);
}

void ValueSummarizer::addSmallest(double value, std::size_t row, std::size_t column) {
    if (value < summary_.smallest ||
        (value == summary_.smallest && comesFirst(row, column, summary_.smallestPair))) {
        summary_.smallest = value;
        summary_.smallestPair[0] = column;
        summary_.smallestPair[1] = row;
    }
}

void ValueSummarizer::addLargest(double value, std::size_t row, std::size_t column) {
    if (value > summary_.largest ||
        (value == summary_.largest && comesFirst(row, column, summary_.largestPair))) {
        summary_.largest = value;
        summary_.largestPair[0] = column;
        summary_.largestPair[1] = row;
    }
}

ValueSummary ValueSummarizer::summary() const {
    ValueSummary result = summary_;
    if (result.pairs > 0)
        result.mean = (std::isfinite(sum_) ? sum_ + rest_ : sum_) / static_cast<double>(result.pairs);
    return result;
}

SummarizedStore::SummarizedStore(PairStore& store, double diagonalValue)
    : store_(store), summary_(diagonalValue) {
    addStored(store.keptTiles());
}

void SummarizedStore::addStored(const std::vector<PairTile>& tiles) {
    // Several MiB, but enough rows to read the columns of a condensed result in whole cache lines.
    constexpr std::size_t kBytes = std::size_t{16} << 20;
    for (const PairTile& tile : tiles) {
        const std::size_t rowsAtOnce =
            std::clamp<std::size_t>(kBytes / (tile.columns.size() * sizeof(double)), 64, 4096);
        for (const Range& piece : splitRange(tile.rows.size(), rowsAtOnce)) {
            throwIfCancellationRequested();
            const PairTile part{{tile.rows.begin + piece.begin, tile.rows.begin + piece.end}, tile.columns};
            Matrix<double> values(part.rows.size(), part.columns.size());
            store_.readBlock(part.rows, part.columns, values.view());
            add(part, values.view());
        }
    }
}

void SummarizedStore::store(const PairTile& tile, MatrixView<const double> values) {
    store_.store(tile, values);
    add(tile, values);
}

bool SummarizedStore::acceptsWholeNumbers() const {
    // The summary must describe the stored values: float32 may round a whole number.
    return summary_.diagonalValue() == 0 && store_.valueType() != ValueType::Float32;
}

void SummarizedStore::store(const PairTile& tile, const WholeTile& whole) {
    store_.store(tile, whole);
    summary_.add(tile, digestOfTile(tile, whole, {}).rows);
}

void SummarizedStore::add(const PairTile& tile, MatrixView<const double> values) {
    std::vector<ValueSummarizer> parts(partsOfStoredRows(tile), ValueSummarizer(summary_.diagonalValue()));
    visitStoredRows(tile, values, store_.valueType(),
                    [&](std::size_t part, std::size_t row, std::size_t first, std::span<const double> held) {
                        parts[part].add(row, first, held);
                    });
    for (const ValueSummarizer& part : parts) summary_.add(part);
}

}  // namespace glycine::pairs
