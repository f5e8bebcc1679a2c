#include "engine/algorithms/crossapen/study/paper_loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace glycine::crossapen {

namespace {

float distance(const float* x, const float* y, std::size_t length) {
    float largest = 0;
    for (std::size_t k = 0; k < length; ++k) largest = std::max(largest, std::abs(x[k] - y[k]));
    return largest;
}

/// Templates of `v` that match x, `count` of them.
std::uint32_t countRow(const float* x, const float* v, std::size_t count, std::size_t length, float r) {
    std::uint32_t matches = 0;
    for (std::size_t j = 0; j < count; ++j) matches += distance(x, v + j, length) <= r;
    return matches;
}

void countSweep(const float* u, const float* v, std::size_t length, float r,
                std::span<std::uint32_t> matches) {
    for (std::size_t i = 0; i < matches.size(); ++i)
        matches[i] = countRow(u + i, v, matches.size(), length, r);
}

}  // namespace

void countInTwoSweeps(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                      const LoopCounts& counts) {
    countSweep(u.data(), v.data(), m, r, counts.shortMatches);
    countSweep(u.data(), v.data(), m + 1, r, counts.longMatches);
}

void countInOneSweep(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                     const LoopCounts& counts) {
    const std::size_t last = counts.longMatches.size();  // of the short templates
    for (std::size_t i = 0; i < last; ++i) {
        std::uint32_t shortCount = 0;
        std::uint32_t longCount = 0;
        for (std::size_t j = 0; j < last; ++j) {
            // No branches: what matches is hard to predict, and C(1) has none.
            const bool isShort = distance(u.data() + i, v.data() + j, m) <= r;
            const bool isNext = std::abs(u[i + m] - v[j + m]) <= r;
            shortCount += isShort;
            longCount += isShort & isNext;
        }
        counts.shortMatches[i] = shortCount + countRow(u.data() + i, v.data() + last, 1, m, r);
        counts.longMatches[i] = longCount;
    }
    counts.shortMatches[last] = countRow(u.data() + last, v.data(), last + 1, m, r);
}

}  // namespace glycine::crossapen
