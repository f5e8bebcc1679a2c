#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/pairs/row_digest.hpp"

/// Digests of tiles, from which close pairs and a summary follow. A device that computes them along with the
/// values sends a few numbers per row instead of all values. Values are whole numbers that fit into 31 bits.
namespace glycine::pairs {

struct PairTile;

/// The values of a tile as whole numbers. In a diagonal tile, elements with column ≥ row mean nothing.
struct WholeTile {
    MatrixView<const std::uint32_t> values;
    MatrixView<const std::uint32_t> inCommon{};  ///< attributes that both instances have
    std::size_t leastInCommon = 0;  ///< a pair with fewer has no value; 0: all have one, inCommon is not read

    bool hasValue(std::size_t row, std::size_t column) const {
        return leastInCommon == 0 || inCommon(row, column) >= leastInCommon;
    }
};

struct ClosePair {
    std::uint32_t row = 0;
    std::uint32_t column = 0;  ///< less than `row`
    double value = 0;
    bool operator==(const ClosePair&) const = default;
};

/// Contents of a digest.
struct DigestRequest {
    std::uint32_t largest = 0;  ///< the largest value of close pairs
    std::span<const std::size_t>
        samples{};  ///< further pairs whose values are needed, as pairNumber counts; ascending
};

/// The digest of a tile. Instances count from 0 over the whole result.
struct TileDigest {
    std::vector<RowDigest> rows;
    std::vector<ClosePair> close;    ///< in any order
    std::vector<ClosePair> samples;  ///< NaN: the pair has no value
};

/// Computes the digest of a row from all its values. `inCommon` is the number of attributes that both
/// instances of a pair have; a pair with fewer than `leastInCommon` has no value. If it is empty, all pairs
/// have one.
RowDigest digestOfRow(std::span<const std::uint32_t> values, std::span<const std::uint32_t> inCommon,
                      std::size_t leastInCommon, std::uint32_t largest);

/// The digest of a tile from all its values, on all threads.
TileDigest digestOfTile(const PairTile& tile, const WholeTile& whole, const DigestRequest& digestRequest);

}  // namespace glycine::pairs
