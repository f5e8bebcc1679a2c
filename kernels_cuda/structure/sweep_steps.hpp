#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels_cuda/structure/fold_kernels.hpp"

namespace glycine::cuda {

/// The bodies of a tree in steps of kBodiesOfStep, each in a later step than its parent; kNoBody fills gaps.
/// Bodies with the longest path below them come first, so that side chains fill the steps of the backbone.
/// `parent`: of each body, an earlier one; -1: a root.
inline std::vector<std::uint32_t> sweepSteps(const std::vector<std::int32_t>& parent) {
    const std::size_t count = parent.size();
    std::vector<unsigned> height(count);
    std::vector<std::vector<std::uint32_t>> children(count);
    std::vector<std::uint32_t> ready, steps;
    for (std::size_t b = count; b-- > 0;) {
        if (parent[b] < 0) {
            ready.push_back(static_cast<std::uint32_t>(b));
            continue;
        }
        const auto above = static_cast<std::size_t>(parent[b]);
        height[above] = std::max(height[above], height[b] + 1);
        children[above].push_back(static_cast<std::uint32_t>(b));
    }
    while (!ready.empty()) {
        std::stable_sort(ready.begin(), ready.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return height[a] > height[b]; });
        const std::size_t taken = std::min<std::size_t>(ready.size(), kBodiesOfStep);
        std::vector<std::uint32_t> next(ready.begin() + static_cast<std::ptrdiff_t>(taken), ready.end());
        for (std::size_t k = 0; k < kBodiesOfStep; ++k) {
            steps.push_back(k < taken ? ready[k] : kNoBody);
            if (k < taken) next.insert(next.end(), children[ready[k]].begin(), children[ready[k]].end());
        }
        ready = std::move(next);
    }
    return steps;
}

}  // namespace glycine::cuda
