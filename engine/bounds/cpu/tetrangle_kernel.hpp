#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"

namespace glycine::bounds::cpu {

/// Squares of the bounds of one atom's distances, and halves of their inverses; NaN: unknown.
struct SquaredBounds {
    const double* upper = nullptr;
    const double* lower = nullptr;
    const double* halfPerUpper = nullptr;
    const double* halfPerLower = nullptr;
};

struct TetrangleLimits {
    double upper;  ///< Å²
    double lower;
};

struct TetrangleKernel {
    /// Limits of d²_ij by the quadruples with atom k and each l in [k + 1, atoms).
    void (*tighten)(const SquaredBounds& i, const SquaredBounds& j, const SquaredBounds& k, std::size_t atomK,
                    std::size_t atoms, TetrangleLimits& limits) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static TetrangleKernel compiled();
};

}  // namespace glycine::bounds::cpu
