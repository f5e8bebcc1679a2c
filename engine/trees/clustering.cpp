#include "engine/trees/clustering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"
#include "engine/trees/device_trees.hpp"
#include "engine/trees/linkage.hpp"

namespace glycine::trees {

namespace {

/// Distances between the current clusters, each named by one of its instances.
template <class T>
class ClusterDistances {
  public:
    ClusterDistances(std::size_t instances, std::vector<T> distances, bool isComplete)
        : isComplete_(isComplete),
          distances_(std::move(distances)),
          sizes_(instances, 1),
          active_(instances) {
        std::iota(active_.begin(), active_.end(), std::size_t{0});
    }

    std::size_t size(std::size_t cluster) const { return sizes_[cluster]; }
    /// The current clusters, in ascending order.
    const std::vector<std::size_t>& active() const { return active_; }
    T distance(std::size_t a, std::size_t b) const { return distances_[index(a, b)]; }

    /// The cluster nearest to `cluster`; among equally near ones `preferred`, else the smallest.
    std::size_t nearest(std::size_t cluster, std::size_t preferred) const {
        std::size_t best = preferred;
        T smallest = preferred == cluster ? 0 : distance(cluster, preferred);
        for (const std::size_t other : active_) {
            if (other == cluster) continue;
            const T candidate = distance(cluster, other);
            if (candidate < smallest || best == cluster) {
                smallest = candidate;
                best = other;
            }
        }
        return best;
    }

    /// Merges two clusters; the result keeps the smaller name.
    void merge(std::size_t a, std::size_t b) {
        const std::size_t kept = std::min(a, b);
        const std::size_t gone = std::max(a, b);
        const auto keptSize = static_cast<double>(sizes_[kept]);
        const auto goneSize = static_cast<double>(sizes_[gone]);
        active_.erase(std::lower_bound(active_.begin(), active_.end(), gone));
        for (const std::size_t other : active_) {
            if (other == kept) continue;
            T& target = distances_[index(kept, other)];
            target = isComplete_
                         ? std::max(target, distance(gone, other))
                         : static_cast<T>(weightedMean(keptSize, target, goneSize, distance(gone, other)));
        }
        sizes_[kept] += sizes_[gone];
    }

  private:
    static std::size_t index(std::size_t a, std::size_t b) {
        return a > b ? a * (a - 1) / 2 + b : b * (b - 1) / 2 + a;
    }

    /// A mean that lies between the two values despite rounding and overflow: nearest neighbours rely on
    /// this.
    static double weightedMean(double weightA, double a, double weightB, double b) {
        const double sum = weightA * a + weightB * b;
        const double weights = weightA + weightB;
        const double mean =
            std::isfinite(sum) ? sum / weights : weightA / weights * a + weightB / weights * b;
        return std::clamp(mean, std::min(a, b), std::max(a, b));
    }

    bool isComplete_;
    std::vector<T> distances_;
    std::vector<std::size_t> sizes_;
    std::vector<std::size_t> active_;
};

/// Replaces NaN by the largest other distance.
template <class T>
void replaceUnknown(std::vector<T>& distances) {
    T largest = 0;
    for (const T distance : distances) largest = std::max(largest, distance);
    for (T& distance : distances)
        if (std::isnan(distance)) distance = largest;
}

/// Follows nearest neighbours until two clusters are each other's. These can be merged at once, because no
/// linkage brings a merged cluster nearer than the nearer of its parts.
template <class T>
std::vector<MergedPair> mergeAll(ClusterDistances<T>& clusters, Progress& progress) {
    const std::size_t n = clusters.active().size();
    std::vector<MergedPair> pairs;
    std::vector<std::size_t> chain;
    while (pairs.size() + 1 < n) {
        if (chain.empty()) chain.push_back(clusters.active().front());
        const std::size_t last = chain.back();
        const std::size_t previous = chain.size() > 1 ? chain[chain.size() - 2] : last;
        const std::size_t next = clusters.nearest(last, previous);
        if (next != previous || chain.size() == 1) {
            chain.push_back(next);
            continue;
        }
        pairs.push_back({static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(previous),
                         clusters.distance(last, previous)});
        clusters.merge(last, previous);
        chain.resize(chain.size() - 2);
        progress.advance(1);
    }
    return pairs;
}

/// Names clusters by the step that made them.
class ClusterNames {
  public:
    explicit ClusterNames(std::size_t instances) : parents_(2 * instances - 1) {
        std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    }
    /// The current cluster of an instance (or cluster).
    std::size_t of(std::size_t member) {
        while (parents_[member] != member) {
            parents_[member] = parents_[parents_[member]];
            member = parents_[member];
        }
        return member;
    }
    void join(std::size_t a, std::size_t b, std::size_t made) { parents_[a] = parents_[b] = made; }

  private:
    std::vector<std::size_t> parents_;
};

std::vector<std::size_t> leavesInOrder(const std::vector<Merge>& merges) {
    const std::size_t n = merges.size() + 1;
    std::vector<std::size_t> leaves;
    std::vector<std::size_t> open{2 * n - 2};
    while (!open.empty()) {
        const std::size_t cluster = open.back();
        open.pop_back();
        if (cluster < n) {
            leaves.push_back(cluster);
        } else {
            open.push_back(merges[cluster - n].right);
            open.push_back(merges[cluster - n].left);
        }
    }
    return leaves;
}

template <class T>
Clustering clusterAll(std::size_t instances, std::vector<T> distances, bool isComplete, Progress& progress,
                      TreeDevice* device) {
    if (instances == 0) throw UsageError("0 instances are to be clustered; expected at least one");
    checkCount("the distances", distances.size(), instances * (instances - 1) / 2,
               fmt::format("one for each pair of {} instances", instances));
    progress.begin("clustering", static_cast<double>(instances));
    replaceUnknown(distances);
    std::optional<std::vector<MergedPair>> onDevice;
    if (device != nullptr)
        onDevice = mergeOnDevice(*device, instances, std::span<const T>(distances), progress);
    std::vector<MergedPair> pairs;
    if (onDevice) {
        pairs = std::move(*onDevice);
    } else {
        ClusterDistances<T> clusters(instances, std::move(distances), isComplete);
        pairs = mergeAll(clusters, progress);
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const MergedPair& a, const MergedPair& b) { return a.height < b.height; });

    Clustering result;
    ClusterNames names(instances);
    std::vector<std::size_t> smallest(2 * instances - 1);
    std::iota(smallest.begin(), smallest.end(), std::size_t{0});
    const auto heightOf = [&](std::size_t cluster) {
        return cluster < instances ? 0 : result.merges[cluster - instances].height;
    };
    const auto sizeOf = [&](std::size_t cluster) {
        return cluster < instances ? 1 : result.merges[cluster - instances].size;
    };
    for (const MergedPair& pair : pairs) {
        std::size_t left = names.of(pair.a);
        std::size_t right = names.of(pair.b);
        if (std::pair(heightOf(right), smallest[right]) < std::pair(heightOf(left), smallest[left]))
            std::swap(left, right);
        const std::size_t made = instances + result.merges.size();
        smallest[made] = std::min(smallest[left], smallest[right]);
        result.merges.push_back({left, right, pair.height, sizeOf(left) + sizeOf(right)});
        names.join(left, right, made);
    }
    result.leaves = leavesInOrder(result.merges);
    return result;
}

}  // namespace

template <class T>
Clustering clusterByAverageLinkage(std::size_t instances, std::vector<T> distances, Progress& progress,
                                   TreeDevice* device) {
    return clusterAll(instances, std::move(distances), false, progress, device);
}

Clustering clusterByCompleteLinkage(std::size_t instances, std::vector<double> distances,
                                    Progress& progress) {
    return clusterAll(instances, std::move(distances), true, progress, nullptr);
}

template Clustering clusterByAverageLinkage(std::size_t, std::vector<float>, Progress&, TreeDevice*);
template Clustering clusterByAverageLinkage(std::size_t, std::vector<double>, Progress&, TreeDevice*);

double bytesBelowDiagonal(std::size_t instances) {
    const auto n = static_cast<double>(instances);
    return n * (n - 1) / 2 * sizeof(float);
}

std::vector<float> distancesBelowDiagonal(const pairs::PairStore& store, bool isSimilarity) {
    const std::size_t n = store.instances();
    requireHostMemory(fmt::format("clustering {} instances", n), bytesBelowDiagonal(n));
    std::vector<float> distances(n * (n - 1) / 2);
    constexpr std::size_t kRows = 64;
    Matrix<double> values(kRows, n);
    for (const Range rows : splitRange(n, kRows)) {
        throwIfCancellationRequested();
        store.readBlock(rows, {0, rows.end}, values.view().block(0, 0, rows.size(), rows.end));
        for (std::size_t i = rows.begin; i < rows.end; ++i) {
            const double* row = values.row(i - rows.begin);
            float* target = distances.data() + (i > 0 ? i * (i - 1) / 2 : 0);
            for (std::size_t j = 0; j < i; ++j)
                target[j] = static_cast<float>(isSimilarity ? 1 - row[j] : row[j]);
        }
    }
    return distances;
}

}  // namespace glycine::trees
