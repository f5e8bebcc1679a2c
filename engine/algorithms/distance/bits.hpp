#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace glycine::distance {

/// Calls visit(bit) for every bit of `word` that is 1, in ascending order.
template <class Visit>
void forEachBit(std::uint64_t word, const Visit& visit) {
    for (; word != 0; word &= word - 1) visit(static_cast<std::size_t>(std::countr_zero(word)));
}

}  // namespace glycine::distance
