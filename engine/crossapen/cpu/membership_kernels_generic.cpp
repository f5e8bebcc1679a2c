#include "engine/crossapen/cpu/membership_kernel.hpp"

namespace glycine::crossapen::cpu {

// 16 bytes as a compiler's vector: SSE2 on x86-64, NEON on AArch64, plain numbers where there is neither.
template <>
SumMemberships<float> membershipKernelGeneric() {
    return MembershipKernel<float, 16>::sum;
}
template <>
SumMemberships<double> membershipKernelGeneric() {
    return MembershipKernel<double, 16>::sum;
}

}  // namespace glycine::crossapen::cpu
