#pragma once

#include <cstdint>

/// Copies that run beside the threads of a block, and the barriers in shared memory that tell of them
/// (compute capability 9.0). Source: the PTX ISA, "mbarrier" and "cp.async.bulk".
namespace glycine::cuda {

__device__ inline std::uint32_t sharedAddress(const void* place) {
    return std::uint32_t(__cvta_generic_to_shared(place));
}

/// A barrier with phases: one ends when `arrivals` have come and all bytes that were announced for it.
class BulkBarrier {
  public:
    __device__ void init(unsigned arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(&state_)), "r"(arrivals));
    }
    /// Arrives, and announces bytes that copies will bring.
    __device__ void expect(unsigned bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(&state_)),
                     "r"(bytes)
                     : "memory");
    }
    /// Arrives at the barrier that lies here in a block of the cluster.
    __device__ void arriveAt(unsigned block) {
        asm volatile(
            "{\n"
            ".reg .b32 there;\n"
            "mapa.shared::cluster.u32 there, %0, %1;\n"
            "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
            "}" ::"r"(sharedAddress(&state_)),
            "r"(block)
            : "memory");
    }
    /// Waits for the end of the phase: of the first one 0, then 1, 0, 1 …
    __device__ void wait(unsigned phase) {
        asm volatile(
            "{\n"
            ".reg .pred isOver;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 isOver, [%0], %1;\n"
            "@!isOver bra again;\n"
            "}" ::"r"(sharedAddress(&state_)),
            "r"(phase & 1)
            : "memory");
    }

  private:
    friend __device__ void copyToCluster(void*, const void*, unsigned, BulkBarrier&, unsigned);
    std::uint64_t state_;
};

/// What was initialised is seen by copies and by the cluster.
__device__ inline void publishBarriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// All threads of the cluster meet.
__device__ inline void syncCluster() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ inline unsigned blockOfCluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/// Copies `bytes` (a multiple of 16, from and to multiples of 16) to the same place in the shared memory of
/// the blocks of the cluster whose bits are set; the barrier there counts them.
__device__ inline void copyToCluster(void* place, const void* source, unsigned bytes, BulkBarrier& barrier,
                                     unsigned blocks) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
        "%2, [%3], %4;" ::"r"(sharedAddress(place)),
        "l"(source), "r"(bytes), "r"(sharedAddress(&barrier.state_)), "h"(std::uint16_t(blocks))
        : "memory");
}

}  // namespace glycine::cuda
