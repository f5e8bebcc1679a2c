#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glycine::align {

/// Of pairs (row, column) with gains, those whose sum is largest among which both numbers ascend: an
/// alignment in which gaps cost nothing, in steps that grow with the pairs and not with rows times columns.
/// Largest sums over the columns before are kept in a tree of stretches whose lengths are powers of two (P.
/// M. Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and Experience 24
/// (1994), 327–336); of equal sums the one that was offered first counts.
class HeaviestChain {
  public:
    explicit HeaviestChain(std::size_t columns) : best_(columns + 1, kNone) {}

    /// Rows ascend; within a row columns do. `gain` above 0.
    void offer(std::uint32_t row, std::uint32_t column, double gain) {
        const std::uint32_t before = bestBefore(column);
        links_.push_back({row, column, before, sumOf(before) + gain});
    }
    /// Pairs of the next row may follow those of this one.
    void endRow() {
        for (; entered_ < links_.size(); ++entered_)
            for (std::size_t k = links_[entered_].column + 1; k < best_.size(); k += k & (~k + 1))
                if (links_[entered_].sum > sumOf(best_[k])) best_[k] = static_cast<std::uint32_t>(entered_);
    }

    double sum() const { return sumOf(bestBefore(best_.size() - 1)); }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> best() const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> chain;
        for (std::uint32_t k = bestBefore(best_.size() - 1); k != kNone; k = links_[k].before)
            chain.emplace_back(links_[k].row, links_[k].column);
        return {chain.rbegin(), chain.rend()};
    }

  private:
    static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
    struct Link {
        std::uint32_t row, column, before;
        double sum;  ///< of the chain that ends here
    };

    double sumOf(std::uint32_t link) const { return link == kNone ? 0 : links_[link].sum; }
    /// The best chain whose last column is below.
    std::uint32_t bestBefore(std::size_t column) const {
        std::uint32_t found = kNone;
        for (std::size_t k = column; k > 0; k &= k - 1)
            if (sumOf(best_[k]) > sumOf(found)) found = best_[k];
        return found;
    }

    std::vector<Link> links_;
    std::vector<std::uint32_t> best_;  ///< of a stretch of columns, the link of the largest sum
    std::size_t entered_ = 0;          ///< links whose rows have ended
};

}  // namespace glycine::align
