#include "kernels_cuda/printed_kernels.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"

namespace glycine::cuda {

namespace {

/// Limits of a multiprocessor, from the CUDA C++ Programming Guide, technical specifications per compute
/// capability. All have 65,536 registers in four partitions.
struct ArchitectureLimits {
    const char* target;
    unsigned threads;
    unsigned blocks;
    std::size_t sharedKibibytes;
    std::size_t reservedBytes;  ///< shared memory that the system takes of each block
};
constexpr ArchitectureLimits kArchitectures[] = {
    {"sm_75", 1024, 16, 64, 0},     {"sm_80", 2048, 32, 164, 1024}, {"sm_86", 1536, 16, 100, 1024},
    {"sm_87", 1536, 16, 164, 1024}, {"sm_89", 1536, 24, 100, 1024}, {"sm_90", 2048, 32, 228, 1024},
};

}  // namespace

double occupancyOf(const std::string& target, unsigned threads, unsigned registers, std::size_t sharedBytes) {
    const auto* const found = std::ranges::find_if(
        kArchitectures, [&target](const ArchitectureLimits& one) { return target == one.target; });
    if (found == std::end(kArchitectures) || threads == 0) return 0;
    constexpr unsigned kWarp = 32, kPartitions = 4, kPartitionRegisters = 65536 / kPartitions, kUnit = 256;
    const unsigned warps = (threads + kWarp - 1) / kWarp;
    const unsigned registersOfWarp = (std::max(registers, 1U) * kWarp + kUnit - 1) / kUnit * kUnit;
    const std::size_t bytes = sharedBytes + found->reservedBytes;
    std::size_t blocks = std::min(found->blocks, found->threads / (warps * kWarp));
    blocks = std::min<std::size_t>(blocks, kPartitionRegisters / registersOfWarp * kPartitions / warps);
    if (bytes > 0) blocks = std::min(blocks, found->sharedKibibytes * 1024 / bytes);
    return double(blocks) * threads / found->threads;
}

CompiledKernels printedKernels() {
    struct PrintedKernel {
        const char* variant;
        const char* name;  ///< a part of the mangled name that no other kernel has
        unsigned threads;
        std::size_t dynamicBytes;
    };
    const auto sharedBytes = [](crossapen::Variant variant) {
        return publishedSharedBytes(variant, 1, sizeof(float));
    };
    const PrintedKernel kernels[] = {
        {"calculatematrix", "15calculateMatrix", 16 * 16, 0},
        {"calculatematrix-resident", "15calculateMatrix", 16 * 16, 0},
        {"registers", "15registersKernelIfLj1EE", kPublishedThreads, 0},
        {"halo", "10haloKernelIfLj1EE", kPublishedThreads, sharedBytes(crossapen::Variant::Halo)},
        {"shifted", "13shiftedKernelIfLj1EE", kPublishedThreads, sharedBytes(crossapen::Variant::Shifted)},
    };
    CompiledKernels result;
    const std::vector<CompiledResources> all = readResourceUsage(printedKernelResources());
    for (const PrintedKernel& kernel : kernels) {
        const auto own = std::ranges::find_if(
            all, [&kernel](const auto& one) { return one.entry.find(kernel.name) != std::string::npos; });
        if (own == all.end()) continue;
        const std::size_t bytes = own->sharedBytes + kernel.dynamicBytes;
        result.target = own->target;
        result.variants[kernel.variant] = {kernel.threads, own->registers, bytes,
                                           occupancyOf(own->target, kernel.threads, own->registers, bytes)};
    }
    if (result.variants.empty())
        result.reason = "this build has PTX alone, and no device whose driver compiles it";
    return result;
}

}  // namespace glycine::cuda
