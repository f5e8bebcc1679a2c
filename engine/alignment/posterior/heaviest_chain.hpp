#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glycine::align {

/// Finds, among pairs (row, column) with gains, the chain with the largest sum in which both numbers ascend.
/// This is an alignment with free gaps. The number of steps grows with the number of pairs, not with rows
/// times columns. For each column, the largest sum over the previous columns is kept. These sums ascend, so a
/// new sum changes only the columns up to the first larger one, mostly a few. Whole blocks of columns are
/// changed by one write per block. Among equal sums, the one offered first wins.
class HeaviestChain {
  public:
    explicit HeaviestChain(std::size_t columns) : best_(columns + 1), floors_(columns / kBlock + 1) {}

    /// Offers a pair. Rows ascend; columns ascend within a row. `gain` must be above 0.
    void offer(std::uint32_t row, std::uint32_t column, double gain) {
        const End before = bestBefore(column);
        links_.push_back({row, column, before.link, before.sum + gain});
    }
    /// Ends a row: its pairs can be followed by pairs of the next row.
    void endRow() {
        for (; entered_ < links_.size(); ++entered_)
            enter(links_[entered_].column + 1, {links_[entered_].sum, static_cast<std::uint32_t>(entered_)});
    }

    double sum() const { return bestBefore(best_.size() - 1).sum; }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> best() const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> chain;
        for (std::uint32_t k = bestBefore(best_.size() - 1).link; k != kNone; k = links_[k].before)
            chain.emplace_back(links_[k].row, links_[k].column);
        return {chain.rbegin(), chain.rend()};
    }

  private:
    static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
    static constexpr std::size_t kBlock = 64;
    struct Link {
        std::uint32_t row, column, before;
        double sum;  ///< of the chain that ends here
    };
    /// The last link of a chain, and its sum.
    struct End {
        double sum = 0;
        std::uint32_t link = kNone;
    };

    /// The best chain that ends in a column before `column`.
    End bestBefore(std::size_t column) const {
        const End &own = best_[column], &floor = floors_[column / kBlock];
        return floor.sum > own.sum ? floor : own;
    }
    /// Enters a chain that ends before `column` for this and all later columns.
    void enter(std::size_t column, End end) {
        if (bestBefore(column).sum >= end.sum) return;
        for (; column < best_.size() && column % kBlock != 0; ++column) {
            if (best_[column].sum >= end.sum) return;
            best_[column] = end;
        }
        for (; column < best_.size() && bestBefore(column).sum < end.sum; column += kBlock)
            floors_[column / kBlock] = end;
    }

    std::vector<Link> links_;
    std::vector<End> best_;
    std::vector<End> floors_;  ///< lower bound for a block of columns
    std::size_t entered_ = 0;  ///< links whose rows have ended
};

}  // namespace glycine::align
