#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glycine::align {

/// Of pairs (row, column) with gains, those whose sum is largest among which both numbers ascend: an
/// alignment in which gaps cost nothing, in steps that grow with the pairs and not with rows times columns.
/// For each column the largest sum over the columns before is kept. These ascend, so that a new one changes
/// them up to where a larger one stands: mostly a few; those that it passes block by block are written once a
/// block. Of equal sums the one that was offered first counts.
class HeaviestChain {
  public:
    explicit HeaviestChain(std::size_t columns) : best_(columns + 1), floors_(columns / kBlock + 1) {}

    /// Rows ascend; within a row columns do. `gain` above 0.
    void offer(std::uint32_t row, std::uint32_t column, double gain) {
        const End before = bestBefore(column);
        links_.push_back({row, column, before.link, before.sum + gain});
    }
    /// Pairs of the next row may follow those of this one.
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
    /// The link where a chain ends, and its sum.
    struct End {
        double sum = 0;
        std::uint32_t link = kNone;
    };

    /// The best chain whose last column is below.
    End bestBefore(std::size_t column) const {
        const End &own = best_[column], &floor = floors_[column / kBlock];
        return floor.sum > own.sum ? floor : own;
    }
    /// For chains in columns below `column` and all that follow it.
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
    std::vector<End> floors_;  ///< of a block of columns: none of them has less
    std::size_t entered_ = 0;  ///< links whose rows have ended
};

}  // namespace glycine::align
