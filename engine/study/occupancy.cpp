#include "engine/study/occupancy.hpp"

#include <algorithm>

namespace glycine::study {

double occupancyOf(const MultiprocessorLimits& limits, const KernelShape& kernel) {
    const auto roundedUp = [](int value, int unit) { return (value + unit - 1) / unit * unit; };
    constexpr int kWarp = 32;
    if (kernel.threads < 1 || kernel.threads > limits.threads ||
        kernel.registers > limits.registersPerThread || kernel.sharedBytes > limits.sharedBlockBytes)
        return 0;
    const int warps = roundedUp(kernel.threads, kWarp) / kWarp;
    int blocks = std::min(limits.blocks, limits.warps / warps);
    if (kernel.registers > 0) {
        const int ofWarp = kWarp * kernel.registers;
        if (limits.givesRegistersToBlocks) {
            const int ofBlock = roundedUp(roundedUp(warps, limits.warpUnit) * ofWarp, limits.registerUnit);
            blocks = std::min(blocks, limits.registers / ofBlock);
        } else {
            const int active = limits.registers / roundedUp(ofWarp, limits.registerUnit);
            blocks = std::min(blocks, active / limits.warpUnit * limits.warpUnit / warps);
        }
    }
    const int shared = roundedUp(kernel.sharedBytes + limits.sharedReserved, limits.sharedUnit);
    if (shared > 0) blocks = std::min(blocks, limits.sharedBytes / shared);
    return static_cast<double>(blocks * warps) / limits.warps;
}

}  // namespace glycine::study
