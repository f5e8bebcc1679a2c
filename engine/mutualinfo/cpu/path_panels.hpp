#pragma once

#include "engine/mutualinfo/cpu/double_register.hpp"
#include "engine/mutualinfo/cpu/path_kernel.hpp"

/// The kernel, to be instantiated with one vector length an instruction set. In an anonymous namespace: code
/// that was compiled for AVX-512 must not be shared with other translation units.
namespace glycine::mutualinfo::cpu {
namespace {

template <std::size_t kBytes, std::size_t kRows, std::size_t kRegisters>
void raisePaths(const PathBlock& block) {
    using Register = typename DoubleRegister<kBytes>::Type;
    Register largest[kRows][kRegisters];
    auto* const c = reinterpret_cast<Register*>(block.c);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i)
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kRegisters; ++v) largest[i][v] = c[i * kRegisters + v];
    const double* a = block.a;
    const auto* b = reinterpret_cast<const Register*>(block.b);
    for (std::size_t k = 0; k < block.depth; ++k, a += kRows, b += kRegisters) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < kRows; ++i) {
            const Register one = a[i] - Register{};
#pragma GCC unroll 16
            for (std::size_t v = 0; v < kRegisters; ++v) {
                const Register weaker = one < b[v] ? one : b[v];
                largest[i][v] = weaker > largest[i][v] ? weaker : largest[i][v];
            }
        }
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i)
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kRegisters; ++v) c[i * kRegisters + v] = largest[i][v];
}

template <std::size_t kBytes, std::size_t kRows, std::size_t kRegisters>
PathKernel makePathKernel() {
    return {kRows, kRegisters * kBytes / sizeof(double), &raisePaths<kBytes, kRows, kRegisters>};
}

}  // namespace
}  // namespace glycine::mutualinfo::cpu
