#pragma once

#include "engine/pairwise/clustal_pass.hpp"
#include "engine/pairwise/cpu/clustal_kernel.hpp"
#include "engine/pairwise/cpu/permuted.hpp"

/// The kernel, to be instantiated with one vector length an instruction set. In an anonymous namespace: code
/// that was compiled for AVX-512 must not be shared with other translation units.
namespace glycine::pairwise::cpu {
namespace {

template <std::size_t kBytes>
struct ClustalRegister {
    typedef std::int32_t Type __attribute__((vector_size(kBytes)));
};

/// From anywhere in memory, and to there.
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

template <class Register>
Register greater(Register a, Register b) {
    return a > b ? a : b;
}

/// In each lane the largest of those up to it.
template <class Register>
Register largestSoFar(Register values, Register lane) {
    constexpr std::int32_t kLanes = sizeof(Register) / sizeof(std::int32_t);
    // Within four lanes first, where permutations take the least time.
    const Register quad = lane & ~3, place = lane & 3;
    values = greater(values, permuted(values, quad + (place > 0 ? place - 1 : place)));
    values = greater(values, permuted(values, quad + (place > 1 ? place - 2 : place)));
#pragma GCC unroll 2
    for (std::int32_t width = 4; width < kLanes; width *= 2) {
        const Register group = lane & -(2 * width);
        values = greater(values, permuted(values, (lane & width) != 0 ? group + (width - 1) : lane));
    }
    return values;
}

template <std::size_t kBytes, ClustalPass kPass>
void computeRows(ClustalBlock& block) {
    using Register = typename ClustalRegister<kBytes>::Type;
    constexpr std::int32_t kLanes = kBytes / sizeof(std::int32_t);
    const auto columns = static_cast<std::int32_t>(block.columns);
    Register lane;
    for (std::int32_t k = 0; k < kLanes; ++k) lane[k] = k;
    // Lane k of a permutation takes lane k − s of the second register, or the last ones of the first.
    const auto fromLeft = [&lane](Register left, Register right, std::int32_t shift) {
        return permuted(left, right, lane + (kLanes - shift));
    };
    const Register last = (kLanes - 1) - Register{};
    const Register never = kNever - Register{};
    const Register extend = block.extend - Register{};
    const Register first = extend + block.open;
    const Register slope = lane * extend;       // what the gap from lane 0 to this one is longer
    const Register reach = slope - block.open;  // of a gap that begins behind this lane
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
            const Register down = greater(load<Register>(block.gap + j) - extend, above - first);
            store(down, block.gap + j);
            const Register pairs = fromLeft(before, above, 1) + load<Register>(scores + j - 1);
            before = above;
            Register cell = greater(pairs, down);
            if constexpr (kPass == ClustalPass::End) cell = greater(cell, Register{});
            // The best gap into each lane begins behind one left of it: the largest so far, each lane's own
            // place taken into account.
            const Register begins = cell + reach;
            const Register into = largestSoFar(fromLeft(never, begins, 1), lane);
            const Register all = permuted(greater(into, begins), last);
            cell = greater(cell, greater(into, carry) - slope);
            carry = greater(carry, all) - wholeSlope;
            store(cell, block.best + j);
            if constexpr (kPass != ClustalPass::Border) highest = greater(highest, cell);
        }
        if constexpr (kPass != ClustalPass::Border) {
            for (std::int32_t shift = kLanes / 2; shift > 0; shift /= 2)
                highest = greater(highest, permuted(highest, (lane + shift) & (kLanes - 1)));
            const std::int32_t most = highest[0];
            // Similar sequences have a new highest score in each row: where it is, is asked about the last.
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

template <std::size_t kBytes>
ClustalKernel makeClustalKernel() {
    ClustalKernel kernel;
    kernel.findEnd = &computeRows<kBytes, ClustalPass::End>;
    kernel.findBegin = &computeRows<kBytes, ClustalPass::Begin>;
    kernel.findBorder = &computeRows<kBytes, ClustalPass::Border>;
    return kernel;
}

}  // namespace
}  // namespace glycine::pairwise::cpu
