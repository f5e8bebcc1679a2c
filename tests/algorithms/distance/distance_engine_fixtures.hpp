#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "engine/algorithms/distance/pair_engine.hpp"
#include "engine/core/guarded_matrix.hpp"
#include "engine/core/progress.hpp"

/// Engines of `distance` driven directly, tile by tile.
namespace glycine::distance::test {

/// All pairs of `instances` instances.
inline PairTile wholeTile(std::size_t instances) {
    return {{0, instances}, {0, instances}};
}

/// Room for the counts of a tile, with guards around it.
class CountedPairs {
  public:
    CountedPairs(const PairTile& tile, CountNeeds needs)
        : tile_(tile),
          needs_(needs),
          differing_(tile.rows.size(), tile.columns.size()),
          opposite_(tile.rows.size(), tile.columns.size()),
          valid_(tile.rows.size(), tile.columns.size()) {}

    PairCounts views() {
        return {differing_.view(), needs_.opposite ? opposite_.view() : MatrixView<std::uint32_t>(),
                needs_.valid ? valid_.view() : MatrixView<std::uint32_t>()};
    }
    /// Nothing was written beside the results, nor into results that were not asked for.
    bool isIntact() {
        return differing_.isIntact() && opposite_.isIntact() && valid_.isIntact() &&
               (needs_.opposite || isUntouched(opposite_)) && (needs_.valid || isUntouched(valid_));
    }
    /// "differing opposite valid" of a pair, without what was not asked for.
    std::string pair(std::size_t row, std::size_t column) {
        std::string text = std::to_string(differing_.view()(row, column));
        if (needs_.opposite) text += " " + std::to_string(opposite_.view()(row, column));
        if (needs_.valid) text += " " + std::to_string(valid_.view()(row, column));
        return text;
    }
    /// The first pair, if any, whose counts are others.
    testing::AssertionResult agreesWith(CountedPairs& other) {
        for (std::size_t r = 0; r < tile_.rows.size(); ++r)
            for (std::size_t c = 0; c < (tile_.isDiagonal() ? r : tile_.columns.size()); ++c)
                if (pair(r, c) != other.pair(r, c))
                    return testing::AssertionFailure() << "pair (" << r << ", " << c << "): " << pair(r, c)
                                                       << " and " << other.pair(r, c);
        return testing::AssertionSuccess();
    }

  private:
    static bool isUntouched(GuardedMatrix<std::uint32_t>& matrix) {
        const MatrixView<std::uint32_t> view = matrix.view();
        for (std::size_t r = 0; r < view.rows(); ++r)
            for (std::size_t c = 0; c < view.columns(); ++c)
                if (view(r, c) != GuardedMatrix<std::uint32_t>::kGuard) return false;
        return true;
    }

    PairTile tile_;
    CountNeeds needs_;
    GuardedMatrix<std::uint32_t> differing_, opposite_, valid_;
};

/// Counts one tile; checks that only the results were written, and that progress came as far as it should and
/// no further.
inline CountedPairs countTile(CountingRun& run, const DiscreteSource& source, const PairTile& tile,
                              CountNeeds needs) {
    const double work = static_cast<double>(tile.pairs()) * static_cast<double>(source.shape().attributes);
    double fraction = 0;
    Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
    progress.begin("counting", work + 1);
    CountedPairs counted(tile, needs);
    run.count(tile, counted.views(), progress);
    EXPECT_TRUE(counted.isIntact());
    EXPECT_LT(fraction, 1);
    progress.advance(1);
    EXPECT_EQ(fraction, 1);
    return counted;
}

inline CountedPairs countTile(PairEngine& engine, const DiscreteSource& source, const PairTile& tile,
                              CountNeeds needs, Variant variant = Variant::Default) {
    return countTile(*engine.startCounting(source, needs, variant), source, tile, needs);
}

/// The same for sums.
inline GuardedMatrix<double> sumTile(PairEngine& engine, MatrixView<const float> coordinates, SumTerm term,
                                     const PairTile& tile) {
    const double work = static_cast<double>(tile.pairs()) * static_cast<double>(coordinates.columns());
    double fraction = 0;
    Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
    progress.begin("summing", work + 1);
    GuardedMatrix<double> sums(tile.rows.size(), tile.columns.size());
    engine.startSumming(coordinates, term, Variant::Default)->sum(tile, sums.view(), progress);
    EXPECT_TRUE(sums.isIntact());
    EXPECT_LT(fraction, 1);
    progress.advance(1);
    EXPECT_EQ(fraction, 1);
    return sums;
}

}  // namespace glycine::distance::test
