#include "engine/trees/device_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::trees {

namespace {

/// For recounts: the stage, and a cautious estimate of the host's seconds per distance that is read.
constexpr const char* kStage = "joins of the guide tree";
constexpr double kSecondsOfDistance = 4e-9;
/// Rounds and merges that are counted again, if time allows.
constexpr std::size_t kMostCounted = 8;
constexpr double kNoCriterion = std::numeric_limits<double>::infinity();

/// A leaf and its weight in the sums of distancesToAll().
struct WeightedLeaf {
    std::size_t leaf = 0;
    double weight = 1;
};
template <class T>
std::vector<double> distancesToAll(std::span<const WeightedLeaf> some, std::size_t instances,
                                   std::span<const T> distances) {
    std::vector<double> sums(instances, 0);
    for (const auto& [x, weight] : some) {
        for (std::size_t y = 0; y < x; ++y)
            sums[y] += weight * static_cast<double>(distances[x * (x - 1) / 2 + y]);
        for (std::size_t y = x + 1; y < instances; ++y)
            sums[y] += weight * static_cast<double>(distances[y * (y - 1) / 2 + x]);
    }
    return sums;
}

// ---- neighbour joining

class DeviceJoining {
  public:
    DeviceJoining(JoiningRounds& rounds, std::span<const double> distances, const JoiningSums& sums,
                  const NeighbourJoiningOptions& options, StageRecount* recount, Progress& progress)
        : rounds_(rounds),
          distances_(distances),
          isClustal_(options.roundsAsClustalW),
          recount_(recount != nullptr && recount->isWanted() ? recount : nullptr),
          progress_(progress),
          instances_(sums.all.size()),
          left_(instances_),
          tree_(instances_, options),
          names_(instances_),
          isPresent_(instances_, 1),
          // Sums are updated round by round, so that rounding is that of the first ones.
          sumsAllowed_(kAllowed * std::ranges::max(sums.all)),
          totalAllowed_(kAllowed * sums.total) {
        std::iota(names_.begin(), names_.end(), std::size_t{0});
    }

    Tree run() {
        std::vector<std::size_t> counted;
        if (recount_ != nullptr) {
            recount_->enter(kStage, "round", "joining rounds");
            counted = drawSamples(left_ - 3, kMostCounted, 1);
        }
        auto next = counted.begin();
        while (left_ > 3) {
            const std::size_t round = instances_ - left_;
            if (next != counted.end() && *next == round) {
                ++next;
                joinAndRecount();
            } else {
                constexpr std::size_t kAtOnce = 256;
                std::size_t count = std::min({kAtOnce, left_ - 3, left_ - leastOfPlaces() + 1});
                if (next != counted.end()) count = std::min(count, *next - round);
                std::vector<JoinedPair> found(count);
                rounds_.join(found);
                for (const JoinedPair& pair : found) take(pair);
            }
            if (left_ < leastOfPlaces() && left_ > 3) compact();
        }
        joinLast();
        return tree_.tree();
    }

  private:
    /// The relative tolerance: rounding of sums of means.
    static constexpr double kAllowed = 1e-9;
    /// Rows of a round that are counted again: those of pairs that are equal to the best, and another one.
    static constexpr std::size_t kMostRows = 4;

    /// With fewer clusters, places are compacted, so that searches read few empty ones.
    std::size_t leastOfPlaces() const { return (names_.size() * 3 + 3) / 4; }
    std::string roundName() const {
        return fmt::format("round {} of neighbour joining", instances_ - left_ + 1);
    }
    bool isPlace(std::size_t place) const { return place < names_.size() && isPresent_[place] != 0; }

    /// Checks a round that the device ran, and joins in the tree.
    void take(const JoinedPair& pair) {
        if (!(pair.low < pair.high && isPlace(pair.low) && isPlace(pair.high)))
            throw ImpossibleResultError(
                fmt::format("pair of {} is that of places {} and {}; expected two clusters", roundName(),
                            pair.low, pair.high));
        if (!std::isfinite(pair.distance) || !std::isfinite(pair.lowSum) || !std::isfinite(pair.highSum))
            throw ImpossibleResultError(fmt::format("distance or a sum of {} is not finite", roundName()));
        const auto others = static_cast<double>(left_ - 2);
        const auto meanOf = [&](double sum) {
            return isClustal_ ? (sum - pair.distance) / others : sum / others;
        };
        progress_.advance(2 * static_cast<double>(left_));
        tree_.join(names_[pair.low], names_[pair.high], pair.distance, meanOf(pair.lowSum),
                   meanOf(pair.highSum));
        isPresent_[pair.high] = 0;
        --left_;
    }

    void compact() {
        std::vector<std::uint32_t> kept;
        for (std::size_t place = 0; place < names_.size(); ++place)
            if (isPlace(place)) kept.push_back(static_cast<std::uint32_t>(place));
        rounds_.compact(kept);
        for (std::size_t k = 0; k < kept.size(); ++k) names_[k] = names_[kept[k]];
        names_.resize(kept.size());
        isPresent_.assign(kept.size(), 1);
    }

    void joinLast() {
        std::vector<std::size_t> places, names;
        for (std::size_t place = 0; place < names_.size(); ++place)
            if (isPlace(place)) {
                places.push_back(place);
                names.push_back(names_[place]);
            }
        const std::vector<double> second = rounds_.row(places[1]), third = rounds_.row(places[2]);
        const std::array<double, 3> between{second[places[0]], third[places[0]], third[places[1]]};
        const double each =
            static_cast<double>(instances_) * static_cast<double>(instances_) * kSecondsOfDistance;
        if (recount_ != nullptr && recount_->affordable(1, each, watch_.seconds()) > 0) {
            const Stopwatch watch;
            const std::vector<double> toFirst = meanDistances(places[0]), toSecond = meanDistances(places[1]);
            const std::array<double, 3> expected{toFirst[places[1]], toFirst[places[2]], toSecond[places[2]]};
            for (std::size_t k = 0; k < expected.size(); ++k)
                recount_->compare(between[k], expected[k], kAllowed * expected[k],
                                  [] { return std::string("distance of two of the last three clusters"); });
            recount_->add(1, watch.seconds());
        }
        for (const double distance : between)
            if (!std::isfinite(distance))
                throw ImpossibleResultError("distance of two of the last three clusters is not finite");
        tree_.joinLast(names, between);
    }

    // ---- recounts

    void joinAndRecount() {
        JoinedPair found;
        const double each = static_cast<double>(kMostRows) * static_cast<double>(instances_) *
                            static_cast<double>(instances_) / static_cast<double>(left_) * kSecondsOfDistance;
        if (recount_->affordable(1, each, watch_.seconds()) == 0) {
            rounds_.join({&found, 1});
            return take(found);
        }
        const JoiningSearch search = rounds_.search();
        const Stopwatch watch;
        const JoinedPair expected = choiceOf(search);
        const double distance = recountRows(search, expected.high).at(expected.low);
        const double counted = watch.seconds();
        rounds_.join({&found, 1});
        const auto compare = [&](double one, double other, const char* what) {
            recount_->compare(one, other, 0, [&] { return fmt::format("{} of {}", what, roundName()); });
        };
        compare(found.low, expected.low, "lower place");
        compare(found.high, expected.high, "higher place");
        compare(found.distance, distance, "distance");
        compare(found.lowSum, sumAt(search, expected.low), "sum at the lower place");
        compare(found.highSum, sumAt(search, expected.high), "sum at the higher place");
        take(found);
        recount_->add(1, counted);
    }

    /// The sum from which branches are computed.
    double sumAt(const JoiningSearch& search, std::size_t place) const {
        return isClustal_ ? search.sums.behind[place] + search.sums.before[place] : search.sums.all[place];
    }

    /// The pair to be joined, from the smallest criteria of all rows.
    JoinedPair choiceOf(const JoiningSearch& search) const {
        double least = kNoCriterion;
        for (std::size_t j = 1; j < names_.size(); ++j)
            if (isPlace(j)) least = std::min(least, search.ofRows[j]);
        recount_->compare(search.least, least, 0, [&] { return "smallest criterion of " + roundName(); });
        JoinedPair best;
        double rounded = kNoCriterion;
        for (std::size_t j = 1; j < names_.size(); ++j) {
            if (!isPlace(j) || !(search.ofRows[j] <= least + roundingOf(search.sums.total))) continue;
            const RowChoice& choice = search.choices[j];
            requireBelow(choice.column, j,
                         [&] { return fmt::format("column of row {} of {}", j, roundName()); });
            if (!(choice.rounded < rounded)) continue;
            rounded = choice.rounded;
            best = {choice.column, static_cast<std::uint32_t>(j)};
        }
        if (!isPlace(best.low) || best.high == 0)
            throw ImpossibleResultError(
                fmt::format("smallest criterion of {} is that of no pair", roundName()));
        return best;
    }

    /// Counts the chosen row again, and some others. Returns the chosen row's distances.
    std::vector<double> recountRows(const JoiningSearch& search, std::size_t chosen) {
        double sum = 0, clustal = 0;
        for (std::size_t place = 0; place < names_.size(); ++place) {
            sum += search.sums.all[place];
            if (isClustal_) clustal += search.sums.behind[place];
        }
        recount_->compare(search.sums.total, sum / 2, totalAllowed_,
                          [&] { return "sum of all distances of " + roundName(); });
        if (isClustal_)
            recount_->compare(search.clustalTotal, clustal, 0,
                              [&] { return "ClustalW's sum of all distances of " + roundName(); });
        const double least = search.least + roundingOf(search.sums.total);
        std::vector<std::size_t> others, rows;
        for (std::size_t j = 1; j < names_.size(); ++j)
            if (isPlace(j) && j != chosen) (search.ofRows[j] <= least ? rows : others).push_back(j);
        if (rows.size() > kMostRows - 2) rows.resize(kMostRows - 2);
        if (!others.empty()) rows.push_back(others[RandomSequence(left_).below(others.size())]);
        for (const std::size_t j : rows) recountRow(search, j, rounds_.row(j));
        std::vector<double> row = rounds_.row(chosen);
        recountRow(search, chosen, row);
        return row;
    }

    void recountRow(const JoiningSearch& search, std::size_t j, std::span<const double> row) {
        const std::vector<double> expected = meanDistances(j);
        const auto name = [&](const char* what) {
            return [this, what, j] {
                return fmt::format("{} of the cluster of instance {} in {}", what, names_[j] + 1,
                                   roundName());
            };
        };
        double sum = 0;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (i == j || !isPlace(i)) continue;
            sum += expected[i];
            if (i < j) recount_->compare(row[i], expected[i], kAllowed * expected[i], name("a distance"));
        }
        recount_->compare(search.sums.all[j], sum, sumsAllowed_, name("sum of distances"));
        recount_->compare(sumAt(search, j), sum, sumsAllowed_, name("sum of distances"));
        const auto others = static_cast<double>(left_ - 2);
        double least = kNoCriterion;
        const auto criterion = [&](std::size_t i) {
            return others * row[i] + (2 * search.sums.total - search.sums.all[j]) - search.sums.all[i];
        };
        for (std::size_t i = 0; i < j; ++i)
            if (isPlace(i)) least = std::min(least, criterion(i));
        recount_->compare(search.ofRows[j], least, 0, name("smallest criterion"));
        const double most = search.least + roundingOf(search.sums.total);
        if (!(least <= most)) return;
        RowChoice best{.rounded = kNoCriterion};
        for (std::size_t i = 0; i < j; ++i) {
            if (!isPlace(i) || !(criterion(i) <= most)) continue;
            const double rounded =
                isClustal_ ? others * row[i] + 2 * search.clustalTotal - sumAt(search, i) - sumAt(search, j)
                           : 0;
            if (rounded < best.rounded) best = {rounded, static_cast<std::uint32_t>(i)};
        }
        recount_->compare(search.choices[j].column, best.column, 0, name("nearest place"));
        recount_->compare(search.choices[j].rounded, best.rounded, 0, name("rounded criterion"));
    }

    /// The leaves of a cluster, with their shares in its distances: each joining takes the mean.
    std::vector<WeightedLeaf> leavesAt(std::size_t place) const {
        const Tree& tree = tree_.tree();
        std::vector<WeightedLeaf> open{{tree_.nodeOf(names_[place]), 1}}, leaves;
        while (!open.empty()) {
            const WeightedLeaf one = open.back();
            open.pop_back();
            if (tree.isLeaf(one.leaf))
                leaves.push_back(one);
            else
                for (const std::size_t child : tree.nodes[one.leaf].children)
                    open.push_back({child, one.weight / 2});
        }
        return leaves;
    }

    /// Distances of a cluster to all others by their places, computed from the distances of the instances.
    std::vector<double> meanDistances(std::size_t place) const {
        const std::vector<double> toLeaves = distancesToAll<double>(leavesAt(place), instances_, distances_);
        std::vector<double> found(names_.size(), 0);
        for (std::size_t other = 0; other < names_.size(); ++other)
            if (other != place && isPlace(other))
                for (const auto& [leaf, weight] : leavesAt(other)) found[other] += weight * toLeaves[leaf];
        return found;
    }

    JoiningRounds& rounds_;
    std::span<const double> distances_;
    bool isClustal_;
    StageRecount* recount_;
    Progress& progress_;
    std::size_t instances_, left_;
    JoinedTree tree_;
    std::vector<std::size_t> names_;  ///< smallest instances, one per place
    std::vector<char> isPresent_;
    double sumsAllowed_, totalAllowed_;
    Stopwatch watch_;
};

// ---- average linkage

/// Checks the merges that a device makes.
template <class T>
class DeviceLinkage {
  public:
    DeviceLinkage(LinkageMerges& merges, std::size_t instances, std::span<const T> distances,
                  StageRecount* recount, Progress& progress)
        : merges_(merges),
          distances_(distances),
          instances_(instances),
          recount_(recount != nullptr && recount->isWanted() ? recount : nullptr),
          progress_(progress),
          members_(instances),
          depths_(instances, 0) {
        for (std::size_t k = 0; k < instances; ++k) members_[k] = {{k, 1}};
        for (const T distance : distances)
            largest_ = std::max(largest_, std::abs(static_cast<double>(distance)));
    }

    std::vector<MergedPair> run() {
        std::vector<MergedPair> pairs(instances_ - 1);
        std::vector<std::size_t> counted;
        if (recount_ != nullptr) {
            recount_->enter(kStage, "merge", "linkage merges");
            counted = drawSamples(pairs.size(), kMostCounted, 1);
        }
        auto next = counted.begin();
        constexpr std::size_t kAtOnce = 512;
        for (std::size_t begin = 0; begin < pairs.size(); begin += kAtOnce) {
            const std::size_t count = std::min(kAtOnce, pairs.size() - begin);
            merges_.merge({pairs.data() + begin, count});
            for (std::size_t k = begin; k < begin + count; ++k) {
                checkPair(pairs[k], k);
                if (next != counted.end() && *next == k) {
                    ++next;
                    recountMerge(pairs[k], k);
                }
                merge(pairs[k]);
                progress_.advance(1);
            }
        }
        return pairs;
    }

  private:
    static std::string nameOf(std::size_t number) {
        return fmt::format("merge {} of the clusters", number + 1);
    }
    bool isCluster(std::size_t name) const { return name < instances_ && !members_[name].empty(); }

    void checkPair(const MergedPair& pair, std::size_t number) const {
        if (pair.a == pair.b || !isCluster(pair.a) || !isCluster(pair.b))
            throw ImpossibleResultError(fmt::format("pair of {} is that of {} and {}; expected two clusters",
                                                    nameOf(number), pair.a, pair.b));
        if (!std::isfinite(pair.height))
            throw ImpossibleResultError(fmt::format("height of {} is not finite", nameOf(number)));
    }

    void merge(const MergedPair& pair) {
        std::vector<WeightedLeaf>&kept = members_[std::min(pair.a, pair.b)],
        &gone = members_[std::max(pair.a, pair.b)];
        if (kept.size() < gone.size()) std::swap(kept, gone);
        kept.insert(kept.end(), gone.begin(), gone.end());
        gone = {};
        std::size_t& depth = depths_[std::min(pair.a, pair.b)];
        depth = std::max(depths_[pair.a], depths_[pair.b]) + 1;
        deepest_ = std::max(deepest_, depth);
    }

    /// The clusters must be as far from each other as the mean of their instances, and no other may be nearer
    /// to either.
    void recountMerge(const MergedPair& pair, std::size_t number) {
        const double read = static_cast<double>(members_[pair.a].size() + members_[pair.b].size()) *
                            static_cast<double>(instances_);
        if (recount_->affordable(1, read * kSecondsOfDistance, watch_.seconds()) == 0) return;
        const Stopwatch watch;
        // Each merge rounds once, and a cluster's distances are means of means of both clusters' merges.
        const double allowed = static_cast<double>(2 * deepest_ + 2) *
                               static_cast<double>(std::numeric_limits<T>::epsilon()) * largest_;
        for (const auto& [one, other] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
            const std::vector<double> sums = distancesToAll<T>(members_[one], instances_, distances_);
            double nearest = pair.height;
            for (std::size_t cluster = 0; cluster < instances_; ++cluster) {
                if (cluster == one || !isCluster(cluster)) continue;
                double sum = 0;
                for (const WeightedLeaf& leaf : members_[cluster]) sum += sums[leaf.leaf];
                const double mean = sum / (static_cast<double>(members_[one].size()) *
                                           static_cast<double>(members_[cluster].size()));
                if (cluster == other)
                    recount_->compare(pair.height, mean, allowed,
                                      [&] { return "height of " + nameOf(number); });
                nearest = std::min(nearest, mean);
            }
            recount_->compare(pair.height, nearest, allowed,
                              [&] { return "distance to the nearest cluster in " + nameOf(number); });
        }
        recount_->add(1, watch.seconds());
    }

    LinkageMerges& merges_;
    std::span<const T> distances_;
    std::size_t instances_;
    StageRecount* recount_;
    Progress& progress_;
    std::vector<std::vector<WeightedLeaf>> members_;  ///< one list per cluster; empty: there is none
    std::vector<std::size_t> depths_;                 ///< merges above a cluster's deepest instance
    std::size_t deepest_ = 0;
    double largest_ = 0;
    Stopwatch watch_;
};

}  // namespace

std::optional<Tree> joinOnDevice(TreeDevice& device, std::size_t instances, std::span<const double> distances,
                                 const NeighbourJoiningOptions& options, Progress& progress) {
    TreeEngine* const engine = device.engineFor(TreeMethod::NeighbourJoining, instances);
    if (engine == nullptr) return std::nullopt;
    // Then criteria are finite, and the host's bounds as exact as they need to be.
    const auto n = static_cast<double>(instances);
    const double most = std::numeric_limits<double>::max() / (8 * n * n);
    if (!std::ranges::all_of(distances, [&](double distance) { return distance >= 0 && distance <= most; })) {
        device.leaveToHost(kTreeOfUnusualDistances);
        return std::nullopt;
    }
    const JoiningSums sums = joiningSumsOf(instances, distances, options.roundsAsClustalW);
    const std::unique_ptr<JoiningRounds> rounds = engine->startJoining(distances, sums);
    if (!rounds) {
        device.leaveToHost(kNoRoomForTree);
        return std::nullopt;
    }
    return namingDevice(device.backend(), [&] {
        return DeviceJoining(*rounds, distances, sums, options, device.recount(), progress).run();
    });
}

template <class T>
std::optional<std::vector<MergedPair>> mergeOnDevice(TreeDevice& device, std::size_t instances,
                                                     std::span<const T> distances, Progress& progress) {
    TreeEngine* const engine = device.engineFor(TreeMethod::Upgma, instances);
    if (engine == nullptr) return std::nullopt;
    if (!std::ranges::all_of(distances, [](T distance) { return std::isfinite(distance); })) {
        device.leaveToHost(kTreeOfUnusualDistances);
        return std::nullopt;
    }
    const std::unique_ptr<LinkageMerges> merges = engine->startLinkage(instances, distances);
    if (!merges) {
        device.leaveToHost(kNoRoomForTree);
        return std::nullopt;
    }
    return namingDevice(device.backend(), [&] {
        return DeviceLinkage<T>(*merges, instances, distances, device.recount(), progress).run();
    });
}
template std::optional<std::vector<MergedPair>> mergeOnDevice(TreeDevice&, std::size_t,
                                                              std::span<const float>, Progress&);
template std::optional<std::vector<MergedPair>> mergeOnDevice(TreeDevice&, std::size_t,
                                                              std::span<const double>, Progress&);

// ---- backends

ImplementationList<TreeEngine>& TreeEngine::implementations() {
    static ImplementationList<TreeEngine> all;
    return all;
}

TreeDevice::TreeDevice(Backend& backend, StageRecount* recount) : backend_(backend), recount_(recount) {
    if (const Implementation<TreeEngine>* const found = findImplementation<TreeEngine>(backend))
        engine_ = found->create(backend);
}

TreeEngine* TreeDevice::engineFor(TreeMethod method, std::size_t instances) {
    // The last three clusters need no round.
    constexpr std::size_t kLeast = 4;
    const std::size_t least =
        !engine_ || takesSmall_ ? kLeast : std::max(kLeast, engine_->leastInstances(method));
    reason_ = !engine_ ? kNoTreeKernels : instances < least ? kSmallTree : std::string_view();
    return reason_.empty() ? engine_.get() : nullptr;
}

}  // namespace glycine::trees
