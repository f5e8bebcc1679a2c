#include "kernels_cuda/crossapen/batch_plan.hpp"

#include <algorithm>

namespace glycine::crossapen::cuda {

namespace {

/// Bytes of a slot: enough to keep the device busy for longer than launches and waiting take.
constexpr std::size_t kSlotBytes = std::size_t{16} << 20;

}  // namespace

BatchPlan planBatches(const BatchDemand& demand, std::size_t epochs, std::size_t mostEpochs,
                      std::size_t available) {
    const auto slotsFor = [&](std::size_t ofBatch) { return ofBatch < epochs ? std::size_t{2} : 1; };
    const auto fits = [&](std::size_t ofBatch, std::size_t slots) {
        return slots * demand.ofSlot(ofBatch) + demand.ofTables(ofBatch) <= available;
    };
    std::size_t low = 0;
    std::size_t high = std::min(epochs, mostEpochs);  // the largest that may do
    while (low < high) {
        const std::size_t middle = high - (high - low) / 2;
        const bool isSmall = middle == 1 || demand.ofSlot(middle) <= kSlotBytes;
        if (isSmall && fits(middle, slotsFor(middle)))
            low = middle;
        else
            high = middle - 1;
    }
    BatchPlan plan;
    if (low == 0) {
        // One epoch after the other, if two are too many.
        plan.needed = demand.ofSlot(1) + demand.ofTables(1);
        plan.epochs = plan.needed <= available ? 1 : 0;
        return plan;
    }
    const std::size_t batches = (epochs + low - 1) / low;
    plan.epochs = (epochs + batches - 1) / batches;
    plan.slots = std::min<std::size_t>(batches, 2);
    return plan;
}

}  // namespace glycine::crossapen::cuda
