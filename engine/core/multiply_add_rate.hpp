#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"

namespace glycine {

/// Numbers that are multiplied and added.
enum class MultiplyAddNumbers { Float64, Float32 };

/// Sum of the registers of one thread after `rounds` rounds of x ← x · a + b in each of them, from 0, a = 1 −
/// 2⁻¹⁰ and b = 2⁻¹⁰, with the vectors of an instruction set; adds the number of multiply-adds to `count`.
double chainMultiplyAdds(InstructionSet instructions, MultiplyAddNumbers numbers, std::size_t rounds,
                         std::size_t& count);

}  // namespace glycine
