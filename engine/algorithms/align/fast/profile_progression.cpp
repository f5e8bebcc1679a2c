#include "engine/algorithms/align/fast/profile_progression.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <utility>

#include "engine/core/parallel.hpp"

namespace glycine::align {

namespace {

/// Inner nodes of a tree, each handed out when both children are done.
class ReadyNodes {
  public:
    explicit ReadyNodes(const trees::Tree& tree) : tree_(tree), waiting_(tree.nodes.size(), 2) {
        left_ = tree.nodes.size() - tree.leaves;
        for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) enter(leaf);
        std::ranges::reverse(ready_);
    }

    /// Waits for one; kNoNode: all are done, or one of the threads has stopped.
    std::size_t take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !ready_.empty() || left_ == 0 || isStopped_; });
        if (isStopped_ || ready_.empty()) return trees::kNoNode;
        const std::size_t node = ready_.back();
        ready_.pop_back();
        return node;
    }
    void finish(std::size_t node) {
        const std::lock_guard lock(mutex_);
        --left_;
        enter(node);
        changed_.notify_all();
    }
    void stop() {
        const std::lock_guard lock(mutex_);
        isStopped_ = true;
        changed_.notify_all();
    }

  private:
    void enter(std::size_t done) {
        const std::size_t parent = tree_.nodes[done].parent;
        if (parent != trees::kNoNode && --waiting_[parent] == 0) ready_.push_back(parent);
    }

    const trees::Tree& tree_;
    std::vector<std::uint8_t> waiting_;  ///< of each node, children that are not done
    std::vector<std::size_t> ready_;
    std::size_t left_;
    bool isStopped_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

/// Of each column of one of the groups, the column of the alignment that `places` gives for those of the
/// join.
std::vector<std::uint32_t> placesBelow(std::span<const JoinStep> steps,
                                       const std::vector<std::uint32_t>& places, JoinStep other) {
    std::vector<std::uint32_t> below;
    for (std::size_t column = 0; column < steps.size(); ++column)
        if (steps[column] != other) below.push_back(places[column]);
    return below;
}

}  // namespace

JoinedSequences joinAlong(const trees::Tree& tree, const Sequences& sequences,
                          std::span<const double> weights, const ProfileJoiner& joiner, Progress& progress) {
    JoinedSequences result;
    std::atomic<std::size_t> repeated{0};
    std::vector<std::vector<JoinStep>> steps(tree.nodes.size());
    const int threads = omp_get_max_threads();
    progress.begin("progressive alignment", static_cast<double>(tree.leaves - 1));
    {
        std::vector<ColumnProfile> profiles(tree.nodes.size());
        ReadyNodes nodes(tree);
        const auto takeProfile = [&](std::size_t node) {
            return tree.isLeaf(node) ? joiner.profileOf(sequences.codes[node], weights[node])
                                     : std::exchange(profiles[node], {});
        };
        parallelFor(threads, static_cast<std::size_t>(threads), [&](std::size_t, std::size_t) {
            try {
                ProfileJoiner::Memory memory;
                for (std::size_t node = nodes.take(); node != trees::kNoNode; node = nodes.take()) {
                    const std::vector<std::size_t>& children = tree.nodes[node].children;
                    const ColumnProfile first = takeProfile(children[0]);
                    const ColumnProfile second = takeProfile(children[1]);
                    ProfileJoin found = joiner.join(first, second, memory);
                    if (found.isRepeated) ++repeated;
                    steps[node] = std::move(found.steps);
                    if (node != tree.root) profiles[node] = joined(first, second, steps[node]);
                    progress.advance(1);
                    nodes.finish(node);
                }
            } catch (...) {
                nodes.stop();
                throw;
            }
        });
    }
    result.repeated = repeated;
    result.width = steps[tree.root].size();
    result.columns.resize(tree.leaves);
    for (const std::size_t node : postorder(tree))
        if (tree.isLeaf(node)) result.order.push_back(node);
    struct Open {
        std::size_t node;
        std::vector<std::uint32_t> places;
    };
    std::vector<Open> open(1);
    open[0].node = tree.root;
    open[0].places.resize(result.width);
    std::iota(open[0].places.begin(), open[0].places.end(), 0U);
    while (!open.empty()) {
        Open here = std::move(open.back());
        open.pop_back();
        if (tree.isLeaf(here.node)) {
            result.columns[here.node] = std::move(here.places);
            continue;
        }
        const std::vector<std::size_t>& children = tree.nodes[here.node].children;
        const auto& path = steps[here.node];
        open.push_back({children[0], placesBelow(path, here.places, JoinStep::Second)});
        open.push_back({children[1], placesBelow(path, here.places, JoinStep::First)});
        steps[here.node] = {};
    }
    return result;
}

}  // namespace glycine::align
