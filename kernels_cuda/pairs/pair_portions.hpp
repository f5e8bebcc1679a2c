#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

namespace glycine::cuda {

/// Cuts a window into launches of about `comparisons` pairs × attributes, calls launchOne(portion, isFirst)
/// for each, and reports its share of `work`. `wordsAWord`: rows of the operands that belong to one word of
/// attributes; `attributesAWord`: what such a word holds. isFirst: nothing has been counted for these rows
/// yet.
template <class LaunchOne>
void forEachPortion(const PairWindow& window, unsigned wordsAWord, double attributesAWord, double comparisons,
                    double work, const Stream& stream, PacedReport& report, const LaunchOne& launchOne) {
    // Deeper launches would keep single tiles busy for long, while the device waits for the last ones.
    constexpr std::size_t mostWords = 8192;
    const std::size_t words = window.depth / wordsAWord;
    const double depth = double(std::min(words, mostWords)) * attributesAWord;
    const auto bands =
        std::size_t(std::max(1.0, comparisons / (depth * double(window.columnCount) * kPairPadding)));
    const auto pairsOf = [&](Range rows) {
        const double below = double(rows.begin + rows.end) / 2;  // columns below the diagonal, on average
        return double(rows.size()) * (window.isDiagonal ? below : double(window.columnCount));
    };
    WorkSplit split(work, pairsOf({0, window.rowCount}) * double(words));
    for (const Range rows : splitRange(window.rowCount, bands * kPairPadding)) {
        for (const Range piece : splitRange(words, mostWords)) {
            const PairPortion portion{unsigned(rows.begin), unsigned(rows.size()),
                                      unsigned(piece.begin * wordsAWord),
                                      unsigned(piece.size() * wordsAWord)};
            launchOne(portion, piece.begin == 0);
            report.queued(stream, split.next(pairsOf(rows) * double(piece.size())));
        }
    }
}

}  // namespace glycine::cuda
