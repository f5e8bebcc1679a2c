#include "engine/pairwise/cpu/lane_kernel.hpp"

#include "engine/pairwise/cpu/lane_columns.hpp"

namespace glycine::pairwise::cpu {

template <class Number>
template <InstructionSet set>
LaneKernel<Number> LaneKernel<Number>::compiled() {
    return makeLaneKernel < Number, kRegisterBytes, set == InstructionSet::Avx512 ? 8 : 4 > ();
}

template LaneKernel<std::int16_t> LaneKernel<std::int16_t>::compiled<kCompiledSet>();
template LaneKernel<std::int32_t> LaneKernel<std::int32_t>::compiled<kCompiledSet>();
template LaneKernel<std::int64_t> LaneKernel<std::int64_t>::compiled<kCompiledSet>();

}  // namespace glycine::pairwise::cpu
