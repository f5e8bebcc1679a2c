#include "engine/pairs/clusters.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace glycine::pairs {

namespace {

/// Disjoint sets of instances (union-find).
class Groups {
  public:
    explicit Groups(std::size_t instances) : parents_(instances) {
        std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    }
    /// The smallest instance of the group.
    std::size_t of(std::size_t instance) {
        while (parents_[instance] != instance) {
            parents_[instance] = parents_[parents_[instance]];
            instance = parents_[instance];
        }
        return instance;
    }
    /// Returns whether they were in different groups.
    bool join(std::size_t a, std::size_t b) {
        a = of(a);
        b = of(b);
        parents_[std::max(a, b)] = std::min(a, b);
        return a != b;
    }
    /// The members of each group, ascending, indexed by its smallest instance; all other entries are empty.
    std::vector<std::vector<std::size_t>> members() {
        std::vector<std::vector<std::size_t>> groups(parents_.size());
        for (std::size_t i = 0; i < parents_.size(); ++i) groups[of(i)].push_back(i);
        return groups;
    }

  private:
    std::vector<std::size_t> parents_;
};

/// Joins the members that the clustering merges at heights up to `within`.
void joinWithin(const trees::Clustering& clustering, std::span<const std::size_t> members, double within,
                Groups& groups) {
    std::vector<std::size_t> one(members.begin(), members.end());  // one instance per cluster
    for (const trees::Merge& merge : clustering.merges) {
        if (merge.height <= within) groups.join(one[merge.left], one[merge.right]);
        one.push_back(one[merge.left]);
    }
}

Clusters numbered(Groups& groups, std::size_t instances) {
    std::vector<std::vector<std::size_t>> members = groups.members();
    std::erase_if(members, [](const auto& group) { return group.empty(); });
    std::ranges::stable_sort(members, std::greater(), [](const auto& group) { return group.size(); });
    Clusters clusters{std::vector<std::size_t>(instances), {}};
    for (const std::vector<std::size_t>& group : members) {
        for (const std::size_t instance : group) clusters.of[instance] = clusters.sizes.size();
        clusters.sizes.push_back(group.size());
    }
    return clusters;
}

}  // namespace

std::size_t Clusters::linked() const {
    return static_cast<std::size_t>(std::ranges::count_if(sizes, [](std::size_t size) { return size > 1; }));
}

Clusters clustersWithin(std::size_t instances, std::span<const ClosePair> pairs, double within,
                        trees::Linkage linkage, Progress& progress) {
    using trees::Linkage;
    // No linkage except average joins groups that single linkage keeps apart.
    Groups near(instances);
    for (const ClosePair& pair : pairs)
        if (pair.value <= within || linkage == Linkage::Average) near.join(pair.row, pair.column);
    if (linkage == Linkage::Single) return numbered(near, instances);

    const std::vector<std::vector<std::size_t>> members = near.members();
    std::vector<std::size_t> place(instances);  // within its group
    std::vector<std::vector<double>> distances(instances);
    for (std::size_t group = 0; group < instances; ++group) {
        const std::size_t size = members[group].size();
        for (std::size_t k = 0; k < size; ++k) place[members[group][k]] = k;
        if (size > 1)
            distances[group].assign(size * (size - 1) / 2, linkage == Linkage::Complete
                                                               ? std::numeric_limits<double>::infinity()
                                                               : std::numeric_limits<double>::quiet_NaN());
    }
    for (const ClosePair& pair : pairs) {
        const std::size_t row = place[pair.row];
        if (linkage == Linkage::Average || pair.value <= within)
            distances[near.of(pair.row)][row * (row - 1) / 2 + place[pair.column]] = pair.value;
    }
    Groups groups(instances);
    for (std::size_t group = 0; group < instances; ++group) {
        if (members[group].size() < 2) continue;
        std::vector<double>& own = distances[group];
        joinWithin(linkage == Linkage::Complete
                       ? trees::clusterByCompleteLinkage(members[group].size(), std::move(own), progress)
                       : trees::clusterByAverageLinkage(members[group].size(), std::move(own), progress),
                   members[group], within, groups);
    }
    return numbered(groups, instances);
}

std::vector<ClosePair> spanningPairs(const Clusters& clusters, std::span<const ClosePair> pairs) {
    std::vector<ClosePair> inside;
    std::ranges::copy_if(pairs, std::back_inserter(inside), [&](const ClosePair& pair) {
        return clusters.of[pair.row] == clusters.of[pair.column];
    });
    std::ranges::sort(inside, {},
                      [](const ClosePair& pair) { return std::tuple(pair.value, pair.row, pair.column); });
    Groups groups(clusters.of.size());
    std::erase_if(inside, [&](const ClosePair& pair) { return !groups.join(pair.row, pair.column); });
    return inside;
}

}  // namespace glycine::pairs
