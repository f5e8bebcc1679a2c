#include "engine/pairwise/cpu/clustal_kernel.hpp"

#include <cstring>

#include "engine/pairwise/cpu/lane_registers.hpp"
#include "engine/pairwise/recurrences.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace glycine::pairwise::cpu {

namespace {

// ---- many pairs, one in each lane

/// The bits of lanes that satisfy a comparison.
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

/// Computes `kColumns` columns from `column`, row by row; values passed from row to row stay in registers.
template <std::size_t kBytes, std::size_t kColumns>
void findPathsInColumns(const ClustalLanes& block, std::size_t column) {
    using Register = typename LaneRegister<std::int32_t, kBytes>::Type;
    using Marks = LaneBits<kBytes>;
    using Bits = typename Marks::Bits;
    constexpr std::size_t kLanes = kBytes / sizeof(std::int32_t);
    const auto open = *reinterpret_cast<const Register*>(block.open);
    const Register extend = block.extend - Register{};
    // The score of each query letter against the columns' letters, plus an opening, because cells are stored
    // minus an opening.
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
    // An equally high score counts only in an earlier row.
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
            // Store each mark separately: gathered, they would be read before they are written.
            const auto mark = [marks](ClustalMark which, Bits bits) {
                std::memcpy(marks + static_cast<std::size_t>(which) * sizeof bits, &bits, sizeof bits);
            };
            const Register pair = diagonal + scores[c];
            diagonal = best[c];
            mark(ClustalMark::AcrossOpens, Marks::greater(left, across));
            mark(ClustalMark::AcrossExtends, Marks::greater(across, left));
            mark(ClustalMark::DownOpens, Marks::greater(best[c], gap[c]));
            mark(ClustalMark::DownExtends, Marks::greater(gap[c], best[c]));
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

// ---- one pair, row by row

/// Loads and stores at unaligned addresses.
template <class Register>
Register load(const std::int32_t* from) {
    Register value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}
template <class Register>
void store(Register value, std::int32_t* to) {
    __builtin_memcpy(to, &value, sizeof value);
}

/// For each lane, the largest value of the lanes up to it.
template <class Register>
Register largestSoFar(Register values, Register lane) {
    constexpr std::int32_t kLanes = sizeof(Register) / sizeof(std::int32_t);
    // First within groups of four lanes, where permutations are fastest.
    const Register quad = lane & ~3, place = lane & 3;
    values = larger(values, permuted(values, quad + (place > 0 ? place - 1 : place)));
    values = larger(values, permuted(values, quad + (place > 1 ? place - 2 : place)));
#pragma GCC unroll 2
    for (std::int32_t width = 4; width < kLanes; width *= 2) {
        const Register group = lane & -(2 * width);
        values = larger(values, permuted(values, (lane & width) != 0 ? group + (width - 1) : lane));
    }
    return values;
}

template <std::size_t kBytes, ClustalPass kPass>
void computeRows(ClustalBlock& block) {
    using Register = typename LaneRegister<std::int32_t, kBytes>::Type;
    constexpr std::int32_t kLanes = kBytes / sizeof(std::int32_t);
    const auto columns = static_cast<std::int32_t>(block.columns);
    Register lane;
    for (std::int32_t k = 0; k < kLanes; ++k) lane[k] = k;
    // Lane k takes lane k − s of the second register, or one of the last lanes of the first.
    const auto fromLeft = [&lane](Register left, Register right, std::int32_t shift) {
        return permuted(left, right, lane + (kLanes - shift));
    };
    const Register last = (kLanes - 1) - Register{};
    const Register never = kClustalNever - Register{};
    const Register extend = block.extend - Register{};
    const Register first = extend + block.open;
    const Register slope = lane * extend;       // extra extensions of a gap from lane 0 to this one
    const Register reach = slope - block.open;  // of a gap that begins after this lane
    const Register wholeSlope = kLanes * extend;

    std::int32_t border = -block.borderOpen;
    block.best[0] = kPass == ClustalPass::Begin ? -1 : 0;
    for (std::int32_t j = 1; j <= columns + kLanes; ++j) {
        if constexpr (kPass == ClustalPass::Border) {
            block.best[j] = border - j * block.extend;
            block.gap[j] = block.best[j] - block.open;
        } else {
            block.best[j] = kPass == ClustalPass::Begin ? -1 : 0;
            block.gap[j] = kPass == ClustalPass::Begin ? -1 : -block.open;
        }
    }
    block.score = 0;
    block.rowsToScore = block.columnsToScore = 0;
    constexpr std::size_t kCellsBetweenPauses = 50'000'000;
    std::size_t cells = 0;
    for (std::size_t i = 0; i < block.rowCount; ++i) {
        const std::int32_t* const scores =
            block.profile + block.rows[static_cast<std::ptrdiff_t>(i) * block.step] * block.stride;
        std::int32_t corner = block.best[0], start = 0, across = 0;
        if constexpr (kPass == ClustalPass::Border) {
            border -= block.extend;
            start = border;
            across = border - block.open;
            block.best[0] = start;
        } else if constexpr (kPass == ClustalPass::Begin) {
            start = across = -1;
            corner = i == 0 ? 0 : -1;
        } else {
            across = -block.open;
        }
        const std::int32_t entering = across > start - block.open ? across : start - block.open;
        Register carry = (entering - block.extend) - Register{};
        Register before = corner - Register{};
        [[maybe_unused]] Register highest = never;
        for (std::int32_t j = 1; j <= columns; j += kLanes) {
            const auto above = load<Register>(block.best + j);
            const Register down = larger(load<Register>(block.gap + j) - extend, above - first);
            store(down, block.gap + j);
            const Register pairs = fromLeft(before, above, 1) + load<Register>(scores + j - 1);
            before = above;
            Register cell = larger(pairs, down);
            if constexpr (kPass == ClustalPass::End) cell = larger(cell, Register{});
            // The best gap into each lane begins after a lane to its left: the running maximum, corrected for
            // each lane's position.
            const Register begins = cell + reach;
            const Register into = largestSoFar(fromLeft(never, begins, 1), lane);
            const Register all = permuted(larger(into, begins), last);
            cell = larger(cell, larger(into, carry) - slope);
            carry = larger(carry, all) - wholeSlope;
            store(cell, block.best + j);
            if constexpr (kPass != ClustalPass::Border) highest = larger(highest, cell);
        }
        if constexpr (kPass != ClustalPass::Border) {
            for (std::int32_t shift = kLanes / 2; shift > 0; shift /= 2)
                highest = larger(highest, permuted(highest, (lane + shift) & (kLanes - 1)));
            const std::int32_t most = highest[0];
            // Similar sequences have a new highest score in every row, so the column is found only for the
            // last one.
            if (kPass == ClustalPass::End ? most > block.score : most >= block.enough) {
                block.score = most;
                block.rowsToScore = i + 1;
                __builtin_memcpy(block.highest, block.best, (block.columns + 1) * sizeof(std::int32_t));
                if (kPass == ClustalPass::Begin) break;
            }
        }
        cells += block.columns;
        if (cells >= kCellsBetweenPauses) {
            block.pause(block.context);
            cells = 0;
        }
    }
    block.gap[0] = block.best[0];
    if constexpr (kPass != ClustalPass::Border)
        if (block.rowsToScore > 0) {
            std::size_t j = 1;
            while (block.highest[j] != block.score) ++j;
            block.columnsToScore = j;
        }
}

}  // namespace

template <>
ClustalKernel ClustalKernel::compiled<kCompiledSet>() {
    constexpr std::size_t kColumns = kCompiledSet == InstructionSet::Avx512 ? 8 : 4;
    return {.lanes = kRegisterBytes / sizeof(std::int32_t),
            .columnsAtOnce = kColumns,
            .markBytes = sizeof(LaneBits<kRegisterBytes>::Bits),
            .findPaths = &cpu::findPaths<kRegisterBytes, kColumns>,
            .findEnd = &computeRows<kRegisterBytes, ClustalPass::End>,
            .findBegin = &computeRows<kRegisterBytes, ClustalPass::Begin>,
            .findBorder = &computeRows<kRegisterBytes, ClustalPass::Border>};
}

}  // namespace glycine::pairwise::cpu
