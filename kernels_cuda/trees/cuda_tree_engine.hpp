#pragma once

#include <cstddef>
#include <limits>
#include <memory>

#include "engine/trees/tree_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

/// Trees of distances on the device (engine/trees/tree_engine.hpp). In each round of neighbour joining, a
/// kernel searches the whole matrix, a second one finds the pairs that are equal but for rounding, and a
/// block updates distances and sums. Average linkage is one block that follows the nearest-neighbour chain.
namespace glycine::trees::cuda {

/// Instances from which trees are built on the device; bench/cuda_trees_bench.cpp times device and host. As
/// long as no GPU has been timed, the processor builds all of them. Overridden by tests.
struct TreeSettings {
    std::size_t leastForJoining = std::numeric_limits<std::size_t>::max();
    std::size_t leastForLinkage = std::numeric_limits<std::size_t>::max();
};

/// The backend must outlive the engine.
std::unique_ptr<TreeEngine> createTreeEngine(glycine::cuda::CudaBackend& backend,
                                             const TreeSettings& settings = {});

}  // namespace glycine::trees::cuda
