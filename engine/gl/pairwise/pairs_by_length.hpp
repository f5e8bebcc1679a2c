#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::pairwise::gl {

/// Two sequences by their numbers; the rows are those of the one that is not longer.
struct SidePair {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
};

/// Calls take(pair) for the pairs of a tile (on the diagonal: column < row), so that neighbours are about as
/// long and share the sequence of their columns as far as possible.
template <class Take>
void forPairsByLength(const Sequences& sequences, const pairs::PairTile& tile, Take&& take) {
    // Blocks of pairs of sequences of about one length each.
    constexpr std::size_t kSide = 64;
    const std::vector<std::size_t> rows = placesByLength(sequences, tile.rows);
    const std::vector<std::size_t> columns = placesByLength(sequences, tile.columns);
    const auto letters = [&](std::size_t sequence) { return sequences.codes[sequence].size(); };
    const auto one = [&](std::size_t row, std::size_t column) {
        if (tile.isDiagonal() && column >= row) return;
        const auto a = static_cast<std::uint32_t>(rows[row]);
        const auto b = static_cast<std::uint32_t>(columns[column]);
        take(letters(a) <= letters(b) ? SidePair{a, b} : SidePair{b, a});
    };
    for (const Range& some : splitRange(rows.size(), kSide))
        for (const Range& others : splitRange(columns.size(), kSide)) {
            if (letters(rows[some.end - 1]) >= letters(columns[others.end - 1])) {
                for (std::size_t r = some.begin; r < some.end; ++r)
                    for (std::size_t c = others.begin; c < others.end; ++c) one(r, c);
            } else {
                for (std::size_t c = others.begin; c < others.end; ++c)
                    for (std::size_t r = some.begin; r < some.end; ++r) one(r, c);
            }
        }
}

}  // namespace glycine::pairwise::gl
