#include "engine/trees/neighbour_joining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/trees/device_trees.hpp"

namespace glycine::trees {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The places of two clusters.
struct Places {
    std::size_t low = 0;
    std::size_t high = 0;
};

/// Clusters' sums of distances to all others as ClustalW accumulates them: separately for clusters with
/// larger and with smaller names, each updated incrementally.
class ClustalSums {
  public:
    explicit ClustalSums(JoiningSums& sums)
        : behind_(std::move(sums.behind)), before_(std::move(sums.before)) {}

    double of(std::size_t place) const { return behind_[place] + before_[place]; }
    double total() const { return std::accumulate(behind_.begin(), behind_.end(), 0.0); }

    /// Two clusters are about to be joined at the lower place.
    void begin(const Places& pair) { behind_[pair.low] = before_[pair.low] = 0; }
    /// Replaces another cluster's distances to both by their mean.
    void replace(std::size_t other, const Places& pair, double low, double high, double mean) {
        // In ClustalW's order.
        (other < pair.high ? behind_ : before_)[other] -= high;
        (other < pair.low ? behind_ : before_)[other] -= low;
        (other < pair.low ? behind_ : before_)[other] += mean;
        (other < pair.low ? before_ : behind_)[pair.low] += mean;
    }
    void end(const Places& pair) { behind_[pair.high] = before_[pair.high] = 0; }

    /// `kept` must ascend.
    void compact(const std::vector<std::size_t>& kept) {
        for (std::size_t j = 0; j < kept.size(); ++j) {
            behind_[j] = behind_[kept[j]];
            before_[j] = before_[kept[j]];
        }
        behind_.resize(kept.size());
        before_.resize(kept.size());
    }

  private:
    std::vector<double> behind_, before_;
};

/// The remaining clusters. Each has a place; places ascend with the clusters' names. A cluster that is joined
/// to another leaves an empty place with infinite distances, until the places are compacted.
class Clusters {
  public:
    Clusters(std::size_t instances, std::vector<double> distances, bool roundsAsClustalW)
        : distances_(std::move(distances)),
          names_(instances),
          isPresent_(instances, 1),
          means_(instances, 0),
          rowBounds_(instances, -kInfinity),
          rowGrowth_(instances, 0),
          left_(instances) {
        std::iota(names_.begin(), names_.end(), std::size_t{0});
        JoiningSums sums = joiningSumsOf(instances, distances_, roundsAsClustalW);
        sums_ = std::move(sums.all);
        total_ = sums.total;
        if (roundsAsClustalW) clustalSums_.emplace(sums);
    }

    std::size_t left() const { return left_; }

    Places best() {
        const auto others = static_cast<double>(left_ - 2);
        for (std::size_t i = 0; i < isPresent_.size(); ++i) means_[i] = isPresent_[i] ? sums_[i] / others : 0;
        // The row with the lowest bound yields the value that the others are compared with.
        std::size_t first = 0;
        double promise = kInfinity;
        for (std::size_t j = 1; j < isPresent_.size(); ++j)
            if (isPresent_[j] && (first == 0 || boundOf(j) < promise)) {
                promise = boundOf(j);
                first = j;
            }
        // Bounds have the same rounding.
        const double rounding = roundingOf(total_);
        double least = searchRow(first);
        const auto canHave = [&](std::size_t j, double value) {
            return isPresent_[j] && others * boundOf(j) + 2 * total_ <= value + 2 * rounding;
        };
        for (std::size_t j = 1; j < isPresent_.size(); ++j)
            if (j != first && canHave(j, least)) least = std::min(least, searchRow(j));
        Places found;
        double leastRounded = kInfinity;
        const double total = clustalSums_ ? clustalSums_->total() : 0;
        for (std::size_t j = 1; j < isPresent_.size(); ++j) {
            if (!canHave(j, least)) continue;
            for (std::size_t i = 0; i < j; ++i) {
                if (!(valueOf(i, j) <= least + rounding)) continue;
                if (!clustalSums_) return {i, j};
                const double rounded =
                    others * rowOf(j)[i] + 2 * total - clustalSums_->of(i) - clustalSums_->of(j);
                if (rounded < leastRounded) {
                    leastRounded = rounded;
                    found = {i, j};
                }
            }
        }
        return found;
    }

    /// Joins two clusters, also in the tree.
    void join(const Places& pair, JoinedTree& tree) {
        const double distance = at(pair.low, pair.high);
        const auto others = static_cast<double>(left_ - 2);
        const auto meanOf = [&](std::size_t place) {
            return clustalSums_ ? (clustalSums_->of(place) - distance) / others : sums_[place] / others;
        };
        tree.join(names_[pair.low], names_[pair.high], distance, meanOf(pair.low), meanOf(pair.high));
        replaceDistances(pair);
        if (--left_ * 2 < isPresent_.size()) compact();
    }

    /// The places in use, in ascending order.
    std::vector<std::size_t> places() const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < isPresent_.size(); ++i)
            if (isPresent_[i]) found.push_back(i);
        return found;
    }

    std::size_t nameAt(std::size_t place) const { return names_[place]; }

    double at(std::size_t a, std::size_t b) const {
        return a > b ? distances_[a * (a - 1) / 2 + b] : distances_[b * (b - 1) / 2 + a];
    }

  private:
    double* rowOf(std::size_t j) { return distances_.data() + (j > 0 ? j * (j - 1) / 2 : 0); }

    /// A lower bound of distance minus both mean distances, over all pairs of the row.
    double boundOf(std::size_t j) const { return rowBounds_[j] - (growth_ - rowGrowth_[j]) - means_[j]; }

    double valueOf(std::size_t i, std::size_t j) {
        return static_cast<double>(left_ - 2) * rowOf(j)[i] + (2 * total_ - sums_[j]) - sums_[i];
    }

    /// The smallest value of a row; updates the row's bound.
    double searchRow(std::size_t j) {
        const auto others = static_cast<double>(left_ - 2);
        const double* row = rowOf(j);
        const double offset = 2 * total_ - sums_[j];
        // Eight at a time, whose minima the compiler keeps in registers.
        constexpr std::size_t kLanes = 8;
        std::array<double, kLanes> smallest;
        smallest.fill(kInfinity);
        std::size_t i = 0;
        for (; i + kLanes <= j; i += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const double value = others * row[i + lane] + offset - sums_[i + lane];
                smallest[lane] = value < smallest[lane] ? value : smallest[lane];
            }
        double least = *std::ranges::min_element(smallest);
        for (; i < j; ++i) least = std::min(least, others * row[i] + offset - sums_[i]);
        rowBounds_[j] = (least - 2 * total_) / others + means_[j];
        rowGrowth_[j] = growth_;
        return least;
    }

    /// The distances of the joined pair become those of one cluster at the lower place.
    void replaceDistances(const Places& pair) {
        const auto others = static_cast<double>(left_ - 3);
        double largestGrowth = -kInfinity;
        double sum = 0;
        if (clustalSums_) clustalSums_->begin(pair);
        for (std::size_t k = 0; k < isPresent_.size(); ++k) {
            if (!isPresent_[k] || k == pair.low || k == pair.high) continue;
            const double low = at(k, pair.low);
            const double high = at(k, pair.high);
            const double mean = (low + high) / 2;
            sums_[k] -= low + high - mean;
            sum += mean;
            if (clustalSums_) clustalSums_->replace(k, pair, low, high, mean);
            distances_[k > pair.low ? k * (k - 1) / 2 + pair.low : pair.low * (pair.low - 1) / 2 + k] = mean;
            distances_[k > pair.high ? k * (k - 1) / 2 + pair.high : pair.high * (pair.high - 1) / 2 + k] =
                kInfinity;
            if (others > 0) largestGrowth = std::max(largestGrowth, sums_[k] / others - means_[k]);
        }
        // Removes both clusters' distances and adds their means.
        total_ -= at(pair.low, pair.high) + sum;
        distances_[pair.high * (pair.high - 1) / 2 + pair.low] = kInfinity;
        for (std::size_t i = 0; i < pair.high; ++i) rowOf(pair.high)[i] = kInfinity;
        sums_[pair.low] = sum;
        sums_[pair.high] = 0;
        if (clustalSums_) clustalSums_->end(pair);
        isPresent_[pair.high] = 0;
        if (others <= 0) return;
        growth_ += std::max(largestGrowth, 0.0);
        const double newMean = sum / others;
        for (std::size_t k = pair.low + 1; k < isPresent_.size(); ++k)
            if (isPresent_[k])
                rowBounds_[k] =
                    std::min(rowBounds_[k], at(k, pair.low) - newMean + (growth_ - rowGrowth_[k]));
        rowBounds_[pair.low] = -kInfinity;
    }

    /// Moves the remaining clusters to the first places.
    void compact() {
        const std::vector<std::size_t> kept = places();
        for (std::size_t j = 0; j < kept.size(); ++j) {
            // Never overwrites what is still to be read: kept[j] ≥ j.
            for (std::size_t i = 0; i < j; ++i) rowOf(j)[i] = rowOf(kept[j])[kept[i]];
            names_[j] = names_[kept[j]];
            sums_[j] = sums_[kept[j]];
            means_[j] = means_[kept[j]];
            rowBounds_[j] = rowBounds_[kept[j]];
            rowGrowth_[j] = rowGrowth_[kept[j]];
        }
        isPresent_.assign(kept.size(), 1);
        if (clustalSums_) clustalSums_->compact(kept);
    }

    std::vector<double> distances_;
    std::vector<std::size_t> names_;  ///< smallest instances, one per place
    std::vector<char> isPresent_;
    std::vector<double> sums_;   ///< of distances to all others
    std::vector<double> means_;  ///< sums_ divided by clusters − 2
    double total_ = 0;           ///< of all pairs
    std::vector<double> rowBounds_;
    std::vector<double> rowGrowth_;           ///< growth_ when the bound was computed
    double growth_ = 0;                       ///< upper bound of the growth of any mean since the start
    std::optional<ClustalSums> clustalSums_;  ///< if the options request them
    std::size_t left_;
};

}  // namespace

JoiningSums joiningSumsOf(std::size_t instances, std::span<const double> distances, bool roundsAsClustalW) {
    JoiningSums sums;
    sums.all.assign(instances, 0);
    if (roundsAsClustalW) sums.behind = sums.before = sums.all;
    auto distance = distances.begin();
    for (std::size_t j = 0; j < instances; ++j)
        for (std::size_t i = 0; i < j; ++i, ++distance) {
            sums.all[i] += *distance;
            sums.all[j] += *distance;
            sums.total += *distance;
            if (!roundsAsClustalW) continue;
            sums.behind[i] += *distance;
            sums.before[j] += *distance;
        }
    return sums;
}

JoinedTree::JoinedTree(std::size_t instances, const NeighbourJoiningOptions& options)
    : options_(options),
      tree_{.leaves = instances, .nodes = std::vector<TreeNode>(instances), .root = 0},
      nodes_(instances),
      offsets_(instances, 0) {
    std::iota(nodes_.begin(), nodes_.end(), std::size_t{0});
}

void JoinedTree::join(std::size_t low, std::size_t high, double distance, double lowMean, double highMean) {
    const std::size_t node = tree_.nodes.size();
    tree_.nodes.emplace_back();
    const double lowLength = (distance + lowMean - highMean) / 2;
    hang(node, low, lowLength);
    hang(node, high, distance - lowLength);
    nodes_[low] = node;
    // ClustalW distinguishes clusters from instances by a positive distance.
    constexpr double kLeastDistance = 1e-6;
    offsets_[low] = (options_.roundsAsClustalW && distance <= 0 ? kLeastDistance : distance) / 2;
}

void JoinedTree::joinLast(std::span<const std::size_t> names, const std::array<double, 3>& distances) {
    tree_.root = tree_.nodes.size();
    tree_.nodes.emplace_back();
    const auto [toSecond, toThird, between] = distances;
    if (names.size() == 2) {
        for (const std::size_t name : names) hang(tree_.root, name, toSecond / 2);
        return;
    }
    const double first = (toSecond + toThird - between) / 2;
    hang(tree_.root, names[0], first);
    hang(tree_.root, names[1], toSecond - first);
    hang(tree_.root, names[2], toThird - first);
}

void JoinedTree::hang(std::size_t node, std::size_t name, double length) {
    length -= offsets_[name];
    attach(tree_, node, nodes_[name], std::abs(length) < options_.negligibleLength ? 0 : length);
}

Tree joinNeighbours(std::size_t instances, std::vector<double> distances, Progress& progress,
                    const NeighbourJoiningOptions& options, TreeDevice* device) {
    if (instances == 0) throw UsageError("0 instances are to be joined; expected at least one");
    checkCount("the distances", distances.size(), instances * (instances - 1) / 2,
               fmt::format("one for each pair of {} instances", instances));
    for (const double distance : distances)
        if (!std::isfinite(distance))
            throw InputError(
                fmt::format("a distance is {}; neighbour joining needs finite numbers", distance));
    checkNumber("the negligible length", options.negligibleLength, options.negligibleLength >= 0,
                "a number of at least 0");
    progress.begin("neighbour joining", static_cast<double>(instances) * static_cast<double>(instances));
    if (device != nullptr)
        if (std::optional<Tree> tree = joinOnDevice(*device, instances, distances, options, progress))
            return std::move(*tree);
    JoinedTree joined(instances, options);
    if (instances == 1) return joined.tree();
    Clusters clusters(instances, std::move(distances), options.roundsAsClustalW);
    while (clusters.left() > 3) {
        const Places pair = clusters.best();
        progress.advance(2 * static_cast<double>(clusters.left()));
        clusters.join(pair, joined);
    }
    const std::vector<std::size_t> last = clusters.places();
    std::vector<std::size_t> names;
    for (const std::size_t place : last) names.push_back(clusters.nameAt(place));
    std::array<double, 3> between{clusters.at(last[0], last[1])};
    if (last.size() == 3)
        between = {between[0], clusters.at(last[0], last[2]), clusters.at(last[1], last[2])};
    joined.joinLast(names, between);
    return joined.tree();
}

Tree treeOfDistances(TreeMethod method, std::size_t instances, std::vector<double> distances,
                     Progress& progress, TreeDevice* device) {
    if (method == TreeMethod::NeighbourJoining)
        return joinNeighbours(instances, std::move(distances), progress, {}, device);
    return treeOf(clusterByAverageLinkage(instances, std::move(distances), progress, device));
}

}  // namespace glycine::trees
