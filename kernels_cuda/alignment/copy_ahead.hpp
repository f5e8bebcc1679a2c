#pragma once

#include <cstdint>

#include "kernels_cuda/alignment/posterior_kernels.hpp"

namespace glycine::cuda {

// Copies data that will be read soon from device memory to shared memory while the thread goes on. Copies
// form groups that complete in the order in which they were issued. A thread reads only what it has copied
// itself. Without a device, and before compute capability 8.0, copies are synchronous.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define GLYCINE_COPIES_AHEAD
#endif
template <class T>
GLYCINE_HOST_DEVICE inline void copyAhead(T* to, const T* from) {
#ifdef GLYCINE_COPIES_AHEAD
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from), "n"(sizeof(T))
                 : "memory");
#else
    *to = *from;
#endif
}
GLYCINE_HOST_DEVICE inline void closeGroupAhead() {
#ifdef GLYCINE_COPIES_AHEAD
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}
/// Waits until all groups but the last `kBehind` have arrived.
template <std::uint32_t kBehind>
GLYCINE_HOST_DEVICE inline void waitForAhead() {
#ifdef GLYCINE_COPIES_AHEAD
    asm volatile("cp.async.wait_group %0;" : : "n"(kBehind) : "memory");
#endif
}
/// Makes the thread's earlier writes visible to its following copies.
GLYCINE_HOST_DEVICE inline void publishForAhead() {
#ifdef GLYCINE_COPIES_AHEAD
    __threadfence_block();
#endif
}

}  // namespace glycine::cuda
