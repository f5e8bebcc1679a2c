#pragma once

#include <cstddef>
#include <functional>

namespace glycine::crossapen::cuda {

/// How the epochs of a run are cut into batches.
struct BatchPlan {
    std::size_t epochs = 0;  ///< of a batch; 0: not even one fits the device
    std::size_t slots = 1;   ///< batches that are on the device at a time: one is worked on, one travels
    std::size_t needed = 0;  ///< epochs = 0: bytes that would do
};

/// What a batch of some epochs takes, in bytes.
struct BatchDemand {
    std::function<std::size_t(std::size_t epochs)> ofSlot;    ///< device memory of signals and results
    std::function<std::size_t(std::size_t epochs)> ofTables;  ///< what all slots share
};

/// Batches of about equal size, small enough that transfers hide behind the kernels, within `available` bytes
/// and `mostEpochs` ≥ 1 epochs. `epochs` ≥ 1: of the whole run.
BatchPlan planBatches(const BatchDemand& demand, std::size_t epochs, std::size_t mostEpochs,
                      std::size_t available);

}  // namespace glycine::crossapen::cuda
