#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace glycine::pairs {

/// The `count` nearest other instances by the values of a row (for a similarity, the most similar), nearest
/// first; ties by the smaller number. Excludes `self` and instances without a value (NaN).
inline std::vector<std::size_t> nearestOthers(std::span<const double> values, std::size_t self,
                                              std::size_t count, bool isSimilarity) {
    std::vector<std::size_t> others;
    for (std::size_t j = 0; j < values.size(); ++j)
        if (j != self && !std::isnan(values[j])) others.push_back(j);
    const auto end = others.begin() + static_cast<std::ptrdiff_t>(std::min(count, others.size()));
    std::partial_sort(others.begin(), end, others.end(), [&](std::size_t a, std::size_t b) {
        if (values[a] != values[b]) return (values[a] < values[b]) != isSimilarity;
        return a < b;
    });
    others.erase(end, others.end());
    return others;
}

}  // namespace glycine::pairs
