#pragma once

#include <cstddef>

#include "engine/core/host_backends.hpp"

namespace glycine {

/// Numbers that are multiplied and added.
enum class MultiplyAddNumbers { Float64, Float32 };

/// Sum of the registers of one thread after `rounds` rounds of x ← x · a + b in each of them, from 0, a = 1 −
/// 2⁻¹⁰ and b = 2⁻¹⁰, with the vectors of an instruction set; adds the number of multiply-adds to `count`.
double chainMultiplyAdds(InstructionSet instructions, MultiplyAddNumbers numbers, std::size_t rounds,
                         std::size_t& count);

/// Multiply-adds in 10⁹ a second that the threads of the backend can make together: of vectors in registers,
/// as many at once as hide their latency, and no memory. Nothing that multiplies matrices on this machine
/// with these instructions is faster. Takes about a tenth of a second.
double multiplyAddRate(const HostBackend& backend, MultiplyAddNumbers numbers);

}  // namespace glycine
