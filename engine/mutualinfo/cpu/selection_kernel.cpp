#include "engine/mutualinfo/cpu/selection_kernel.hpp"

#include <limits>

namespace glycine::mutualinfo::cpu {

namespace {

using Register [[gnu::vector_size(kRegisterBytes)]] = double;

constexpr std::size_t kRegisters = SelectionKernel::kColumns * sizeof(double) / kRegisterBytes;

/// Distance of prefetching, in steps.
constexpr std::size_t kAhead = 2048;

std::int32_t raiseBounds(const SelectionBounds& some) {
    std::int32_t* const bounds = some.bounds;
    const std::uint16_t* const relevance = some.relevance;
    const std::uint16_t* const redundancy = some.redundancy;
    std::int32_t most = std::numeric_limits<std::int32_t>::min();
    // Rows are not next to each other in memory, so a processor does not request their pages by itself.
    for (std::size_t j = 0; j < some.count; j += 64 / sizeof *redundancy)
        __builtin_prefetch(redundancy + j + kAhead);
#pragma omp simd reduction(max : most)
    for (std::size_t j = 0; j < some.count; ++j) {
        const std::int32_t bound = bounds[j] + relevance[j] - redundancy[j];
        bounds[j] = bound;
        most = bound > most ? bound : most;
    }
    return most;
}

void sumColumns(const SelectionSums& some) {
    const Register unknown = some.unknown - Register{};
    Register relevance[kRegisters];
    Register sums[kRegisters];
    __builtin_memcpy(relevance, some.relevance, sizeof relevance);
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kRegisters; ++v) sums[v] = Register{};
    for (std::size_t s = 0; s < some.count; ++s) {
        const double* const row = some.columns + some.rows[s] * SelectionKernel::kColumns;
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kRegisters; ++v) {
            Register value;
            __builtin_memcpy(&value, row + v * (kRegisterBytes / sizeof(double)), sizeof value);
            sums[v] += relevance[v] - (value == value ? value : unknown);
        }
    }
    __builtin_memcpy(some.sums, sums, sizeof sums);
}

}  // namespace

template <>
SelectionKernel SelectionKernel::compiled<kCompiledSet>() {
    return {&raiseBounds, &sumColumns};
}

}  // namespace glycine::mutualinfo::cpu
