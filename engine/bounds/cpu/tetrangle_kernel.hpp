#pragma once

#include <cstddef>

#include "engine/bounds/tetrangle_limit.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::bounds::cpu {

/// Squares of the bounds of one atom's distances, and halves of their inverses; NaN: unknown.
struct SquaredBounds {
    const double* upper = nullptr;
    const double* lower = nullptr;
    const double* halfPerUpper = nullptr;
    const double* halfPerLower = nullptr;
};

struct TetrangleKernel {
    /// Limits of d²_ij by the quadruples with atom k and each l > k of a range.
    void (*tighten)(const SquaredBounds& i, const SquaredBounds& j, const SquaredBounds& k, std::size_t atomK,
                    const Range& l, TetrangleLimit& limits) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static TetrangleKernel compiled();
};

}  // namespace glycine::bounds::cpu
