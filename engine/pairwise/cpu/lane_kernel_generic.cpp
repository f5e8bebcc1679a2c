#include "engine/pairwise/cpu/lane_columns.hpp"

namespace glycine::pairwise::cpu {

template <class Number>
LaneKernel<Number> laneKernelGeneric() {
    return makeLaneKernel<Number, 16, 4>();
}

template LaneKernel<std::int16_t> laneKernelGeneric();
template LaneKernel<std::int32_t> laneKernelGeneric();
template LaneKernel<std::int64_t> laneKernelGeneric();

}  // namespace glycine::pairwise::cpu
