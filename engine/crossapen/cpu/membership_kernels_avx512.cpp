#if defined(__x86_64__)

#include "engine/crossapen/cpu/membership_kernel.hpp"

namespace glycine::crossapen::cpu {

template <>
SumMemberships<float> membershipKernelAvx512() {
    return MembershipKernel<float, 64>::sum;
}
template <>
SumMemberships<double> membershipKernelAvx512() {
    return MembershipKernel<double, 64>::sum;
}

}  // namespace glycine::crossapen::cpu

#endif
