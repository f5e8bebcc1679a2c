#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/random.hpp"

namespace glycine::align {

/// The sequences of an alignment in two groups: those with a residue in some column, and the others.
struct GapSplit {
    std::vector<std::size_t> with, without;
};

/// Splits at columns drawn at random until one has a gap; `without` is empty where none of fifty had.
/// `order`: of the sequences, kept; `columns`: of each residue of each sequence, ascending.
inline GapSplit splitAtGap(std::span<const std::size_t> order,
                           const std::vector<std::vector<std::uint32_t>>& columns, std::size_t width,
                           RandomSequence& random) {
    GapSplit split;
    for (int attempt = 0; attempt < 50 && split.without.empty(); ++attempt) {
        const auto column = static_cast<std::uint32_t>(random.below(width));
        split.with.clear();
        for (const std::size_t x : order)
            (std::ranges::binary_search(columns[x], column) ? split.with : split.without).push_back(x);
    }
    return split;
}

}  // namespace glycine::align
