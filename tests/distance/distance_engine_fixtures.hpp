#pragma once

#include "engine/core/guarded_matrix.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance_engine.hpp"
#include "tests/test.hpp"

/// Engines of `distance` driven directly, tile by tile.
namespace glycine::distance::fixtures {

struct Alphabet {
    unsigned symbols;
    unsigned planes;
    bool isGenotypes = false;
};
inline constexpr Alphabet kGenotypes{3, 2, true};
/// Random symbols; with missing ones, all symbols of the middle instance are missing.
inline SymbolMatrix makeSymbols(const Alphabet& alphabet, std::size_t instances, std::size_t attributes,
                                bool hasMissing) {
    std::mt19937 random(1);
    Matrix<std::uint8_t> symbols(instances, attributes);
    for (std::size_t i = 0; i < instances; ++i)
        for (std::size_t k = 0; k < attributes; ++k) {
            const bool isMissing = hasMissing && (i == instances / 2 || random() % 8 == 0);
            symbols(i, k) =
                isMissing ? kMissingSymbol : static_cast<std::uint8_t>(random() % alphabet.symbols);
        }
    return SymbolMatrix(std::move(symbols), {.planes = alphabet.planes, .isGenotypes = alphabet.isGenotypes});
}

/// All pairs of `instances` instances.
inline PairTile wholeTile(std::size_t instances) {
    return {{0, instances}, {0, instances}};
}

/// All pairs, and one half against the other.
inline std::vector<PairTile> halvesOf(std::size_t instances) {
    std::vector<PairTile> tiles{wholeTile(instances)};
    if (instances >= 2) tiles.push_back({{instances / 2, instances}, {0, instances / 2}});
    return tiles;
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
    /// Whether nothing was written outside the results, nor into results that were not requested.
    bool isIntact() {
        return differing_.isIntact() && opposite_.isIntact() && valid_.isIntact() &&
               (needs_.opposite || isUntouched(opposite_)) && (needs_.valid || isUntouched(valid_));
    }
    /// Fails for the first pair whose counts differ from those in `whole`, which must hold at least the same
    /// counts for all pairs.
    testing::AssertionResult agreesWith(CountedPairs& whole) {
        const PairCounts found = views();
        const PairCounts expected = whole.views();
        for (std::size_t r = 0; r < tile_.rows.size(); ++r)
            for (std::size_t c = 0; c < (tile_.isDiagonal() ? r : tile_.columns.size()); ++c) {
                const std::size_t row = tile_.rows.begin + r;
                const std::size_t column = tile_.columns.begin + c;
                const auto differ = [&](MatrixView<std::uint32_t> a, MatrixView<std::uint32_t> b) {
                    return !a.empty() && a(r, c) != b(row, column);
                };
                if (differ(found.differing, expected.differing) ||
                    differ(found.opposite, expected.opposite) || differ(found.valid, expected.valid))
                    return testing::AssertionFailure()
                           << "pair (" << row << ", " << column << "): " << pair(r, c) << " and "
                           << whole.pair(row, column);
            }
        return testing::AssertionSuccess();
    }
    /// "differing opposite valid" of a pair, without counts that were not requested.
    std::string pair(std::size_t row, std::size_t column) {
        std::string text = std::to_string(differing_.view()(row, column));
        if (needs_.opposite) text += " " + std::to_string(opposite_.view()(row, column));
        if (needs_.valid) text += " " + std::to_string(valid_.view()(row, column));
        return text;
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

/// Fraction of a tile's work that rounding of its portions may lose.
inline constexpr double kLostShare = 1e-6;

/// All counts of all pairs, computed by a plain loop.
inline CountedPairs countPlainly(const DiscreteSource& source) {
    const auto [instances, attributes] = std::pair(source.shape().instances, source.shape().attributes);
    Matrix<std::uint8_t> symbols(instances, attributes);
    source.readSymbols({0, instances}, {0, attributes}, symbols.view());
    CountedPairs counted(wholeTile(instances), {true, true});
    const PairCounts counts = counted.views();
    for (std::size_t i = 0; i < instances; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const std::uint8_t* a = symbols.row(i);
            const std::uint8_t* b = symbols.row(j);
            std::uint32_t differing = 0, opposite = 0, valid = 0;
            for (std::size_t k = 0; k < attributes; ++k) {  // without branches, which random symbols mislead
                const bool both = (a[k] != kMissingSymbol) & (b[k] != kMissingSymbol);
                differing += both & (a[k] != b[k]);
                opposite += both & ((a[k] + 2 == b[k]) | (b[k] + 2 == a[k]));
                valid += both;
            }
            counts.differing(i, j) = differing;
            counts.opposite(i, j) = opposite;
            counts.valid(i, j) = valid;
        }
    return counted;
}

/// The same for sums, with independent formulas.
template <class Number>
Matrix<double> sumPlainly(const Matrix<Number>& coordinates, SumTerm term) {
    const bool isLargest = term == SumTerm::LargestDifference;
    const auto termOf = [term](double difference) {
        switch (term) {
            case SumTerm::AbsoluteDifference:
            case SumTerm::LargestDifference:
                return difference < 0 ? -difference : difference;
            case SumTerm::AnyDifference:
                return difference < 0 || difference > 0 ? 1.0 : 0.0;
            case SumTerm::SquaredDifference:
                return difference * difference;
        }
        return test::kNaN;
    };
    Matrix<double> sums(coordinates.rows(), coordinates.rows(), 0);
    for (std::size_t i = 0; i < coordinates.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Number *a = coordinates.row(i), *b = coordinates.row(j);
            double sum = 0;
            for (std::size_t k = 0; k < coordinates.columns(); ++k) {
                const double more = termOf(double{a[k]} - double{b[k]});
                sum = !isLargest ? sum + more : more > sum ? more : sum;
            }
            sums(i, j) = sum;
        }
    return sums;
}

/// Counts one tile. Checks that only the results were written, and that progress reached exactly the expected
/// end.
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
    progress.advance(1 + kLostShare * work);
    EXPECT_EQ(fraction, 1);
    return counted;
}

inline CountedPairs countTile(DistanceEngine& engine, const DiscreteSource& source, const PairTile& tile,
                              CountNeeds needs, Variant variant = Variant::Default) {
    return countTile(*engine.startCounting(source, needs, variant), source, tile, needs);
}

/// The same for sums.
inline GuardedMatrix<double> sumTile(SummingRun& run, const CoordinateView& coordinates,
                                     const PairTile& tile) {
    const double work = static_cast<double>(tile.pairs()) * static_cast<double>(coordinates.columns());
    double fraction = 0;
    Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
    progress.begin("summing", work + 1);
    GuardedMatrix<double> sums(tile.rows.size(), tile.columns.size());
    run.sum(tile, sums.view(), progress);
    EXPECT_TRUE(sums.isIntact());
    EXPECT_LT(fraction, 1);
    progress.advance(1 + kLostShare * work);
    EXPECT_EQ(fraction, 1);
    return sums;
}

inline GuardedMatrix<double> sumTile(DistanceEngine& engine, const CoordinateView& coordinates, SumTerm term,
                                     const PairTile& tile, Variant variant = Variant::Default) {
    return sumTile(*engine.startSumming(coordinates, term, variant), coordinates, tile);
}

/// Counts `tiles` one after another and compares them with `expected`, all counts of all pairs.
inline void expectCounts(CountingRun& run, const DiscreteSource& source, CountNeeds needs,
                         const std::vector<PairTile>& tiles, CountedPairs& expected) {
    for (const PairTile& tile : tiles)
        ASSERT_TRUE(countTile(run, source, tile, needs).agreesWith(expected))
            << "tile (" << tile.rows.begin << ", " << tile.columns.begin << ")";
}

/// float64 coordinates, each slightly off its float32 neighbour.
inline Matrix<double> widened(const Matrix<float>& coordinates) {
    Matrix<double> wide(coordinates.rows(), coordinates.columns());
    for (std::size_t i = 0; i < coordinates.size(); ++i) wide.data()[i] = 1.1 * double{coordinates.data()[i]};
    return wide;
}

/// Sums `tiles` one after another and compares them with `expected`, the sums of all pairs.
template <class Number>
void expectSums(SummingRun& run, const Matrix<Number>& coordinates, const std::vector<PairTile>& tiles,
                const Matrix<double>& expected) {
    const CoordinateView view = coordinates.view();
    const double tolerance = summationTolerance(view.columns(), view.precision());
    for (const PairTile& tile : tiles) {
        GuardedMatrix<double> found = sumTile(run, view, tile);
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c) {
                const double sum = expected(tile.rows.begin + r, tile.columns.begin + c);
                ASSERT_NEAR(found.view()(r, c), sum, tolerance * sum)
                    << "tile (" << tile.rows.begin << ", " << tile.columns.begin << "): " << r << ", " << c;
            }
    }
}

}  // namespace glycine::distance::fixtures

namespace glycine::distance {
using namespace fixtures;
}
