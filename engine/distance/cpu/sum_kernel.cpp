#include <algorithm>
#include <cstdint>

#include "engine/distance/cpu/sum_kernel.hpp"

namespace glycine::distance::cpu {

namespace {

/// A register as a compiler vector of numbers, and of integers of the same size.
template <class Number>
struct VectorOf;
template <>
struct VectorOf<float> {
    using Register [[gnu::vector_size(kRegisterBytes)]] = float;
    using Bits [[gnu::vector_size(kRegisterBytes)]] = std::uint32_t;
    static constexpr std::uint32_t kNoSign = 0x7fffffff;
};
template <>
struct VectorOf<double> {
    using Register [[gnu::vector_size(kRegisterBytes)]] = double;
    using Bits [[gnu::vector_size(kRegisterBytes)]] = std::uint64_t;
    static constexpr std::uint64_t kNoSign = 0x7fffffffffffffff;
};

template <class Number>
struct VectorArithmetic {
    using Register = typename VectorOf<Number>::Register;
    using Bits = typename VectorOf<Number>::Bits;
    static Register absolute(Register x) {
        return reinterpret_cast<Register>(reinterpret_cast<Bits>(x) & VectorOf<Number>::kNoSign);
    }
    static Register multiplyAdd(Register x, Register y, Register z) { return x * y + z; }
    static Register larger(Register x, Register y) { return x < y ? y : x; }
    static Register isNotZero(Register x) {
        return reinterpret_cast<Register>(reinterpret_cast<Bits>(x != 0) &
                                          reinterpret_cast<Bits>(Register{} + 1));
    }
};

/// Lanes are columns of a strip; registers hold kRows rows.
template <class Number, class Term>
struct StripSummer {
    using Register = typename VectorOf<Number>::Register;
    static constexpr std::size_t kLanes = sizeof(Register) / sizeof(Number);
    static constexpr std::size_t kVectors = kSumStrip / kLanes;  ///< per row of a strip
    static constexpr std::size_t kRows = 8 / kVectors;  ///< sums of this many rows fill eight registers

    /// Sums of the pairs of two strips.
    static void sumStrips(const Number* a, const Number* b, std::size_t attributes,
                          Number (&sums)[kSumStrip][kSumStrip]) {
        for (std::size_t first = 0; first < kSumStrip; first += kRows) {
            Register partial[kRows][kVectors] = {};
            for (std::size_t k = 0; k < attributes; ++k) {
                const auto* columns = reinterpret_cast<const Register*>(b + k * kSumStrip);
#pragma GCC unroll 16
                for (std::size_t row = 0; row < kRows; ++row) {
                    const Number value = a[k * kSumStrip + first + row];
#pragma GCC unroll 4
                    for (std::size_t v = 0; v < kVectors; ++v)
                        partial[row][v] =
                            Term::template add<VectorArithmetic<Number>>(partial[row][v], value, columns[v]);
                }
            }
#pragma GCC unroll 16
            for (std::size_t row = 0; row < kRows; ++row)
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kVectors; ++v)
                    __builtin_memcpy(&sums[first + row][v * kLanes], &partial[row][v], sizeof(Register));
        }
    }

    static void sum(const SumBlock<Number>& block) {
        const std::size_t stripSize = block.attributes * kSumStrip;
        const Number* a = block.rowStrips;
        for (std::size_t row = 0; row < block.sums.rows(); row += kSumStrip, a += stripSize) {
            const std::size_t rows = std::min(kSumStrip, block.sums.rows() - row);
            const std::size_t end = block.isDiagonal ? row + 1 : block.sums.columns();
            const Number* b = block.columnStrips;
            for (std::size_t column = 0; column < end; column += kSumStrip, b += stripSize) {
                const std::size_t columns = std::min(kSumStrip, block.sums.columns() - column);
                alignas(64) Number sums[kSumStrip][kSumStrip];
                sumStrips(a, b, block.attributes, sums);
                for (std::size_t r = 0; r < rows; ++r) {
                    double* target = block.sums.row(row + r) + column;
                    for (std::size_t c = 0; c < columns; ++c)
                        target[c] = Term::join(target[c], double{sums[r][c]});
                }
            }
        }
    }
};

}  // namespace

template <class Number>
template <InstructionSet set>
SumKernel<Number> SumKernel<Number>::compiled(SumTerm term) {
    return withTerm(
        term, [](auto operation) -> SumKernel { return {&StripSummer<Number, decltype(operation)>::sum}; });
}

template SumKernel<float> SumKernel<float>::compiled<kCompiledSet>(SumTerm);
template SumKernel<double> SumKernel<double>::compiled<kCompiledSet>(SumTerm);

}  // namespace glycine::distance::cpu
