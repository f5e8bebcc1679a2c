#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/bounds/device_comparison.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/backend_module.hpp"
#include "engine/core/device_arrays.hpp"
#include "engine/crossapen/delayed_matches.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"
#include "engine/pairs/device_store.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/structure/energy_engine.hpp"
#include "engine/trees/tree_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/printed_kernels.hpp"

namespace glycine::cuda {

namespace {

void registerAll() {
    BackendRegistry::instance().add({.name = "cuda",
                                     .summary = {},
                                     .create = &CudaBackend::make,
                                     .listDevices = listDevices,
                                     .wake = wakeDevice});
    compiledKernels()["cuda"] = printedKernels;
    addImplementation(deviceArrays());
    addImplementation(pairs::cuda::deviceStores());
    addImplementation(pairwise::cuda::pairwiseEngine());
    addImplementation(align::cuda::posteriorEngine());
    addImplementation(align::cuda::profilePaths());
    addImplementation(bounds::cuda::smoothingEngine());
    addImplementation(bounds::cuda::matrixUser());
    addImplementation(crossapen::withDelay(crossapen::cuda::matchEngine()));
    addImplementation(crossapen::cuda::membershipEngine());
    addImplementation(crossapen::cuda::patternEngine());
    addImplementation(distance::cuda::engine());
    addImplementation(mutualinfo::cuda::engine());
    addImplementation(mutualinfo::cuda::correlationEngine(), mutualinfo::correlationEngines());
    addImplementation(mutualinfo::cuda::pathEngine());
    addImplementation(mutualinfo::cuda::selectionEngine());
    addImplementation(structure::cuda::energy());
    addImplementation(trees::cuda::treeEngine());
}

}  // namespace

}  // namespace glycine::cuda

GLYCINE_BACKEND_MODULE(cuda, glycine::cuda::registerAll);
