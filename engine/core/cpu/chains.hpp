#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// Work of one thread that stays in its registers, or in its nearest cache: the kernels that the processor's
/// probes time (host_probes.hpp).
namespace glycine::cpu {

/// Independent chains, one per register: enough to hide the latency of the operations, and few enough to stay
/// in the 16 registers of SSE and AVX2.
inline constexpr std::size_t kChains = 12;
/// Rounds per portion. float32 numbers that start at 2²⁰ stay positive and exact throughout.
inline constexpr std::size_t kChainRounds = 4096;
/// One number per chain.
template <class T>
using ChainValues = std::array<T, kChains>;

/// Result of kChainRounds rounds of c(j) ← min(c(j), c(j + 1 mod kChains) + step), j ascending, on chains
/// that all begin with `start`. Integer sums wrap around, as vector instructions do.
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

/// 64-bit words counted per round, and rounds per portion.
inline constexpr std::size_t kCountedWords = 512;
inline constexpr std::size_t kCountRounds = 128;
/// Numbers whose logarithms are taken per portion; they stay in the nearest cache.
inline constexpr std::size_t kLogNumbers = 1024;

/// Compiled once for each instruction set. The minima functions process all lanes of kChains registers,
/// `portions` times from `start`, and return how many portions ended with numbers other than `expected`.
/// float32 numbers are compared as integers with the same bits, which is correct for non-negative numbers and
/// at least as fast. The count functions count kCountedWords words (aligned to 64 bytes), each XORed with the
/// round number, 0 … kCountRounds − 1, and repeat all of it `portions` times.
struct ChainKernels {
    std::size_t registerBytes = 0;
    std::size_t (*minimaFloat)(float start, float step, const float* expected, std::size_t portions);
    std::size_t (*minimaDouble)(double start, double step, const double* expected, std::size_t portions);
    std::size_t (*minimaInt32)(std::int32_t start, std::int32_t step, const std::int32_t* expected,
                               std::size_t portions);
    std::size_t (*minimaInt16)(std::int16_t start, std::int16_t step, const std::int16_t* expected,
                               std::size_t portions);
    /// Counts with carry-save adders.
    std::uint64_t (*countByAdders)(const std::uint64_t* words, std::size_t portions);
    /// Counts with one instruction per register; null if the set has none.
    std::uint64_t (*countByInstruction)(const std::uint64_t* words, std::size_t portions);
    /// Takes kLogNumbers logarithms, with the C library's vector functions if compiler and library provide
    /// them.
    void (*logFloat)(const float* numbers, float* logs);
    void (*logDouble)(const double* numbers, double* logs);

    static constexpr KernelNeeds kNeeds{.fusedProducts = true, .bytesAndWords = true};
    template <InstructionSet set>
    static ChainKernels compiled();
};

}  // namespace glycine::cpu
