#include "kernels_cuda/crossapen/batch_plan.hpp"

#include <algorithm>

#include "engine/core/host_memory.hpp"

namespace glycine::crossapen::cuda {

namespace {

/// Bytes of a slot: enough to keep the device busy for longer than launches and waiting take.
constexpr std::size_t kSlotBytes = std::size_t{16} << 20;

}  // namespace

BatchPlan planBatches(const BatchDemand& demand, std::size_t epochs, std::size_t mostEpochs,
                      std::size_t available) {
    const auto slotsFor = [&](std::size_t ofBatch) { return ofBatch < epochs ? std::size_t{2} : 1; };
    const std::size_t most = largestFitting(std::min(epochs, mostEpochs), [&](std::size_t ofBatch) {
        const bool isSmall = ofBatch == 1 || demand.ofSlot(ofBatch) <= kSlotBytes;
        return isSmall && slotsFor(ofBatch) * demand.ofSlot(ofBatch) + demand.ofTables(ofBatch) <= available;
    });
    BatchPlan plan;
    if (most == 0) {
        // One epoch after the other, if two are too many.
        plan.needed = demand.ofSlot(1) + demand.ofTables(1);
        plan.epochs = plan.needed <= available ? 1 : 0;
        return plan;
    }
    const std::size_t batches = (epochs + most - 1) / most;
    plan.epochs = (epochs + batches - 1) / batches;
    plan.slots = std::min<std::size_t>(batches, 2);
    return plan;
}

}  // namespace glycine::crossapen::cuda
