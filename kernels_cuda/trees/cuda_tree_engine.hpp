#pragma once

#include <cstddef>
#include <memory>

#include "engine/trees/tree_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

/// Trees of distances on the device (engine/trees/tree_engine.hpp). In each round of neighbour joining, a
/// kernel searches the whole matrix, a second one finds the pairs that are equal but for rounding, and a
/// block updates distances and sums. Average linkage is one block that follows the nearest-neighbour chain.
namespace glycine::trees::cuda {

/// Instances from which trees are built on the device; bench/cuda_trees_bench.cpp times device and host. On
/// an H100 neighbour joining takes 1.25 times as long as on the host for 1,000 instances, 0.82 times for
/// 2,000 and 0.75 times for 5,000; average linkage 1.3 times for 500, 0.81 times for 1,000 and 0.45 times for
/// 5,000.
struct TreeSettings {
    std::size_t leastForJoining = 2000;
    std::size_t leastForLinkage = 1000;
};

/// The backend must outlive the engine.
std::unique_ptr<TreeEngine> createTreeEngine(glycine::cuda::CudaBackend& backend,
                                             const TreeSettings& settings = {});

}  // namespace glycine::trees::cuda
