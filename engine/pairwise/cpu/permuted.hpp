#pragma once

#include <cstddef>

/// Lanes of registers (vectors of the compiler) in another order. In an anonymous namespace: code that was
/// compiled for AVX-512 must not be shared with other translation units.
namespace glycine::pairwise::cpu {
namespace {

/// values[places[lane]] in each lane; places count modulo the number of lanes.
template <class Register>
Register permuted(Register values, Register places) {
#if defined(__clang__)
    // Clang permutes by constants alone.
    constexpr std::size_t kLanes = sizeof(Register) / sizeof(values[0]);
    Register result;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        result[lane] = values[static_cast<std::size_t>(places[lane]) % kLanes];
    return result;
#else
    return __builtin_shuffle(values, places);
#endif
}

/// The same of the lanes of two registers, those of the second behind those of the first.
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

}  // namespace
}  // namespace glycine::pairwise::cpu
