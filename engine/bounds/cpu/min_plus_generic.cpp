#include "engine/bounds/cpu/min_plus_kernel.hpp"

namespace glycine::bounds::cpu {
namespace {

/// 16 bytes as a compiler's vector: SSE2 on x86-64, NEON on AArch64, plain numbers where there is neither.
template <class T>
struct GenericVector {
    using Scalar = T;
    using Register [[gnu::vector_size(16)]] = T;
    using Unaligned [[gnu::vector_size(16), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
    static constexpr std::size_t kLanes = 16 / sizeof(T);
    static Register load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
    static void store(T* to, Register value) { *reinterpret_cast<Unaligned*>(to) = value; }
    static Register broadcast(T value) { return value - Register{}; }
    static Register add(Register a, Register b) { return a + b; }
    static Register min(Register a, Register b) { return a < b ? a : b; }
    static bool isEqual(Register a, Register b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; }
    static Register max(Register a, Register b) { return a > b ? a : b; }
};

}  // namespace

template <>
MinPlusKernel<float> minPlusKernelGeneric() {
    return RegisterBlock<GenericVector<float>, 4, 2>::kernel();
}
template <>
MinPlusKernel<double> minPlusKernelGeneric() {
    return RegisterBlock<GenericVector<double>, 4, 2>::kernel();
}
template <>
MinPlusKernel<std::int32_t> minPlusKernelGeneric() {
    return RegisterBlock<GenericVector<std::int32_t>, 4, 2>::kernel();
}

}  // namespace glycine::bounds::cpu
