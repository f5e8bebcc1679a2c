#pragma once

#include "engine/mutualinfo/cpu/double_register.hpp"
#include "engine/mutualinfo/cpu/product_kernel.hpp"

/// The kernel, to be instantiated with one vector length an instruction set. Everything lives in an anonymous
/// namespace: code that was compiled for AVX-512 must not be shared with other translation units.
namespace glycine::mutualinfo::cpu {
namespace {

/// Lanes are columns of a strip; sums of so many rows fill kSums registers.
template <std::size_t kBytes, std::size_t kSums>
void addProducts(const ProductBlock& block) {
    using Register = typename DoubleRegister<kBytes>::Type;
    constexpr std::size_t kVectors = kProductStrip * sizeof(double) / kBytes;
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
}  // namespace glycine::mutualinfo::cpu
