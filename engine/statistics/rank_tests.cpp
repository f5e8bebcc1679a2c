#include "engine/statistics/rank_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "engine/core/arguments.hpp"

namespace glycine::statistics {

namespace {

constexpr RankTest kUndefinedTest{std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::quiet_NaN()};

/// All values of several samples in ascending order.
class RankedValues {
  public:
    explicit RankedValues(std::size_t samples) : counts_(samples, 0), rankSums_(samples, 0) {}

    void add(std::span<const double> values, std::size_t sample) {
        for (const double value : values) {
            if (std::isnan(value)) continue;
            values_.emplace_back(value, sample);
            ++counts_[sample];
        }
    }

    void rank() {
        std::sort(values_.begin(), values_.end());
        for (std::size_t begin = 0; begin < values_.size();) {
            std::size_t end = begin + 1;
            while (end < values_.size() && values_[end].first == values_[begin].first) ++end;
            const double meanRank = static_cast<double>(begin + 1 + end) / 2;
            for (std::size_t k = begin; k < end; ++k) rankSums_[values_[k].second] += meanRank;
            const auto equal = static_cast<double>(end - begin);
            ties_ += equal * (equal * equal - 1);
            begin = end;
        }
    }

    double size() const { return static_cast<double>(values_.size()); }
    double count(std::size_t sample) const { return static_cast<double>(counts_[sample]); }
    double rankSum(std::size_t sample) const { return rankSums_[sample]; }
    /// Σ t³ − t over the sets of t equal values.
    double ties() const { return ties_; }
    bool areAllEqual() const { return values_.empty() || values_.front().first == values_.back().first; }

  private:
    std::vector<std::pair<double, std::size_t>> values_;
    std::vector<std::size_t> counts_;
    std::vector<double> rankSums_;
    double ties_ = 0;
};

/// P(X ≥ value) of the chi-squared distribution.
double chiSquaredTail(double value, double degreesOfFreedom) {
    // In double throughout: by default Boost computes in long double, at three times the cost.
    using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    return boost::math::gamma_q(degreesOfFreedom / 2, value / 2, Policy());
}

/// P(U ≤ u) for u = 0 … n1 n2, for samples without ties: the share of the ways to choose n1 of the ranks 1 …
/// n1 + n2 whose sum is at most u + n1 (n1 + 1) / 2. Sums only positive numbers, so the probabilities are
/// accurate to about 1e-14.
std::vector<double> exactDistribution(std::size_t n1, std::size_t n2) {
    const std::size_t largest = n1 * n2;
    // ways[k][u]: ways to choose k of the ranks so far, where u is their sum minus the least sum of k ranks.
    std::vector<std::vector<double>> ways(n1 + 1, std::vector<double>(largest + 1, 0));
    ways[0][0] = 1;
    for (std::size_t rank = 1; rank <= n1 + n2; ++rank) {
        for (std::size_t k = std::min(rank, n1); k > 0; --k) {
            // Choosing `rank` as the k-th and largest adds rank − k to u.
            for (std::size_t u = rank - k; u <= largest; ++u) ways[k][u] += ways[k - 1][u - (rank - k)];
        }
    }
    std::vector<double>& distribution = ways[n1];
    std::partial_sum(distribution.begin(), distribution.end(), distribution.begin());
    const double all = distribution.back();
    for (double& value : distribution) value /= all;
    return distribution;
}

/// The same, cached for each pair of sizes in each thread, because a comparison needs the same few again and
/// again.
const std::vector<double>& cachedDistribution(std::size_t n1, std::size_t n2) {
    thread_local std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> known;
    const auto [entry, isNew] = known.try_emplace({n1, n2});
    if (isNew) entry->second = exactDistribution(n1, n2);
    return entry->second;
}

double exactP(double u, std::size_t n1, std::size_t n2) {
    // U is symmetric about n1 n2 / 2, and without ties it is an integer.
    const double largest = static_cast<double>(n1) * static_cast<double>(n2);
    const auto smallerTail = static_cast<std::size_t>(std::min(u, largest - u));
    return std::min(1.0, 2 * cachedDistribution(n1, n2)[smallerTail]);
}

double normalP(double u, const RankedValues& ranked) {
    const double n = ranked.size();
    const double product = ranked.count(0) * ranked.count(1);
    const double variance = product / 12 * (n + 1 - ranked.ties() / (n * (n - 1)));
    const double difference = std::max(0.0, std::abs(u - product / 2) - 0.5);
    return std::erfc(difference / std::sqrt(2 * variance));
}

}  // namespace

RankTest kruskalWallis(std::span<const std::vector<double>> samples) {
    RankedValues ranked(samples.size());
    for (std::size_t k = 0; k < samples.size(); ++k) ranked.add(samples[k], k);
    ranked.rank();
    if (ranked.areAllEqual()) return kUndefinedTest;
    const double n = ranked.size();
    double squares = 0;
    int used = 0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
        if (ranked.count(k) == 0) continue;
        const double excess = ranked.rankSum(k) - ranked.count(k) * (n + 1) / 2;
        squares += excess * excess / ranked.count(k);
        ++used;
    }
    if (used < 2) return kUndefinedTest;
    const double h = 12 / (n * (n + 1)) * squares / (1 - ranked.ties() / (n * (n * n - 1)));
    return {h, chiSquaredTail(h, used - 1)};
}

RankTest mannWhitney(std::span<const double> first, std::span<const double> second) {
    RankedValues ranked(2);
    ranked.add(first, 0);
    ranked.add(second, 1);
    ranked.rank();
    if (ranked.areAllEqual() || ranked.count(0) == 0 || ranked.count(1) == 0) return kUndefinedTest;
    const double u = ranked.rankSum(0) - ranked.count(0) * (ranked.count(0) + 1) / 2;
    const auto n1 = static_cast<std::size_t>(ranked.count(0));
    const auto n2 = static_cast<std::size_t>(ranked.count(1));
    const bool isExact = ranked.ties() == 0 && std::max(n1, n2) < kExactMannWhitneyBelow;
    return {u, isExact ? exactP(u, n1, n2) : normalP(u, ranked)};
}

std::vector<double> benjaminiHochberg(std::span<const double> p) {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < p.size(); ++k)
        if (!std::isnan(p[k])) {
            checkNumber(fmt::format("p-value {}", k + 1), p[k], p[k] >= 0 && p[k] <= 1, "0 … 1, or NaN");
            order.push_back(k);
        }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> q(p.size(), std::numeric_limits<double>::quiet_NaN());
    double least = 1;
    for (std::size_t rank = order.size(); rank > 0; --rank) {
        const std::size_t k = order[rank - 1];
        least = std::min(least, p[k] * static_cast<double>(order.size()) / static_cast<double>(rank));
        q[k] = least;
    }
    return q;
}

}  // namespace glycine::statistics
