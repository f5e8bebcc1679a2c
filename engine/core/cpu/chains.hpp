#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// Work of one thread that leaves its registers, or its nearest cache, as little as possible: what the probes
/// of the processor time (host_probes.hpp).
namespace glycine::cpu {

/// Registers whose chains go on side by side: enough to hide the latency of what they do, and all of them
/// stay in the 16 registers that SSE and AVX2 have.
inline constexpr std::size_t kChains = 12;
/// Rounds of a portion. Numbers of float32 that start at 2²⁰ stay above 0 and exact meanwhile.
inline constexpr std::size_t kChainRounds = 4096;
/// One number of each chain.
template <class T>
using ChainValues = std::array<T, kChains>;

/// What kChainRounds rounds of c(j) ← min(c(j), c(j + 1 mod kChains) + step), j ascending, make of chains
/// that all begin with `start`. Sums of whole numbers go round at the end of their range, as vectors' do.
template <class T>
ChainValues<T> expectedMinima(T start, T step) {
    ChainValues<T> c;
    c.fill(start);
    for (std::size_t round = 0; round < kChainRounds; ++round)
        for (std::size_t j = 0; j < kChains; ++j) {
            const T sum = static_cast<T>(c[(j + 1) % kChains] + step);
            if (sum < c[j]) c[j] = sum;
        }
    return c;
}

/// Words of 64 bits that are counted in a round, and rounds of a portion.
inline constexpr std::size_t kCountedWords = 512;
inline constexpr std::size_t kCountRounds = 128;
/// Numbers whose logarithms are taken in a portion: they stay in the nearest cache.
inline constexpr std::size_t kLogNumbers = 1024;

/// Compiled once for each instruction set. Minima go through all lanes of kChains registers, `portions` times
/// from `start` on, and return how many portions ended with other numbers than `expected`. Numbers of float32
/// are compared as whole numbers with the same bits, which is right for what is not negative, and as fast or
/// faster. Counts are those of kCountedWords words (aligned to 64 bytes), each XORed with the number of the
/// round, 0 … kCountRounds − 1; all of it `portions` times.
struct ChainKernels {
    std::size_t registerBytes = 0;
    std::size_t (*minimaFloat)(float start, float step, const float* expected, std::size_t portions);
    std::size_t (*minimaDouble)(double start, double step, const double* expected, std::size_t portions);
    std::size_t (*minimaInt32)(std::int32_t start, std::int32_t step, const std::int32_t* expected,
                               std::size_t portions);
    std::size_t (*minimaInt16)(std::int16_t start, std::int16_t step, const std::int16_t* expected,
                               std::size_t portions);
    /// By carry-save adders.
    std::uint64_t (*countByAdders)(const std::uint64_t* words, std::size_t portions);
    /// By one instruction a register; null where there is none.
    std::uint64_t (*countByInstruction)(const std::uint64_t* words, std::size_t portions);
    /// kLogNumbers numbers, by the vectors of the C library where compiler and library have them.
    void (*logFloat)(const float* numbers, float* logs);
    void (*logDouble)(const double* numbers, double* logs);

    static constexpr KernelNeeds kNeeds{.fusedProducts = true, .bytesAndWords = true};
    template <InstructionSet set>
    static ChainKernels compiled();
};

}  // namespace glycine::cpu
