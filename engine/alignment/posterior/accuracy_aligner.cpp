#include "engine/alignment/posterior/accuracy_aligner.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/alignment/gap_split.hpp"
#include "engine/core/random.hpp"
#include "engine/trees/parallel_nodes.hpp"

namespace glycine::align {

AccuracyAligner::AccuracyAligner(const Sequences& sequences, GroupJoins& joins,
                                 std::span<const double> weights)
    : sequences_(sequences), joins_(joins), weights_(weights) {
    for (const auto& codes : sequences.codes) {
        columns_.emplace_back(codes.size());
        std::iota(columns_.back().begin(), columns_.back().end(), 0U);
    }
}

std::size_t AccuracyAligner::join(const GroupJoin& groups, const ColumnChain& chain) {
    // Between pairs of columns, those of the first group stand before those of the second.
    std::vector<std::uint32_t> places[2];
    std::uint32_t place = 0;
    const auto advanceTo = [&](std::size_t i, std::size_t j) {
        while (places[0].size() < i) places[0].push_back(place++);
        while (places[1].size() < j) places[1].push_back(place++);
    };
    for (const auto& [i, j] : chain) {
        advanceTo(i, j);
        places[0].push_back(place);
        places[1].push_back(place++);
    }
    advanceTo(groups.firstWidth, groups.secondWidth);
    for (const std::size_t x : groups.first)
        for (std::uint32_t& column : columns_[x]) column = places[0][column];
    for (const std::size_t y : groups.second)
        for (std::uint32_t& column : columns_[y]) column = places[1][column];
    return place;
}

void AccuracyAligner::alignAlong(const trees::Tree& tree, Progress& progress) {
    struct Group {
        std::vector<std::size_t> sequences;
        std::size_t width = 0;
    };
    std::vector<Group> groups(tree.nodes.size());
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf)
        groups[leaf] = {{leaf}, sequences_.codes[leaf].size()};
    progress.begin("progressive alignment", static_cast<double>(tree.leaves));
    for (const std::vector<std::size_t>& nodes : trees::innerNodesByRounds(tree)) {
        std::vector<GroupJoin> joins;
        for (const std::size_t node : nodes) {
            const Group &left = groups[tree.nodes[node].children[0]],
                        &right = groups[tree.nodes[node].children[1]];
            joins.push_back({left.sequences, right.sequences, left.width, right.width});
        }
        const std::vector<ColumnChain> chains = joins_.heaviestChains(joins, columns_, progress);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            Group& here = groups[nodes[k]];
            here.width = join(joins[k], chains[k]);
            const std::vector<std::size_t>& children = tree.nodes[nodes[k]].children;
            here.sequences = std::move(groups[children[0]].sequences);
            const std::vector<std::size_t>& right = groups[children[1]].sequences;
            here.sequences.insert(here.sequences.end(), right.begin(), right.end());
        }
        progress.advance(static_cast<double>(nodes.size()));
    }
    order_ = groups[tree.root].sequences;
    width_ = groups[tree.root].width;
}

std::size_t AccuracyAligner::compact(std::span<const std::size_t> group) {
    std::vector<std::uint32_t> places(width_, 0);
    for (const std::size_t x : group)
        for (const std::uint32_t column : columns_[x]) places[column] = 1;
    std::uint32_t count = 0;
    for (std::uint32_t& place : places) {
        const std::uint32_t here = count;
        count += place;
        place = here;
    }
    for (const std::size_t x : group)
        for (std::uint32_t& column : columns_[x]) column = places[column];
    return count;
}

void AccuracyAligner::refine(std::size_t times, std::uint64_t seed, Progress& progress) {
    progress.begin("refinement", static_cast<double>(times));
    RandomSequence random(seed);
    for (std::size_t turn = 0; turn < times; ++turn) {
        progress.advance(1);
        const GapSplit split = splitAtGap(order_, columns_, width_, random);
        if (split.without.empty()) continue;
        const GroupJoin groups{split.with, split.without, compact(split.with), compact(split.without)};
        width_ = join(groups, joins_.heaviestChains({&groups, 1}, columns_, progress).front());
    }
}

std::vector<double> AccuracyAligner::confidences(Progress& progress) const {
    std::vector<double> weights(width_, 0), squares(width_, 0);
    for (std::size_t x = 0; x < columns_.size(); ++x)
        for (const std::uint32_t column : columns_[x]) {
            weights[column] += weights_[x];
            squares[column] += weights_[x] * weights_[x];
        }
    std::vector<double> confidences = joins_.sumsWithin(columns_, width_, progress);
    for (std::size_t column = 0; column < width_; ++column) {
        const double most = (weights[column] * weights[column] - squares[column]) / 2;
        confidences[column] = most > 0 ? std::min(confidences[column] / most, 1.0) : 0;
    }
    return confidences;
}

}  // namespace glycine::align
