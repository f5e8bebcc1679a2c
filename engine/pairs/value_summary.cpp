#include "engine/pairs/value_summary.hpp"

#include <cmath>
#include <limits>
#include <tuple>

#include "engine/core/cancellation.hpp"

namespace glycine::pairs {

ValueSummarizer::ValueSummarizer(double diagonalValue) : diagonalValue_(diagonalValue) {
    summary_.smallest = std::numeric_limits<double>::infinity();
    summary_.largest = -std::numeric_limits<double>::infinity();
}

void ValueSummarizer::add(std::size_t row, std::size_t column, double value) {
    if (std::isnan(value)) {
        ++summary_.undefined;
        return;
    }
    ++summary_.pairs;
    sum_ += value;
    if (value == diagonalValue_) ++summary_.identical;
    // Of equal values, the first in the order of rows.
    const auto isFirst = [&](const std::size_t(&pair)[2]) {
        return std::tie(row, column) < std::tie(pair[1], pair[0]);
    };
    if (value < summary_.smallest || (value == summary_.smallest && isFirst(summary_.smallestPair))) {
        summary_.smallest = value;
        summary_.smallestPair[0] = column;
        summary_.smallestPair[1] = row;
    }
    if (value > summary_.largest || (value == summary_.largest && isFirst(summary_.largestPair))) {
        summary_.largest = value;
        summary_.largestPair[0] = column;
        summary_.largestPair[1] = row;
    }
}

ValueSummary ValueSummarizer::summary() const {
    ValueSummary result = summary_;
    if (result.pairs > 0) result.mean = sum_ / static_cast<double>(result.pairs);
    return result;
}

ValueSummary summarizeValues(const PairStore& store, double diagonalValue) {
    ValueSummarizer summarizer(diagonalValue);
    constexpr std::size_t kRowsAtOnce = 64;
    for (const Range rows : splitRange(store.instances(), kRowsAtOnce)) {
        throwIfCancellationRequested();
        Matrix<double> block(rows.size(), rows.end);
        store.readBlock(rows, {0, rows.end}, block.view());
        for (std::size_t i = rows.begin; i < rows.end; ++i)
            for (std::size_t j = 0; j < i; ++j) summarizer.add(i, j, block(i - rows.begin, j));
    }
    return summarizer.summary();
}

}  // namespace glycine::pairs
