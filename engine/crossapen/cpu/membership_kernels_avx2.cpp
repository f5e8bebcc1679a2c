#if defined(__x86_64__)

#include "engine/crossapen/cpu/membership_kernel.hpp"

namespace glycine::crossapen::cpu {

template <>
SumMemberships<float> membershipKernelAvx2() {
    return MembershipKernel<float, 32>::sum;
}
template <>
SumMemberships<double> membershipKernelAvx2() {
    return MembershipKernel<double, 32>::sum;
}

}  // namespace glycine::crossapen::cpu

#endif
