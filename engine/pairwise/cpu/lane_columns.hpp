#pragma once

#include <algorithm>

#include "engine/pairwise/cpu/lane_kernel.hpp"
#include "engine/pairwise/cpu/permuted.hpp"

/// The kernel, to be instantiated with one vector length an instruction set. In an anonymous namespace: code
/// that was compiled for AVX-512 must not be shared with other translation units.
namespace glycine::pairwise::cpu {
namespace {

template <class Number, std::size_t kBytes>
struct LaneRegister {
    typedef Number Type __attribute__((vector_size(kBytes)));
};

template <class Register>
Register larger(Register a, Register b) {
    return a > b ? a : b;
}

/// row[places[lane]] in each lane.
template <class Number, std::size_t kBytes>
typename LaneRegister<Number, kBytes>::Type lookUp(const Number* row,
                                                   typename LaneRegister<Number, kBytes>::Type places) {
    using Register = typename LaneRegister<Number, kBytes>::Type;
    constexpr std::size_t kLanes = kBytes / sizeof(Number);
    constexpr std::size_t kParts = kTableSide / kLanes;
    const auto* const parts = reinterpret_cast<const Register*>(row);
    if constexpr (kBytes == 64 && kParts == 1) {
        return permuted(parts[0], places);
    } else if constexpr (kBytes == 64 && kParts == 2) {
        return permuted(parts[0], parts[1], places);
    } else if constexpr (kBytes == 32 && kParts == 4) {
        const Register low = permuted(parts[0], parts[1], places);
        const Register high = permuted(parts[2], parts[3], places);
        return places < static_cast<Number>(kTableSide / 2) ? low : high;
    } else {
        Register found;
        for (std::size_t lane = 0; lane < kLanes; ++lane) found[lane] = row[places[lane]];
        return found;
    }
}

/// What each letter of the query adds beside the letters of `kColumns` columns.
template <class Number, std::size_t kBytes, std::size_t kColumns>
void fillProfile(const LaneBlock<Number>& block, std::size_t column) {
    using Register = typename LaneRegister<Number, kBytes>::Type;
    constexpr std::size_t kLanes = kBytes / sizeof(Number);
    for (std::size_t c = 0; c < kColumns; ++c) {
        // Widened once: the compiler takes lanes apart where it converts registers.
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

enum class Recurrence { Linear, Affine, Local };

/// `kColumns` columns from `column` on, row by row: what a row hands to the next one stays in registers.
template <class Number, std::size_t kBytes, std::size_t kColumns, Recurrence kRecurrence>
void computeColumns(const LaneBlock<Number>& block, std::size_t column) {
    using Register = typename LaneRegister<Number, kBytes>::Type;
    constexpr std::size_t kLanes = kBytes / sizeof(Number);
    constexpr bool kIsLocal = kRecurrence == Recurrence::Local;
    fillProfile<Number, kBytes, kColumns>(block, column);
    const Register open = block.open - Register{};
    const Register extend = block.extend - Register{};
    // At the borders the best score is an opening (nothing without one), but nothing in the corner; of local
    // alignments it is nothing everywhere. Always less an opening.
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

template <class Number, std::size_t kBytes, std::size_t kColumns>
LaneKernel<Number> makeLaneKernel() {
    return {kBytes / sizeof(Number), kColumns, &computeLanes<Number, kBytes, kColumns, Recurrence::Linear>,
            &computeLanes<Number, kBytes, kColumns, Recurrence::Affine>,
            &computeLanes<Number, kBytes, kColumns, Recurrence::Local>};
}

}  // namespace
}  // namespace glycine::pairwise::cpu
