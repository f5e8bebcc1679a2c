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
    explicit ClustalSums(std::size_t clusters) : behind_(clusters, 0), before_(clusters, 0) {}

    double of(std::size_t place) const { return behind_[place] + before_[place]; }
    double total() const { return std::accumulate(behind_.begin(), behind_.end(), 0.0); }

    void add(std::size_t low, std::size_t high, double distance) {
        behind_[low] += distance;
        before_[high] += distance;
    }
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
    Clusters(std::size_t instances, std::vector<double> distances, Tree& tree,
             const NeighbourJoiningOptions& options)
        : distances_(std::move(distances)),
          nodes_(instances),
          isPresent_(instances, 1),
          offsets_(instances, 0),
          sums_(instances, 0),
          means_(instances, 0),
          rowBounds_(instances, -kInfinity),
          rowGrowth_(instances, 0),
          tree_(tree),
          options_(options),
          left_(instances) {
        if (options.roundsAsClustalW) clustalSums_.emplace(instances);
        for (std::size_t i = 0; i < instances; ++i) nodes_[i] = i;
        for (std::size_t j = 0; j < instances; ++j) {
            const double* row = rowOf(j);
            for (std::size_t i = 0; i < j; ++i) {
                sums_[i] += row[i];
                sums_[j] += row[i];
                total_ += row[i];
                if (clustalSums_) clustalSums_->add(i, j, row[i]);
            }
        }
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
        // Sums that are equal in theory differ by rounding: with four clusters left, those of any pair and of
        // the other two. Bounds have the same rounding.
        const double rounding = 1e-12 * (std::abs(total_) + 1);
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

    /// Joins two clusters; `node` of the tree represents the result.
    void join(const Places& pair, std::size_t node) {
        const double distance = at(pair.low, pair.high);
        const auto others = static_cast<double>(left_ - 2);
        const auto meanOf = [&](std::size_t place) {
            return clustalSums_ ? (clustalSums_->of(place) - distance) / others : sums_[place] / others;
        };
        const double lowLength = (distance + meanOf(pair.low) - meanOf(pair.high)) / 2;
        hang(node, pair.low, lowLength);
        hang(node, pair.high, distance - lowLength);
        nodes_[pair.low] = node;
        // ClustalW distinguishes clusters from instances by a positive distance.
        constexpr double kLeastDistance = 1e-6;
        offsets_[pair.low] = (clustalSums_ && distance <= 0 ? kLeastDistance : distance) / 2;
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

    double at(std::size_t a, std::size_t b) const {
        return a > b ? distances_[a * (a - 1) / 2 + b] : distances_[b * (b - 1) / 2 + a];
    }

    /// Attaches the cluster at a place to a node; `length` is measured to where its distances begin.
    void hang(std::size_t node, std::size_t place, double length) {
        length -= offsets_[place];
        attach(tree_, node, nodes_[place], std::abs(length) < options_.negligibleLength ? 0 : length);
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
            nodes_[j] = nodes_[kept[j]];
            offsets_[j] = offsets_[kept[j]];
            sums_[j] = sums_[kept[j]];
            means_[j] = means_[kept[j]];
            rowBounds_[j] = rowBounds_[kept[j]];
            rowGrowth_[j] = rowGrowth_[kept[j]];
        }
        isPresent_.assign(kept.size(), 1);
        if (clustalSums_) clustalSums_->compact(kept);
    }

    std::vector<double> distances_;
    std::vector<std::size_t> nodes_;  ///< of the tree, one per place
    std::vector<char> isPresent_;
    std::vector<double> offsets_;  ///< distance from a cluster's node down to where its distances begin
    std::vector<double> sums_;     ///< of distances to all others
    std::vector<double> means_;    ///< sums_ divided by clusters − 2
    double total_ = 0;             ///< of all pairs
    std::vector<double> rowBounds_;
    std::vector<double> rowGrowth_;  ///< growth_ when the bound was computed
    double growth_ = 0;              ///< upper bound of the growth of any mean since the start
    Tree& tree_;
    NeighbourJoiningOptions options_;
    std::optional<ClustalSums> clustalSums_;  ///< if the options request them
    std::size_t left_;
};

}  // namespace

Tree joinNeighbours(std::size_t instances, std::vector<double> distances, Progress& progress,
                    const NeighbourJoiningOptions& options) {
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
    Tree tree{.leaves = instances, .nodes = std::vector<TreeNode>(instances), .root = 0};
    if (instances == 1) return tree;
    Clusters clusters(instances, std::move(distances), tree, options);
    while (clusters.left() > 3) {
        const Places pair = clusters.best();
        tree.nodes.emplace_back();
        progress.advance(2 * static_cast<double>(clusters.left()));
        clusters.join(pair, tree.nodes.size() - 1);
    }
    const std::vector<std::size_t> last = clusters.places();
    tree.nodes.emplace_back();
    tree.root = tree.nodes.size() - 1;
    if (last.size() == 2) {
        for (const std::size_t place : last)
            clusters.hang(tree.root, place, clusters.at(last[0], last[1]) / 2);
        return tree;
    }
    const double toSecond = clusters.at(last[0], last[1]), toThird = clusters.at(last[0], last[2]);
    const double first = (toSecond + toThird - clusters.at(last[1], last[2])) / 2;
    clusters.hang(tree.root, last[0], first);
    clusters.hang(tree.root, last[1], toSecond - first);
    clusters.hang(tree.root, last[2], toThird - first);
    return tree;
}

Tree treeOfDistances(TreeMethod method, std::size_t instances, const std::vector<double>& distances,
                     Progress& progress) {
    if (method == TreeMethod::NeighbourJoining) return joinNeighbours(instances, distances, progress);
    return treeOf(clusterByAverageLinkage(instances, distances, progress));
}

}  // namespace glycine::trees
