#pragma once

#include <cstring>

#include "engine/pairwise/cpu/clustal_kernel.hpp"
#include "engine/pairwise/cpu/lane_columns.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// The kernel of many pairs, to be instantiated with one vector length an instruction set. In an anonymous
/// namespace: code that was compiled for AVX-512 must not be shared with other translation units.
namespace glycine::pairwise::cpu {
namespace {

/// Bits of lanes for which something holds, and how registers are compared.
template <std::size_t kBytes>
struct LaneBits {
    using Register = typename LaneRegister<std::int32_t, kBytes>::Type;
    using Bits = std::uint8_t;
#if defined(__x86_64__) && defined(__AVX2__)
    static Bits of(Register isTrue) {
        return static_cast<Bits>(_mm256_movemask_ps(reinterpret_cast<__m256>(isTrue)));
    }
#elif defined(__x86_64__)
    static Bits of(Register isTrue) {
        return static_cast<Bits>(_mm_movemask_ps(reinterpret_cast<__m128>(isTrue)));
    }
#else
    static Bits of(Register isTrue) {
        unsigned bits = 0;
        for (unsigned lane = 0; lane < kBytes / sizeof(std::int32_t); ++lane)
            bits |= isTrue[lane] != 0 ? 1U << lane : 0U;
        return static_cast<Bits>(bits);
    }
#endif
    static Bits equal(Register a, Register b) {
        return of(a == b);
    }
    static Bits greater(Register a, Register b) {
        return of(a > b);
    }
};
#if defined(__x86_64__) && defined(__AVX512F__)
template <>
struct LaneBits<64> {
    using Register = typename LaneRegister<std::int32_t, 64>::Type;
    using Bits = std::uint16_t;
    static Bits equal(Register a, Register b) {
        return _mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
    }
    static Bits greater(Register a, Register b) {
        return _mm512_cmpgt_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
    }
};
#endif

/// `kColumns` columns from `column` on, row by row: what a row hands to the next one stays in registers.
template <std::size_t kBytes, std::size_t kColumns>
void findPathsInColumns(const ClustalLanes& block, std::size_t column) {
    using Register = typename LaneRegister<std::int32_t, kBytes>::Type;
    using Marks = LaneBits<kBytes>;
    using Bits = typename Marks::Bits;
    constexpr std::size_t kLanes = kBytes / sizeof(std::int32_t);
    const auto open = *reinterpret_cast<const Register*>(block.open);
    const Register extend = block.extend - Register{};
    // What each letter of the query adds beside those of the columns, and an opening: cells are kept less
    // one.
    for (std::size_t c = 0; c < kColumns; ++c) {
        alignas(kBytes) std::int32_t wide[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            wide[lane] = block.columns[(column + c) * kLanes + lane];
        const Register places = *reinterpret_cast<const Register*>(wide);
        for (std::size_t letter = 0; letter < block.letters; ++letter)
            *reinterpret_cast<Register*>(block.profile + (letter * kColumns + c) * kLanes) =
                lookUp<std::int32_t, kBytes>(block.table + letter * kTableSide, places) + open;
    }
    auto* const highest = reinterpret_cast<Register*>(block.score);
    auto* const highestRow = reinterpret_cast<Register*>(block.row);
    auto* const highestColumn = reinterpret_cast<Register*>(block.column);
    // A score as high as before counts if it stands in an earlier row.
    Register most = larger(*highest - 1, Register{}), mostRow{}, mostColumn{};
    Register best[kColumns], gap[kColumns];
#pragma GCC unroll 16
    for (std::size_t c = 0; c < kColumns; ++c) best[c] = gap[c] = -open;
    Register corner = -open;
    auto* state = reinterpret_cast<Register*>(block.state);
    std::uint8_t* marks = block.marks + column * block.rows * kClustalMarks * sizeof(Bits);
    for (std::size_t row = 0; row < block.rows; ++row, state += 2) {
        const auto* const scores = reinterpret_cast<const Register*>(
            block.profile + std::size_t{block.query[row]} * kColumns * kLanes);
        Register left = state[0], across = state[1], diagonal = corner;
        corner = left;
        Register highestHere{};
#pragma GCC unroll 16
        for (std::size_t c = 0; c < kColumns; ++c) {
            // Each by itself: gathered, they would be read before they are written.
            const auto mark = [marks](ClustalMark which, Bits bits) {
                std::memcpy(marks + static_cast<std::size_t>(which) * sizeof bits, &bits, sizeof bits);
            };
            const Register pair = diagonal + scores[c];
            diagonal = best[c];
            mark(ClustalMark::AcrossOpens, Marks::greater(left, across));
            mark(ClustalMark::AcrossGoes, Marks::greater(across, left));
            mark(ClustalMark::DownOpens, Marks::greater(best[c], gap[c]));
            mark(ClustalMark::DownGoes, Marks::greater(gap[c], best[c]));
            across = larger(across, left) - extend;
            gap[c] = larger(gap[c], best[c]) - extend;
            const Register cell = larger(larger(pair, gap[c]), larger(across, Register{}));
            mark(ClustalMark::Pair, Marks::equal(cell, pair));
            mark(ClustalMark::Across, Marks::equal(cell, across));
            mark(ClustalMark::Down, Marks::equal(cell, gap[c]));
            marks += kClustalMarks * sizeof(Bits);
            highestHere = larger(highestHere, cell);
            left = cell - open;
            best[c] = left;
        }
        state[0] = left;
        state[1] = across;
        if (Marks::greater(highestHere, most) != 0) {
            const Register isHigher = highestHere > most;
            const Register reached = highestHere - open;
            Register place{};
#pragma GCC unroll 16
            for (std::size_t behind = 0; behind < kColumns; ++behind) {
                const std::size_t c = kColumns - 1 - behind;
                place = best[c] == reached ? static_cast<std::int32_t>(column + c + 1) - Register{} : place;
            }
            most = isHigher ? highestHere : most;
            mostRow = isHigher ? static_cast<std::int32_t>(row + 1) - Register{} : mostRow;
            mostColumn = isHigher ? place : mostColumn;
        }
    }
    const Register isFirst = (mostRow > 0) & ((most > *highest) | (mostRow < *highestRow));
    *highest = isFirst ? most : *highest;
    *highestRow = isFirst ? mostRow : *highestRow;
    *highestColumn = isFirst ? mostColumn : *highestColumn;
}

template <std::size_t kBytes, std::size_t kColumns>
void findPaths(const ClustalLanes& block) {
    using Register = typename LaneRegister<std::int32_t, kBytes>::Type;
    const auto open = *reinterpret_cast<const Register*>(block.open);
    std::fill_n(reinterpret_cast<Register*>(block.state), 2 * block.rows, -open);
    for (std::int32_t* numbers : {block.score, block.row, block.column})
        *reinterpret_cast<Register*>(numbers) = Register{};
    for (std::size_t column = 0; column < block.columnCount; column += kColumns)
        findPathsInColumns<kBytes, kColumns>(block, column);
}

template <std::size_t kBytes, std::size_t kColumns>
void addLaneKernel(ClustalKernel& kernel) {
    kernel.lanes = kBytes / sizeof(std::int32_t);
    kernel.columnsAtOnce = kColumns;
    kernel.markBytes = sizeof(typename LaneBits<kBytes>::Bits);
    kernel.findPaths = &findPaths<kBytes, kColumns>;
}

}  // namespace
}  // namespace glycine::pairwise::cpu
