#pragma once

#include <algorithm>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "engine/algorithms/align/cpu/clustal_kernel.hpp"

/// The kernel, to be instantiated with one vector length an instruction set. In an anonymous namespace: code
/// that was compiled for AVX-512 must not be shared with other translation units.
namespace glycine::align::cpu {
namespace {

template <std::size_t kBytes>
struct ClustalRegister {
    typedef std::int32_t Type __attribute__((vector_size(kBytes)));
};

template <class Register>
Register greater(Register a, Register b) {
    return a > b ? a : b;
}

/// table[places[lane]] in each lane.
template <std::size_t kBytes>
typename ClustalRegister<kBytes>::Type gather(const std::int32_t* table,
                                              typename ClustalRegister<kBytes>::Type places) {
    using Register = typename ClustalRegister<kBytes>::Type;
#if defined(__AVX512F__)
    if constexpr (kBytes == 64)
        return reinterpret_cast<Register>(
            _mm512_mask_i32gather_epi32(__m512i{}, 0xffff, reinterpret_cast<__m512i>(places), table, 4));
#endif
#if defined(__AVX2__)
    if constexpr (kBytes == 32)
        return reinterpret_cast<Register>(
            _mm256_i32gather_epi32(table, reinterpret_cast<__m256i>(places), 4));
#endif
    Register found;
    for (std::size_t lane = 0; lane < kBytes / sizeof(std::int32_t); ++lane)
        found[lane] = table[places[lane]];
    return found;
}

enum class ClustalPass {
    End,     ///< forwards: no score below 0, the highest one counts
    Begin,   ///< from the first corner: the highest score counts
    Border,  ///< from end to end: the last row counts
};

template <std::size_t kBytes, ClustalPass kPass>
void computeRows(const ClustalStrip& strip) {
    using Register = typename ClustalRegister<kBytes>::Type;
    constexpr std::size_t kLanes = kBytes / sizeof(std::int32_t);
    constexpr std::int32_t kBeyond = kClustalTableSide - 1;
    ClustalLane* const lanes = strip.lanes;
    std::size_t rows = 0, columns = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        rows = std::max(rows, lanes[lane].rowCount);
        columns = std::max(columns, lanes[lane].columnCount);
    }
    auto* const best = reinterpret_cast<Register*>(strip.scratch);
    Register* const gap = best + columns + 1;
    Register* const letters = gap + columns + 1;
    for (std::size_t j = 0; j < columns; ++j) letters[j] = kBeyond - Register{};
    Register open{}, border{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const ClustalLane& one = lanes[lane];
        open[lane] = one.gapOpen;
        border[lane] = -one.borderOpen;
        auto* const target = reinterpret_cast<std::int32_t*>(letters) + lane;
        const std::ptrdiff_t step = one.step;
        for (std::size_t j = 0; j < one.columnCount; ++j)
            target[j * kLanes] = one.columns[static_cast<std::ptrdiff_t>(j) * step];
    }
    const Register extend = strip.extend - Register{};
    const Register first = open + extend;
    {
        Register value = border;
        best[0] = kPass == ClustalPass::Begin ? Register{} - 1 : Register{};
        for (std::size_t j = 1; j <= columns; ++j) {
            value -= extend;
            best[j] = kPass == ClustalPass::Border  ? value
                      : kPass == ClustalPass::Begin ? Register{} - 1
                                                    : Register{};
            gap[j] = kPass == ClustalPass::Border  ? value - open
                     : kPass == ClustalPass::Begin ? Register{} - 1
                                                   : -open;
        }
    }
    [[maybe_unused]] Register highest{}, highestRow{}, highestColumn{};
    constexpr std::size_t kCellsBetweenPauses = 50'000'000;
    std::size_t cells = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        alignas(kBytes) std::int32_t row[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const ClustalLane& one = lanes[lane];
            const std::int32_t code =
                i < one.rowCount ? one.rows[static_cast<std::ptrdiff_t>(i) * one.step] : kBeyond;
            row[lane] = code * static_cast<std::int32_t>(kClustalTableSide);
        }
        const Register rowLetters = *reinterpret_cast<const Register*>(row);
        Register cell, across, diagonal;
        if constexpr (kPass == ClustalPass::Border) {
            diagonal = best[0];
            border -= extend;
            cell = border;
            across = border - open;
            best[0] = cell;
        } else if constexpr (kPass == ClustalPass::Begin) {
            cell = across = Register{} - 1;
            diagonal = i == 0 ? Register{} : Register{} - 1;
        } else {
            cell = diagonal = Register{};
            across = -open;
        }
        [[maybe_unused]] const Register rowNumber = static_cast<std::int32_t>(i + 1) - Register{};
        [[maybe_unused]] Register column{};
        for (std::size_t j = 1; j <= columns; ++j) {
            const Register scores = gather<kBytes>(strip.table, rowLetters + letters[j - 1]);
            const Register above = best[j];
            across = greater(across - extend, cell - first);
            const Register down = greater(gap[j] - extend, above - first);
            gap[j] = down;
            cell = greater(greater(diagonal + scores, across), down);
            if constexpr (kPass == ClustalPass::End) cell = greater(cell, Register{});
            diagonal = above;
            best[j] = cell;
            if constexpr (kPass != ClustalPass::Border) {
                column += 1;
                const auto isHigher = cell > highest;
                highest = isHigher ? cell : highest;
                highestRow = isHigher ? rowNumber : highestRow;
                highestColumn = isHigher ? column : highestColumn;
            }
        }
        if constexpr (kPass == ClustalPass::Border)
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const ClustalLane& one = lanes[lane];
                if (one.rowCount != i + 1) continue;
                const auto* const from = reinterpret_cast<const std::int32_t*>(best) + lane;
                const auto* const fromGap = reinterpret_cast<const std::int32_t*>(gap) + lane;
                one.best[0] = one.gap[0] = from[0];
                for (std::size_t j = 1; j <= one.columnCount; ++j) {
                    one.best[j] = from[j * kLanes];
                    one.gap[j] = fromGap[j * kLanes];
                }
            }
        cells += columns * kLanes;
        if (cells >= kCellsBetweenPauses) {
            strip.pause(strip.context);
            cells = 0;
        }
    }
    if constexpr (kPass != ClustalPass::Border)
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            lanes[lane].score = highest[lane];
            lanes[lane].rowsToScore = static_cast<std::size_t>(highestRow[lane]);
            lanes[lane].columnsToScore = static_cast<std::size_t>(highestColumn[lane]);
        }
}

template <std::size_t kBytes>
ClustalKernel makeClustalKernel() {
    return {kBytes / sizeof(std::int32_t), &computeRows<kBytes, ClustalPass::End>,
            &computeRows<kBytes, ClustalPass::Begin>, &computeRows<kBytes, ClustalPass::Border>};
}

}  // namespace
}  // namespace glycine::align::cpu
