#include "engine/pairs/value_summary.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "engine/core/cancellation.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::pairs {

namespace {

/// A sum and what rounding took from it: together the digits of two doubles (Knuth, The Art of Computer
/// Programming, volume 2, section 4.2.2, theorem B).
struct LongSum {
    double sum = 0;
    double rest = 0;
    void add(double value) {
        const double next = sum + value;
        const double added = next - sum;
        rest += (sum - (next - added)) + (value - added);
        sum = next;
    }
};

/// What a processor adds up side by side.
constexpr std::size_t kLanes = 4;

/// Of equal values, that of the first pair in the order of rows counts. An instance beside itself is no pair.
bool comesFirst(std::size_t row, std::size_t column, const std::size_t (&pair)[2]) {
    return pair[0] == pair[1] || std::tie(row, column) < std::tie(pair[1], pair[0]);
}

}  // namespace

ValueSummarizer::ValueSummarizer(double diagonalValue) : diagonalValue_(diagonalValue) {
    summary_.smallest = std::numeric_limits<double>::infinity();
    summary_.largest = -std::numeric_limits<double>::infinity();
}

void ValueSummarizer::add(std::size_t row, std::size_t first, std::span<const double> values) {
    struct Lane {
        LongSum sum;
        double smallest = std::numeric_limits<double>::infinity();
        double largest = -std::numeric_limits<double>::infinity();
        std::size_t known = 0;
        std::size_t identical = 0;
    };
    Lane lanes[kLanes];
    const auto take = [this](Lane& lane, double value) {
        // Comparisons with NaN are false.
        const bool isKnown = value == value;
        lane.known += isKnown ? 1 : 0;
        lane.identical += value == diagonalValue_ ? 1 : 0;
        lane.sum.add(isKnown ? value : 0);
        lane.smallest = value < lane.smallest ? value : lane.smallest;
        lane.largest = value > lane.largest ? value : lane.largest;
    };
    std::size_t next = 0;
    for (; next + kLanes <= values.size(); next += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) take(lanes[lane], values[next + lane]);
    for (; next < values.size(); ++next) take(lanes[0], values[next]);

    Lane all;
    for (const Lane& lane : lanes) {
        addSum(lane.sum.sum, lane.sum.rest);
        all.known += lane.known;
        all.identical += lane.identical;
        all.smallest = std::min(all.smallest, lane.smallest);
        all.largest = std::max(all.largest, lane.largest);
    }
    summary_.pairs += all.known;
    summary_.identical += all.identical;
    summary_.undefined += values.size() - all.known;
    if (all.known == 0) return;
    const auto columnOf = [&](double value) {
        return first +
               static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
    };
    if (all.smallest <= summary_.smallest) addSmallest(all.smallest, row, columnOf(all.smallest));
    if (all.largest >= summary_.largest) addLargest(all.largest, row, columnOf(all.largest));
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

void ValueSummarizer::addSum(double sum, double rest) {
    LongSum both{sum_, rest_ + rest};
    both.add(sum);
    sum_ = both.sum;
    rest_ = both.rest;
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

ValueSummary summarizeValues(const PairStore& store, double diagonalValue) {
    constexpr std::size_t kRowsAtOnce = 64;
    const std::vector<Range> blocks = splitRange(store.instances(), kRowsAtOnce);
    std::vector<ValueSummarizer> parts(blocks.size(), ValueSummarizer(diagonalValue));
    parallelFor(omp_get_max_threads(), blocks.size(), [&](std::size_t index, std::size_t) {
        throwIfCancellationRequested();
        const Range rows = blocks[index];
        Matrix<double> values;
        if (store.rowInPlace(0) == nullptr) {
            values = Matrix<double>(rows.size(), rows.end);
            store.readBlock(rows, {0, rows.end}, values.view());
        }
        for (std::size_t i = rows.begin; i < rows.end; ++i)
            parts[index].add(i, 0, {values.empty() ? store.rowInPlace(i) : values.row(i - rows.begin), i});
    });
    ValueSummarizer all(diagonalValue);
    for (const ValueSummarizer& part : parts) all.add(part);
    return all.summary();
}

}  // namespace glycine::pairs
