#include "engine/mutualinfo/cpu/path_kernel.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

using Register [[gnu::vector_size(kRegisterBytes)]] = double;

constexpr std::size_t kRows = kCompiledSet == InstructionSet::Avx512 ? 8 : 4;
constexpr std::size_t kRegisters = kCompiledSet == InstructionSet::Avx512 ? 3 : 2;

void raisePaths(const PathBlock& block) {
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

}  // namespace

template <>
PathKernel PathKernel::compiled<kCompiledSet>() {
    return {kRows, kRegisters * kRegisterBytes / sizeof(double), &raisePaths};
}

}  // namespace glycine::mutualinfo::cpu
