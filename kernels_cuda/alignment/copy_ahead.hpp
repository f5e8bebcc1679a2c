#pragma once

#include <cstdint>

#include "kernels_cuda/alignment/posterior_kernels.hpp"

namespace glycine::cuda {

// What will be read soon is copied from the device's memory into shared memory, while the thread goes on: in
// groups, which are there in the order in which they were asked for. A thread reads what it has copied
// itself. Without a device, and before compute capability 8.0, all is copied at once.
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
/// All groups are there but the last `kBehind`.
template <std::uint32_t kBehind>
GLYCINE_HOST_DEVICE inline void waitForAhead() {
#ifdef GLYCINE_COPIES_AHEAD
    asm volatile("cp.async.wait_group %0;" : : "n"(kBehind) : "memory");
#endif
}
/// What the thread has written so far is seen by what it copies ahead.
GLYCINE_HOST_DEVICE inline void publishForAhead() {
#ifdef GLYCINE_COPIES_AHEAD
    __threadfence_block();
#endif
}

}  // namespace glycine::cuda
