#include "engine/mutualinfo/network/edge_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::mutualinfo {

namespace {

bool isBetter(const Edge& a, const Edge& b) {
    return std::tuple(b.score, b.information, a.row, a.column) <
           std::tuple(a.score, a.information, b.row, b.column);
}

}  // namespace

std::size_t Regulators::count(std::size_t genes) const {
    return flags.empty()
               ? genes
               : static_cast<std::size_t>(std::ranges::count_if(flags, [](char flag) { return flag != 0; }));
}

std::size_t Regulators::pairs(std::size_t genes) const {
    const std::size_t others = genes - count(genes);
    const auto pairsOf = [](std::size_t n) { return n == 0 ? 0 : n * (n - 1) / 2; };
    return pairsOf(genes) - pairsOf(others);
}

void EdgeRanking::add(const std::vector<Edge>& edges) {
    constexpr std::size_t kSmall = std::size_t{1} << 20;
    const std::lock_guard lock(mutex_);
    const std::size_t wanted = edges_.size() + edges.size();
    if (wanted > edges_.capacity()) {
        const std::size_t next = std::max(wanted, 2 * edges_.capacity());
        if (next > kSmall)
            requireHostMemory(
                fmt::format("a list of {} edges (--top keeps the best ones only)", formatCount(next)),
                static_cast<double>(next) * sizeof(Edge));
        edges_.reserve(next);
    }
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    if (most_ == 0 || edges_.size() < 2 * most_ + kSmall) return;
    std::nth_element(edges_.begin(), edges_.begin() + static_cast<std::ptrdiff_t>(most_), edges_.end(),
                     isBetter);
    edges_.resize(most_);
}

std::vector<Edge> EdgeRanking::take() {
    std::sort(edges_.begin(), edges_.end(), isBetter);
    if (most_ > 0 && edges_.size() > most_) edges_.resize(most_);
    return std::exchange(edges_, {});
}

}  // namespace glycine::mutualinfo
