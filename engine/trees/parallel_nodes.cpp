#include "engine/trees/parallel_nodes.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/core/parallel.hpp"

namespace glycine::trees {

namespace {

/// Inner nodes of a tree, each handed out when both children are done.
class ReadyNodes {
  public:
    explicit ReadyNodes(const Tree& tree) : tree_(tree), waiting_(tree.nodes.size(), 2) {
        left_ = tree.nodes.size() - tree.leaves;
        for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) enter(leaf);
        std::ranges::reverse(ready_);
    }

    /// Waits for one; kNoNode: all are done, or one of the threads has stopped.
    std::size_t take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !ready_.empty() || left_ == 0 || isStopped_; });
        if (isStopped_ || ready_.empty()) return kNoNode;
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
        if (parent != kNoNode && --waiting_[parent] == 0) ready_.push_back(parent);
    }

    const Tree& tree_;
    std::vector<std::uint8_t> waiting_;  ///< of each node, children that are not done
    std::vector<std::size_t> ready_;
    std::size_t left_;
    bool isStopped_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

}  // namespace

void forInnerNodes(const Tree& tree, int threads, const std::function<void(std::size_t, std::size_t)>& body) {
    ReadyNodes nodes(tree);
    parallelFor(threads, static_cast<std::size_t>(threads), [&](std::size_t index, std::size_t) {
        try {
            for (std::size_t node = nodes.take(); node != kNoNode; node = nodes.take()) {
                body(node, index);
                nodes.finish(node);
            }
        } catch (...) {
            nodes.stop();
            throw;
        }
    });
}

std::vector<std::vector<std::size_t>> innerNodesByRounds(const Tree& tree) {
    std::vector<std::size_t> round(tree.nodes.size(), 0);
    std::vector<std::vector<std::size_t>> rounds;
    for (const std::size_t node : postorder(tree)) {
        if (tree.isLeaf(node)) continue;
        for (const std::size_t child : tree.nodes[node].children)
            round[node] = std::max(round[node], round[child] + 1);
        if (rounds.size() < round[node]) rounds.resize(round[node]);
        rounds[round[node] - 1].push_back(node);
    }
    return rounds;
}

}  // namespace glycine::trees
