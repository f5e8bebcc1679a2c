#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/algorithms/distance/study/tiled_run.hpp"

namespace glycine::distance {

/// All pairs among some rows of a data set, counted and summed again plainly, from symbols or coordinates,
/// without any engine: a check that a large result can afford.
class SampledPairs {
  public:
    /// At most `rows` distinct rows, the first and the last among them, the others drawn with `seed`.
    /// Takes O(rows² · attributes).
    SampledPairs(const DataView& data, SumTerm term, std::size_t rows, std::uint64_t seed);

    /// Looks at those pairs that lie in the tile. Sums may differ by summationTolerance().
    void check(const PairTile& tile, const TileResult& result);

    /// Ends the check of one result: whether each pair was there once, and right. The next check begins anew.
    bool finish();
    /// What the last result that was finished was like: "120 pairs exact", "pair (3, 1): …".
    const std::string& verdict() const { return verdict_; }

  private:
    struct Pair {
        std::size_t row = 0;
        std::size_t column = 0;  ///< < row
        std::uint64_t differing = 0;
        std::uint64_t opposite = 0;
        std::uint64_t valid = 0;
        double sum = 0;
    };
    void countPairs(const DiscreteSource& source);
    void sumPairs(MatrixView<const float> coordinates, SumTerm term);
    void checkCounts(const Pair& pair, const PairCounts& counts, std::size_t row, std::size_t column);
    void checkSum(const Pair& pair, double found);
    void fail(const Pair& pair, const std::string& what);

    std::vector<std::size_t> rows_;  ///< ascending
    std::vector<Pair> pairs_;
    double tolerance_ = 0;
    std::size_t seen_ = 0;
    double largestDifference_ = 0;
    std::string failure_;
    std::string verdict_;
};

}  // namespace glycine::distance
