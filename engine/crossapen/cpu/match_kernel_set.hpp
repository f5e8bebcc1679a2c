#pragma once

#include "engine/crossapen/cpu/bit_row_kernel.hpp"
#include "engine/crossapen/cpu/comparison_kernel.hpp"
#include "engine/crossapen/cpu/rectangle_kernel.hpp"

namespace glycine::crossapen::cpu {

/// The kernels of one instruction set; see the three headers for what Lanes, Words and Cell give.
template <class Lanes, class Words, class Cell>
MatchKernels<typename Lanes::Scalar> makeMatchKernels() {
    static_assert(8 % Words::kWords == 0);
    return {Words::kWords,
            ComparisonKernel<Lanes>::findIntervals,
            ComparisonKernel<Lanes>::compareRows,
            BitRowKernel<Words>::selectRows,
            BitRowKernel<Words>::countWindows,
            BitRowKernel<Words>::addColumns,
            RectangleKernel<Cell>::countRectangles};
}

}  // namespace glycine::crossapen::cpu
