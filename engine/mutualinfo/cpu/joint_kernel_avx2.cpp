#if defined(__x86_64__)

#include "engine/mutualinfo/cpu/joint_panels.hpp"

namespace glycine::mutualinfo::cpu {

template <class Number>
JointKernel<Number> jointKernelAvx2() {
    return makeJointKernel<Number, 32, 2, 16>();
}

template JointKernel<float> jointKernelAvx2();
template JointKernel<double> jointKernelAvx2();

}  // namespace glycine::mutualinfo::cpu

#endif
