#include "engine/alignment/posterior/compare_posteriors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace glycine::align {

namespace {

/// Of each column the residue of each sequence, −1 for a gap.
std::vector<std::vector<std::int64_t>> residuesOf(const PosteriorAlignment& alignment) {
    std::vector<std::vector<std::int64_t>> residues(alignment.width,
                                                    std::vector<std::int64_t>(alignment.columns.size(), -1));
    for (std::size_t k = 0; k < alignment.columns.size(); ++k)
        for (std::size_t i = 0; i < alignment.columns[k].size(); ++i)
            residues[alignment.columns[k][i]][k] = static_cast<std::int64_t>(i);
    return residues;
}

}  // namespace

void comparePair(const PosteriorView& expected, const PosteriorView& found, const std::string& name,
                 Comparison& comparison) {
    if (expected.rows() != found.rows()) {
        comparison.fail(fmt::format("{}: {} rows instead of {}", name, found.rows(), expected.rows()));
        return;
    }
    for (std::size_t row = 0; row < expected.rows(); ++row) {
        const auto place = [&](std::uint32_t column) {
            return [&name, row, column] { return fmt::format("{}, ({}, {})", name, row, column); };
        };
        const auto a = expected.row(row), b = found.row(row);
        const auto least = static_cast<double>(kSmallestPosterior);
        auto i = a.begin();
        auto j = b.begin();
        while (i != a.end() || j != b.end()) {
            if (j == b.end() || (i != a.end() && i->column < j->column)) {
                comparison.compareElement(static_cast<double>(i->value), least, place(i->column));
                ++i;
            } else if (i == a.end() || j->column < i->column) {
                comparison.compareElement(least, static_cast<double>(j->value), place(j->column));
                ++j;
            } else {
                comparison.compareElement(static_cast<double>(i->value), static_cast<double>(j->value),
                                          place(i->column));
                ++i;
                ++j;
            }
        }
    }
}

double accuracyOf(const std::vector<std::vector<std::uint32_t>>& columns, const PosteriorSet& posteriors) {
    double sum = 0;
    for (std::size_t x = 1; x < columns.size(); ++x)
        for (std::size_t y = 0; y < x; ++y) {
            const PosteriorView pair = posteriors.pair(x, y);
            for (std::size_t row = 0; row < pair.rows(); ++row)
                for (const PosteriorEntry& entry : pair.row(row))
                    if (columns[x][row] == columns[y][entry.column]) sum += static_cast<double>(entry.value);
        }
    return sum;
}

double sharedColumns(const PosteriorAlignment& one, const PosteriorAlignment& other) {
    const auto a = residuesOf(one);
    auto b = residuesOf(other);
    std::ranges::sort(b);
    const auto shared = std::ranges::count_if(
        a, [&](const std::vector<std::int64_t>& column) { return std::ranges::binary_search(b, column); });
    return a.empty() ? 1 : static_cast<double>(shared) / static_cast<double>(a.size());
}

void compareAccuracies(double best, double reached, const PosteriorAlignment& expected,
                       const PosteriorAlignment& found, Comparison& comparison) {
    const double difference = best > 0 ? std::abs(best - reached) / best : 0;
    if (difference > kAccuracyTolerance)
        comparison.fail(
            fmt::format("the alignment has an expected accuracy of {} instead of {}", reached, best));
    comparison.also = fmt::format("{:.3g} % of the columns the same, expected accuracy {:.2g} % apart",
                                  100 * sharedColumns(expected, found), 100 * difference);
}

}  // namespace glycine::align
