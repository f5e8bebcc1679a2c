#pragma once

#include <memory>

#include "engine/trees/tree_algorithm.hpp"
#include "engine/trees/tree_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

/// Trees of distances on the device (engine/trees/tree_engine.hpp). In each round of neighbour joining, a
/// kernel searches the whole matrix, a second one finds the pairs that are equal but for rounding, and a
/// block updates distances and sums. Average linkage is one block that follows the nearest-neighbour chain.
namespace glycine::trees::cuda {

/// The backend must outlive the engine. Tests override the settings.
std::unique_ptr<TreeEngine> createTreeEngine(glycine::cuda::CudaBackend& backend,
                                             const TreeSettings& settings = {});

}  // namespace glycine::trees::cuda
