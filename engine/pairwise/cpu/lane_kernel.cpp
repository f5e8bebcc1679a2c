#include "engine/pairwise/cpu/lane_kernel.hpp"

#include <algorithm>

#include "engine/pairwise/cpu/lane_registers.hpp"
#include "engine/pairwise/recurrences.hpp"

namespace glycine::pairwise::cpu {

namespace {

/// Computes the score of each query letter against the letters of `kColumns` columns.
template <class Number, std::size_t kBytes, std::size_t kColumns>
void fillProfile(const LaneBlock<Number>& block, std::size_t column) {
    using Register = typename LaneRegister<Number, kBytes>::Type;
    constexpr std::size_t kLanes = kBytes / sizeof(Number);
    for (std::size_t c = 0; c < kColumns; ++c) {
        // Widen the codes once: the compiler splits registers into lanes where it converts them.
        alignas(kBytes) Number wide[kLanes];
        const std::uint8_t* const codes = block.columns + (column + c) * kLanes;
        for (std::size_t lane = 0; lane < kLanes; ++lane) wide[lane] = codes[lane];
        const Register places = *reinterpret_cast<const Register*>(wide);
        Number* target = block.profile + c * kLanes;
        for (std::size_t letter = 0; letter < block.letters; ++letter, target += kColumns * kLanes)
            *reinterpret_cast<Register*>(target) =
                lookUp<Number, kBytes>(block.table + letter * kTableSide, places);
    }
}

/// Computes `kColumns` columns from `column`, row by row; values passed from row to row stay in registers.
template <class Number, std::size_t kBytes, std::size_t kColumns, Recurrence kRecurrence>
void computeColumns(const LaneBlock<Number>& block, std::size_t column) {
    using Register = typename LaneRegister<Number, kBytes>::Type;
    constexpr std::size_t kLanes = kBytes / sizeof(Number);
    constexpr bool kIsLocal = kRecurrence == Recurrence::Local;
    fillProfile<Number, kBytes, kColumns>(block, column);
    const Register open = block.open - Register{};
    const Register extend = block.extend - Register{};
    // At the borders the best score is −opening (0 for linear gaps), and 0 in the corner; for local
    // alignments it is 0 everywhere. All are stored minus an opening.
    const Register border = kIsLocal ? -open : -open - open;
    Register best[kColumns], gap[kColumns];
#pragma GCC unroll 16
    for (std::size_t c = 0; c < kColumns; ++c) {
        best[c] = border;
        gap[c] = border;
    }
    Register corner = column == 0 ? -open : border;
    [[maybe_unused]] Register highest{};
    if constexpr (kIsLocal) highest = *reinterpret_cast<const Register*>(block.highest);
    auto* state = reinterpret_cast<Register*>(block.state);
    for (std::size_t row = 0; row < block.rows; ++row, state += 2) {
        const auto* const scores = reinterpret_cast<const Register*>(
            block.profile + std::size_t{block.query[row]} * kColumns * kLanes);
        Register left = state[0];
        [[maybe_unused]] Register across = state[1];
        Register diagonal = corner;
        corner = left;
#pragma GCC unroll 16
        for (std::size_t c = 0; c < kColumns; ++c) {
            Register cell = diagonal + scores[c];
            diagonal = best[c];
            if constexpr (kRecurrence == Recurrence::Linear) {
                left = larger(cell, larger(left, best[c]));
            } else {
                across = larger(across, left);
                gap[c] = larger(gap[c], best[c]);
                if constexpr (kIsLocal) {
                    across -= extend;
                    gap[c] -= extend;
                }
                cell = larger(larger(cell, gap[c]), across);
                if constexpr (kIsLocal) {
                    cell = larger(cell, Register{});
                    highest = larger(highest, cell);
                }
                left = cell - open;
            }
            best[c] = left;
        }
        state[0] = left;
        state[1] = across;
    }
    if constexpr (kIsLocal) {
        *reinterpret_cast<Register*>(block.highest) = highest;
    } else {
        auto* const bottom = reinterpret_cast<Register*>(block.bottom + column * kLanes);
        for (std::size_t c = 0; c < kColumns; ++c) bottom[c] = best[c];
    }
}

template <class Number, std::size_t kBytes, std::size_t kColumns, Recurrence kRecurrence>
void computeLanes(const LaneBlock<Number>& block) {
    using Register = typename LaneRegister<Number, kBytes>::Type;
    if (block.first == 0) {
        const Register open = block.open - Register{};
        const Register border = kRecurrence == Recurrence::Local ? -open : -open - open;
        std::fill_n(reinterpret_cast<Register*>(block.state), 2 * block.rows, border);
        if constexpr (kRecurrence == Recurrence::Local)
            *reinterpret_cast<Register*>(block.highest) = Register{};
    }
    for (std::size_t column = block.first; column < block.last; column += kColumns)
        computeColumns<Number, kBytes, kColumns, kRecurrence>(block, column);
}

}  // namespace

template <class Number>
template <InstructionSet set>
LaneKernel<Number> LaneKernel<Number>::compiled() {
    constexpr std::size_t kColumns = set == InstructionSet::Avx512 ? 8 : 4;
    return {kRegisterBytes / sizeof(Number),
            kColumns,
            {&computeLanes<Number, kRegisterBytes, kColumns, Recurrence::Linear>,
             &computeLanes<Number, kRegisterBytes, kColumns, Recurrence::Affine>,
             &computeLanes<Number, kRegisterBytes, kColumns, Recurrence::Local>}};
}

template LaneKernel<std::int16_t> LaneKernel<std::int16_t>::compiled<kCompiledSet>();
template LaneKernel<std::int32_t> LaneKernel<std::int32_t>::compiled<kCompiledSet>();
template LaneKernel<std::int64_t> LaneKernel<std::int64_t>::compiled<kCompiledSet>();

}  // namespace glycine::pairwise::cpu
