#include "engine/mutualinfo/cpu/joint_panels.hpp"

namespace glycine::mutualinfo::cpu {

template <class Number>
JointKernel<Number> jointKernelGeneric() {
    return makeJointKernel<Number, 16, 2, 16>();
}

template JointKernel<float> jointKernelGeneric();
template JointKernel<double> jointKernelGeneric();

}  // namespace glycine::mutualinfo::cpu
