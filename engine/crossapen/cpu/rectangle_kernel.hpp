#pragma once

#include "engine/crossapen/cpu/match_kernels.hpp"

/// Points in rectangles of ranks, written once for all instruction sets. `Cell` gives
///   countInside(ranks, limit, base, width): how many of the first `limit` of the 32 numbers at `ranks` (on a
///   boundary of 64 bytes) lie in [base, base + width), as 16-bit numbers
namespace glycine::crossapen::cpu {

template <class Cell>
struct RectangleKernel {
    static void countRectangles(const RectangleCounting& rectangles, std::uint32_t* shortCounts,
                                std::uint32_t* longCounts) {
        const RankGrid& grid = rectangles.grid;
        const std::size_t last = rectangles.count - 1;
        Interval current = rectangles.intervals[rectangles.ranks[0]];
        for (std::size_t i = 0; i < last; ++i) {
            const Interval next = rectangles.intervals[rectangles.ranks[i + 1]];
            shortCounts[i] += countShort(current, grid);
            longCounts[i] += countPoints(current, next, grid);
            current = next;
        }
        shortCounts[last] += countShort(current, grid);
    }

  private:
    static std::uint32_t countShort(Interval interval, const RankGrid& grid) {
        const std::uint32_t width = endOf(interval) - beginOf(interval);
        return width - (grid.excluded - beginOf(interval) < width);
    }

    /// Points whose first rank lies in `first` and whose second in `second`: whole cells from the prefix
    /// counts, the rest by looking at the cells that hold the four edges.
    static std::uint32_t countPoints(Interval first, Interval second, const RankGrid& grid) {
        constexpr std::size_t kCell = RankGrid::kCell;
        const std::size_t firstBegin = beginOf(first) / kCell;
        const std::size_t firstEnd = endOf(first) / kCell;
        const std::size_t secondBegin = beginOf(second) / kCell;
        const std::size_t secondEnd = endOf(second) / kCell;
        const std::uint16_t* lower = grid.counts + firstBegin * grid.side;
        const std::uint16_t* upper = grid.counts + firstEnd * grid.side;
        const int whole = (upper[secondEnd] - upper[secondBegin]) - (lower[secondEnd] - lower[secondBegin]);

        const auto base = static_cast<std::uint16_t>(beginOf(second));
        const auto width = static_cast<std::uint16_t>(endOf(second) - beginOf(second));
        const auto cellBase = static_cast<std::uint16_t>(firstBegin * kCell);
        const auto cellWidth = static_cast<std::uint16_t>((firstEnd - firstBegin) * kCell);
        const int added =
            Cell::countInside(grid.successors + firstEnd * kCell, endOf(first) % kCell, base, width) +
            Cell::countInside(grid.predecessors + secondEnd * kCell, endOf(second) % kCell, cellBase,
                              cellWidth);
        const int removed =
            Cell::countInside(grid.successors + firstBegin * kCell, beginOf(first) % kCell, base, width) +
            Cell::countInside(grid.predecessors + secondBegin * kCell, beginOf(second) % kCell, cellBase,
                              cellWidth);
        return static_cast<std::uint32_t>(whole + added - removed);
    }
};

}  // namespace glycine::crossapen::cpu
