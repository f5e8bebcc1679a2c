#pragma once

#include <cstddef>

#include "engine/pairwise/lane_table.hpp"

/// Registers of several numbers (compiler vectors). The namespace is anonymous because code compiled for
/// AVX-512 must not be shared with other translation units.
namespace glycine::pairwise::cpu {
namespace {

/// values[places[lane]] in each lane; places are taken modulo the number of lanes.
template <class Register>
Register permuted(Register values, Register places) {
#if defined(__clang__)
    // Clang only permutes by constants.
    constexpr std::size_t kLanes = sizeof(Register) / sizeof(values[0]);
    Register result;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        result[lane] = values[static_cast<std::size_t>(places[lane]) % kLanes];
    return result;
#else
    return __builtin_shuffle(values, places);
#endif
}

/// The same for two registers, whose lanes are numbered consecutively.
template <class Register>
Register permuted(Register first, Register second, Register places) {
#if defined(__clang__)
    constexpr std::size_t kLanes = sizeof(Register) / sizeof(first[0]);
    Register result;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t place = static_cast<std::size_t>(places[lane]) % (2 * kLanes);
        result[lane] = place < kLanes ? first[place] : second[place - kLanes];
    }
    return result;
#else
    return __builtin_shuffle(first, second, places);
#endif
}

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

}  // namespace
}  // namespace glycine::pairwise::cpu
