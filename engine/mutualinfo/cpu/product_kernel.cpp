#include "engine/mutualinfo/cpu/product_kernel.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

using Register [[gnu::vector_size(kRegisterBytes)]] = double;

/// Lanes are columns of a strip. The sums of kRows rows fill kSums registers.
void addProducts(const ProductBlock& block) {
    constexpr std::size_t kSums = kCompiledSet == InstructionSet::Avx512 ? 16 : 8;
    constexpr std::size_t kVectors = kProductStrip * sizeof(double) / kRegisterBytes;
    constexpr std::size_t kRows = kSums / kVectors;
    const std::size_t stripSize = block.samples * kProductStrip;
    for (std::size_t row = 0; row < block.sums.rows(); row += kRows) {
        const double* a = block.rows + row / kProductStrip * stripSize + row % kProductStrip;
        const double* b = block.columns;
        for (std::size_t column = 0; column < block.sums.columns(); column += kProductStrip, b += stripSize) {
            Register sums[kRows][kVectors] = {};
            for (std::size_t s = 0; s < block.samples; ++s) {
                const auto* columns = reinterpret_cast<const Register*>(b + s * kProductStrip);
#pragma GCC unroll 16
                for (std::size_t r = 0; r < kRows; ++r) {
                    const double value = a[s * kProductStrip + r];
#pragma GCC unroll 8
                    for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] += value * columns[v];
                }
            }
#pragma GCC unroll 16
            for (std::size_t r = 0; r < kRows; ++r) {
                auto* const target = reinterpret_cast<Register*>(block.sums.row(row + r) + column);
#pragma GCC unroll 8
                for (std::size_t v = 0; v < kVectors; ++v) target[v] += sums[r][v];
            }
        }
    }
}

}  // namespace

template <>
ProductKernel ProductKernel::compiled<kCompiledSet>() {
    return {&cpu::addProducts};
}

}  // namespace glycine::mutualinfo::cpu
