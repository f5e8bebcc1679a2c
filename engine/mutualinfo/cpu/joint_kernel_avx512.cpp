#if defined(__x86_64__)

#include "engine/mutualinfo/cpu/joint_panels.hpp"

namespace glycine::mutualinfo::cpu {

template <class Number>
JointKernel<Number> jointKernelAvx512() {
    return makeJointKernel<Number, 64, 3, 32>();
}

template JointKernel<float> jointKernelAvx512();
template JointKernel<double> jointKernelAvx512();

}  // namespace glycine::mutualinfo::cpu

#endif
