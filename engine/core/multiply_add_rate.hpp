#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"

namespace glycine {

/// Number formats of the multiply-adds.
enum class MultiplyAddNumbers { Float64, Float32 };

/// Runs `rounds` rounds of x ← x · a + b in each chain of one thread, with the vectors of an instruction set,
/// from x = 0, with a = 1 − 2⁻¹⁰ and b = 2⁻¹⁰. Returns the sum of the registers and adds the number of
/// multiply-adds to `count`.
double chainMultiplyAdds(InstructionSet instructions, MultiplyAddNumbers numbers, std::size_t rounds,
                         std::size_t& count);

}  // namespace glycine
