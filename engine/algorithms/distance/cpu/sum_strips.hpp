#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/algorithms/distance/cpu/sum_kernel.hpp"

/// The summing kernel, to be instantiated with one vector length an instruction set. Everything lives in an
/// anonymous namespace: code that was compiled for AVX-512 must not be shared with other translation units.
namespace glycine::distance::cpu {
namespace {

/// `Vector` gives two compiler's vectors of one length, Register of float and Bits of uint32. Lanes are
/// columns of a strip; kRows rows are held in registers.
template <class Vector, std::size_t kRows, SumTerm kTerm>
struct StripSummer {
    using Register = typename Vector::Register;
    using Bits = typename Vector::Bits;
    static constexpr std::size_t kLanes = sizeof(Register) / sizeof(float);
    static constexpr std::size_t kVectors = kSumStrip / kLanes;  ///< in a row of a strip

    static Register term(float a, Register b) {
        const Register difference = a - b;
        if constexpr (kTerm == SumTerm::SquaredDifference) return difference * difference;
        return reinterpret_cast<Register>(reinterpret_cast<Bits>(difference) & 0x7fffffffU);
    }

    /// Sums of the pairs of two strips.
    static void sumStrips(const float* a, const float* b, std::size_t attributes,
                          float (&sums)[kSumStrip][kSumStrip]) {
        for (std::size_t first = 0; first < kSumStrip; first += kRows) {
            Register partial[kRows][kVectors] = {};
            for (std::size_t k = 0; k < attributes; ++k) {
                const auto* columns = reinterpret_cast<const Register*>(b + k * kSumStrip);
#pragma GCC unroll 16
                for (std::size_t row = 0; row < kRows; ++row) {
                    const float value = a[k * kSumStrip + first + row];
#pragma GCC unroll 4
                    for (std::size_t v = 0; v < kVectors; ++v) partial[row][v] += term(value, columns[v]);
                }
            }
#pragma GCC unroll 16
            for (std::size_t row = 0; row < kRows; ++row)
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kVectors; ++v)
                    __builtin_memcpy(&sums[first + row][v * kLanes], &partial[row][v], sizeof(Register));
        }
    }

    static void sum(const SumBlock& block) {
        const std::size_t stripSize = block.attributes * kSumStrip;
        const float* a = block.rowStrips;
        for (std::size_t row = 0; row < block.sums.rows(); row += kSumStrip, a += stripSize) {
            const std::size_t rows = std::min(kSumStrip, block.sums.rows() - row);
            const std::size_t end = block.isDiagonal ? row + 1 : block.sums.columns();
            const float* b = block.columnStrips;
            for (std::size_t column = 0; column < end; column += kSumStrip, b += stripSize) {
                const std::size_t columns = std::min(kSumStrip, block.sums.columns() - column);
                alignas(64) float sums[kSumStrip][kSumStrip];
                sumStrips(a, b, block.attributes, sums);
                for (std::size_t r = 0; r < rows; ++r) {
                    double* target = block.sums.row(row + r) + column;
                    for (std::size_t c = 0; c < columns; ++c) target[c] += double{sums[r][c]};
                }
            }
        }
    }
};

/// The instantiation for `term`.
template <class Vector, std::size_t kRows>
SumFunction chooseSummer(SumTerm term) {
    return term == SumTerm::SquaredDifference ? &StripSummer<Vector, kRows, SumTerm::SquaredDifference>::sum
                                              : &StripSummer<Vector, kRows, SumTerm::AbsoluteDifference>::sum;
}

}  // namespace
}  // namespace glycine::distance::cpu
