#pragma once

#include "engine/bounds/cpu/min_plus.hpp"

/// The register-blocked kernel, to be instantiated with one vector type an instruction set. Everything lives
/// in an anonymous namespace: code that was compiled for AVX-512 must not be shared with other translation
/// units.
namespace glycine::bounds::cpu {
namespace {

template <class Vector>
struct Minimum {
    static typename Vector::Register apply(typename Vector::Register a, typename Vector::Register b) {
        return Vector::min(a, b);
    }
};
template <class Vector>
struct Maximum {
    static typename Vector::Register apply(typename Vector::Register a, typename Vector::Register b) {
        return Vector::max(a, b);
    }
};

/// `Vector` gives Scalar, Register, kLanes, load, store, broadcast, add and isEqual (of all bits); min for
/// operands ≥ 0; max(a, b) for b ≥ 0 and any a. The block of C in registers is kRows × (kRegisters · kLanes).
template <class Vector, std::size_t kRows, std::size_t kRegisters>
struct RegisterBlock {
    using T = typename Vector::Scalar;
    using Register = typename Vector::Register;
    static constexpr std::size_t kColumns = kRegisters * Vector::kLanes;

    template <class Choice, bool kSelected>
    static void multiplyBlock(std::size_t depth, const T* a, const T* b, const std::uint32_t* selection, T* c,
                              std::size_t cRowStride) {
        Register sums[kRows][kRegisters];
        for (std::size_t row = 0; row < kRows; ++row)
            for (std::size_t v = 0; v < kRegisters; ++v)
                sums[row][v] = Vector::load(c + row * cRowStride + v * Vector::kLanes);
        // The block that comes next lies below this one; C is too large for the near caches.
        for (std::size_t row = kRows; row < 2 * kRows; ++row)
            for (std::size_t byte = 0; byte < kColumns * sizeof(T); byte += 64)
                __builtin_prefetch(reinterpret_cast<const char*>(c + row * cRowStride) + byte, 1);
        for (std::size_t k = 0; k < depth; ++k) {
            const T* bGroup = b + (kSelected ? selection[k] : k) * kColumns;
            Register bColumns[kRegisters];
            for (std::size_t v = 0; v < kRegisters; ++v)
                bColumns[v] = Vector::load(bGroup + v * Vector::kLanes);
            for (std::size_t row = 0; row < kRows; ++row) {
                const Register aRow = Vector::broadcast(a[k * kRows + row]);
                for (std::size_t v = 0; v < kRegisters; ++v)
                    sums[row][v] = Choice::apply(Vector::add(aRow, bColumns[v]), sums[row][v]);
            }
        }
        for (std::size_t row = 0; row < kRows; ++row)
            for (std::size_t v = 0; v < kRegisters; ++v)
                Vector::store(c + row * cRowStride + v * Vector::kLanes, sums[row][v]);
    }

    template <class Choice>
    static void multiply(const MinPlusProduct<T>& product) {
        // One strip of B stays in the first-level cache while the strips of A pass by.
        for (std::size_t column = 0; column < product.columns; column += kColumns) {
            const T* b = product.b + column / kColumns * product.bStripStride;
            for (std::size_t row = 0; row < product.rows; row += kRows) {
                if (product.onAndAboveDiagonal && column + kColumns <= row) break;
                const T* a = product.a + row / kRows * product.aStripStride;
                T* c = product.c + row * product.cRowStride + column;
                if (product.selection != nullptr)
                    multiplyBlock<Choice, true>(product.depth, a, b, product.selection, c,
                                                product.cRowStride);
                else
                    multiplyBlock<Choice, false>(product.depth, a, b, nullptr, c, product.cRowStride);
            }
        }
    }

    static void relax(const EdgeRelaxation<T>& step) {
        constexpr std::size_t kParts = kSearchSources / Vector::kLanes;
        Register from[kParts];
        for (std::size_t part = 0; part < kParts; ++part)
            from[part] = Vector::load(step.from + part * Vector::kLanes);
        for (std::size_t edge = 0; edge < step.edges; ++edge) {
            T* distances = step.distances + step.neighbours[edge] * kSearchSources;
            const Register length = Vector::broadcast(step.lengths[edge]);
            bool same = true;
            for (std::size_t part = 0; part < kParts; ++part) {
                const Register before = Vector::load(distances + part * Vector::kLanes);
                const Register after = Vector::min(Vector::add(from[part], length), before);
                same &= Vector::isEqual(before, after);
                Vector::store(distances + part * Vector::kLanes, after);
            }
            step.improved[edge] = !same;
        }
    }

    static MinPlusKernel<T> kernel() {
        static_assert(kMinPlusBlock % kRows == 0 && kMinPlusBlock % kColumns == 0);
        return {kRows, kColumns, &RegisterBlock::multiply<Minimum<Vector>>,
                &RegisterBlock::multiply<Maximum<Vector>>, &RegisterBlock::relax};
    }
};

}  // namespace
}  // namespace glycine::bounds::cpu
