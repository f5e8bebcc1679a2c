#pragma once

#include <cstddef>
#include <string>

#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"
#include "engine/trees/tree.hpp"

/// Trees of distances as the commands choose their backend: `cpu` builds them on the host, `cuda` by the
/// kernels of tree_engine.hpp.
namespace glycine::trees {

/// Numbers of instances from which trees are built on a device that is at work; bench/cuda_trees_bench.cpp
/// times device and host. On an H100 neighbour joining takes 1.25 times as long as on the host for 1,000
/// instances, 0.82 times for 2,000 and 0.75 times for 5,000; average linkage 1.3 times for 500, 0.81 times
/// for 1,000 and 0.45 times for 5,000.
struct TreeSettings {
    std::size_t leastForJoining = 2000;
    std::size_t leastForLinkage = 1000;
    /// Number of instances from which a tree gains more than the start of a device takes: on an H100, trees
    /// of 5,000 instances gain the 0.2 to 0.3 s that the start of CUDA takes.
    std::size_t leastToStart = 10'000;

    std::size_t leastFor(TreeMethod method) const {
        return method == TreeMethod::Upgma ? leastForLinkage : leastForJoining;
    }
};

/// `tree` as AlgorithmRegistry describes it.
const Algorithm& treeAlgorithm();

/// Whether trees are built on `backend` by `variant`; empty and "default": its only one.
Support supportsTrees(const Backend& backend, const std::string& variant);
/// Why the host builds a tree of so many instances if no backend is named and no device is at work; empty:
/// the rule of chooseBackend decides.
std::string reasonForHost(std::size_t instances);
/// The variant that runs on a backend that supportsTrees accepts.
std::string treeVariantOn(const Backend& backend);

}  // namespace glycine::trees
