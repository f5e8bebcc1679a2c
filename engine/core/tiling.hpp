#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace glycine {

/// Half-open interval [begin, end) of row or column indices.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
    // Not defaulted: kernels are compiled as C++17.
    friend constexpr bool operator==(const Range& a, const Range& b) {
        return a.begin == b.begin && a.end == b.end;
    }
};

/// Splits [0, extent) into pieces of `step` (the last may be shorter), in ascending order. Requires step ≥ 1.
inline std::vector<Range> splitRange(std::size_t extent, std::size_t step) {
    std::vector<Range> pieces;
    for (std::size_t begin = 0; begin < extent; begin += step)
        pieces.push_back({begin, std::min(begin + step, extent)});
    return pieces;
}

/// `value` rounded up to a multiple of `step`. Requires step ≥ 1.
constexpr std::size_t roundUp(std::size_t value, std::size_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace glycine
