#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/matrix.hpp"
#include "engine/trees/study/tree_subject.hpp"

namespace glycine::trees {

namespace {

/// Branches and mean distances may differ by this, by the order of sums.
constexpr double kAllowedDifference = 1e-9;
/// Criteria that differ by less, relative to the sum of all distances, are equal (joinNeighbours).
constexpr double kEqualCriteria = 1e-12;

using Pair = std::pair<std::size_t, std::size_t>;

/// The clusters that are left. Each is named by its smallest instance.
class ClustersLeft {
  public:
    ClustersLeft(std::size_t instances, std::span<const double> distances)
        : distances_(instances, instances), names_(instances), members_(instances, 1) {
        std::iota(names_.begin(), names_.end(), std::size_t{0});
        auto distance = distances.begin();
        for (std::size_t j = 0; j < instances; ++j) {
            for (std::size_t i = 0; i < j; ++i) distances_(i, j) = distances_(j, i) = *distance++;
            distances_(j, j) = 0;
        }
    }
    const std::vector<std::size_t>& names() const { return names_; }
    double distance(std::size_t a, std::size_t b) const { return distances_(a, b); }
    double sum(std::size_t cluster) const {
        const double* row = distances_.row(cluster);
        double sum = 0;
        for (const std::size_t other : names_) sum += row[other];
        return sum;
    }
    /// The first pair, by its larger and then by its smaller name, whose value is the smallest but for
    /// `rounding`.
    template <class Value>
    std::pair<Pair, double> least(double rounding, const Value& valueOf) const {
        double least = std::numeric_limits<double>::infinity();
        const auto forAll = [&](const auto& visit) {
            for (const std::size_t high : names_)
                for (const std::size_t low : names_) {
                    if (low == high) break;
                    if (visit(low, high)) return;
                }
        };
        forAll([&](std::size_t low, std::size_t high) {
            least = std::min(least, valueOf(low, high));
            return false;
        });
        Pair first;
        forAll([&](std::size_t low, std::size_t high) {
            first = {low, high};
            return valueOf(low, high) <= least + rounding;
        });
        return {first, least};
    }
    /// Joins two clusters; the distances to the new one are means, weighted by members or not.
    void join(Pair pair, bool isWeighted) {
        const auto [low, high] = pair;
        const double ofLow = isWeighted ? members_[low] : 1, ofHigh = isWeighted ? members_[high] : 1;
        std::erase(names_, high);
        for (const std::size_t other : names_)
            if (other != low)
                distances_(low, other) = distances_(other, low) =
                    (ofLow * distances_(low, other) + ofHigh * distances_(high, other)) / (ofLow + ofHigh);
        members_[low] += members_[high];
    }

  private:
    Matrix<double> distances_;
    std::vector<std::size_t> names_;  ///< ascending
    std::vector<double> members_;
};

/// Follows the joins of a tree, whose inner nodes are in their order.
class Follower {
  public:
    Follower(const Tree& tree, std::span<const double> distances, Comparison& comparison)
        : tree_(tree),
          clusters_(tree.leaves, distances),
          comparison_(comparison),
          nameOf_(tree.nodes.size()),
          below_(tree.nodes.size(), 0) {
        std::iota(nameOf_.begin(), nameOf_.end(), std::size_t{0});
    }

    void joinNeighbours(std::span<const std::size_t> searched) {
        const std::size_t n = tree_.leaves;
        for (std::size_t round = 0; round + 3 < n; ++round) {
            const std::size_t node = n + round;
            const Pair pair = pairOf(node);
            requireShape(nameOf_[tree_.nodes[node].children[0]] == pair.first, node);
            const auto others = static_cast<double>(clusters_.names().size() - 2);
            if (std::ranges::binary_search(searched, round)) expectLeastCriterion(node, pair, others);
            const double distance = clusters_.distance(pair.first, pair.second);
            const double low =
                (distance + (clusters_.sum(pair.first) - clusters_.sum(pair.second)) / others) / 2;
            compareBranch(tree_.nodes[node].children[0], low);
            compareBranch(tree_.nodes[node].children[1], distance - low);
            finish(node, pair, distance / 2, false);
        }
        const std::vector<std::size_t>& left = clusters_.names();
        const std::vector<std::size_t>& last = tree_.nodes[tree_.root].children;
        requireShape(last.size() == left.size(), tree_.root);
        for (std::size_t k = 0; k < last.size(); ++k) {
            requireShape(nameOf_[last[k]] == left[k], tree_.root);
            const auto at = [&](std::size_t a, std::size_t b) {
                return clusters_.distance(left[(k + a) % left.size()], left[(k + b) % left.size()]);
            };
            compareBranch(last[k], left.size() == 2 ? at(0, 1) / 2 : (at(0, 1) + at(0, 2) - at(1, 2)) / 2);
        }
    }

    void joinByAverage(std::span<const std::size_t> searched) {
        const std::size_t n = tree_.leaves;
        for (std::size_t round = 0; round + 1 < n; ++round) {
            const std::size_t node = n + round;
            const Pair pair = pairOf(node);
            const double distance = clusters_.distance(pair.first, pair.second);
            if (std::ranges::binary_search(searched, round)) {
                const double least =
                    clusters_
                        .least(0, [&](std::size_t low,
                                      std::size_t high) { return clusters_.distance(low, high); })
                        .second;
                comparison_.compareElement(least, distance,
                                           [&] { return fmt::format("distance joined by node {}", node); });
            }
            for (const std::size_t child : tree_.nodes[node].children) compareBranch(child, distance / 2);
            finish(node, pair, distance / 2, true);
        }
    }

  private:
    void requireShape(bool holds, std::size_t node) const {
        if (!holds) throw Error(fmt::format("node {} does not join clusters that are left then", node));
    }
    /// The clusters that a node joins, the smaller name first, in whatever order its children are.
    Pair pairOf(std::size_t node) const {
        const std::vector<std::size_t>& children = tree_.nodes[node].children;
        requireShape(children.size() == 2, node);
        for (const std::size_t child : children)
            requireShape(child < node && std::ranges::binary_search(clusters_.names(), nameOf_[child]), node);
        const auto [low, high] = std::minmax(nameOf_[children[0]], nameOf_[children[1]]);
        requireShape(low < high, node);
        return {low, high};
    }
    void expectLeastCriterion(std::size_t node, const Pair& pair, double others) {
        std::vector<double> sums(tree_.leaves);
        double total = 0;
        for (const std::size_t name : clusters_.names()) total += sums[name] = clusters_.sum(name);
        total /= 2;
        const auto [first, least] =
            clusters_.least(kEqualCriteria * (std::abs(total) + 1), [&](std::size_t low, std::size_t high) {
                return others * clusters_.distance(low, high) + 2 * total - sums[high] - sums[low];
            });
        if (first != pair)
            throw Error(fmt::format("node {} joins the clusters of {} and {}; expected {} and {}", node,
                                    pair.first + 1, pair.second + 1, first.first + 1, first.second + 1));
    }
    /// `length`: from the parent down to where the child's distances begin, below the child.
    void compareBranch(std::size_t child, double length) {
        comparison_.compareElement(length - below_[child], tree_.nodes[child].length,
                                   [&] { return fmt::format("branch above node {}", child); });
    }
    void finish(std::size_t node, const Pair& pair, double below, bool isWeighted) {
        below_[node] = below;
        nameOf_[node] = pair.first;
        clusters_.join(pair, isWeighted);
    }

    const Tree& tree_;
    ClustersLeft clusters_;
    Comparison& comparison_;
    std::vector<std::size_t> nameOf_;  ///< of the cluster below a node
    std::vector<double> below_;        ///< how far below a node its distances begin
};

}  // namespace

Comparison compareWithDefinition(const Tree& tree, TreeMethod method, std::span<const double> distances,
                                 std::span<const std::size_t> searched) {
    Comparison comparison = equalSoFar(kAllowedDifference);
    comparison.isAbsolute = true;
    try {
        checkTree(tree);
        Follower follower(tree, distances, comparison);
        if (tree.leaves > 1 && method == TreeMethod::NeighbourJoining) follower.joinNeighbours(searched);
        if (tree.leaves > 1 && method == TreeMethod::Upgma) follower.joinByAverage(searched);
    } catch (const Error& error) {
        comparison.fail(error.what());
    }
    return comparison;
}

}  // namespace glycine::trees
