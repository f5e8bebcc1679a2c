#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/distance/distance.hpp"
#include "engine/distance/kinship.hpp"
#include "engine/distance/missing_weights.hpp"
#include "engine/distance/pair_engine.hpp"
#include "engine/distance/prepared_coordinates.hpp"

/// What each measure is, and from counts and sums to its values: the same for all backends.
namespace glycine::distance {

struct MeasuredCounts;

/// What the attributes of a measure are.
enum class Attributes { Symbols, Genotypes, Coordinates };

/// What sums over coordinates are divided by.
enum class Divisor {
    One,
    RowSums,     ///< the sums of both rows, whose numbers are not negative
    Attributes,  ///< the number of attributes
};

/// All that tells one measure from another; kMeasures in measures.cpp has one for each.
struct MeasureTraits {
    Measure measure;
    Attributes attributes;
    std::string_view quantity;  ///< in pictures: "Manhattan distance"

    // Of symbols and genotypes.
    bool isShare = false;       ///< of the attributes, or alleles, that both instances have; else a count
    bool isSimilarity = false;  ///< largest for equal instances
    double ofItself = isSimilarity ? 1 : 0;                    ///< value of an instance beside itself
    bool countsAlleles = attributes == Attributes::Genotypes;  ///< needs opposite homozygotes
    /// Missing entries may be: MissingRule::Weighted. Of genotypes alone: if not, MissingRule::Ignore is the
    /// only way to count on.
    bool isWeighted = countsAlleles;
    std::optional<Mark> mark{};  ///< genotypes that are counted besides (MarkedSource)
    /// Fills the values of a tile; returns the number of those that are NaN.
    std::size_t (*fromCounts)(const MeasuredCounts& pairs, MatrixView<double> values) = nullptr;

    // Of coordinates.
    SumTerm term = SumTerm::AbsoluteDifference;
    Preparation preparation = Preparation::None;
    Divisor divisor = Divisor::One;
    /// Turns `count` sums into values; null: they are the values.
    void (*fromSums)(double* sums, std::size_t count) = nullptr;
    int degree = 0;  ///< coordinates times u make values times u^degree
    /// changeOf; null: that of the sum.
    double (*change)(const CoordinateRounding& rounding, double value) = nullptr;
};
const MeasureTraits& traitsOf(Measure measure);

/// The names of measures of these attributes, "a, b, c", before the last one `last`. `mark` is appended to
/// the usual one (usualMeasure).
std::string measureNames(Attributes attributes, std::string_view last = ", ", std::string_view mark = "");

/// Which counts the measure needs beside `differing`.
CountNeeds neededCounts(Measure measure, MissingRule rule, const DiscreteShape& shape);

/// Value of an instance beside itself: 1 for a similarity (kinship: 1/2), else 0.
double diagonalValue(Measure measure);

/// Counts of a tile with what their values depend on.
struct CountedTile {
    PairTile tile;
    PairCounts counts;                              ///< `valid` empty: all pairs have all attributes
    MatrixView<const std::uint64_t> bothMissing{};  ///< MissingRule::Weighted: see MissingWeights
    /// MeasureTraits::mark: marked genotypes of the row's instance where the column's has a value, and where
    /// that is not marked.
    MatrixView<const std::uint32_t> marked{}, markedAlone{};
};

/// The counts of an element of a tile for Measure::King, of data with so many attributes.
KinshipPair kinshipPair(const CountedTile& counted, std::size_t attributes, std::size_t row,
                        std::size_t column);

/// Whether the values come from sums of coordinates, which genotypes are turned into for Measure::Grm.
bool isSummed(Measure measure);

/// Fills values(row, column) for column < row. A value is NaN where the pair has fewer than `leastInCommon`
/// attributes in common (more than 0 only where counts.valid is there), and where it has none and the rule
/// divides by their number. Returns the number of those. Runs on several threads.
///
/// The order of operations is PLINK's, so that its results are met to the last bit:
/// flat: (M / N_ij)·count; weighted: (W / W_ij)·count; 1-ibs: that · (0.5 / M); ibs: 1 − 1-ibs.
std::size_t valuesFromCounts(const CountedTile& counted, Measure measure, MissingRule rule,
                             std::size_t attributes, const MissingWeights* weights, MatrixView<double> values,
                             std::size_t leastInCommon = 0);

/// How many pairs of a tile have fewer than `least` attributes in common. Runs on several threads.
std::size_t pairsWithFewer(const PairTile& tile, MatrixView<const std::uint32_t> inCommon, std::size_t least);

/// Turns sums into distances in place. `unit`: what the coordinates were multiplied by, a power of two.
/// `margins`: of the instances; sums are divided by those of both, unless there are none. Throws InputError
/// naming the pair (instances from 1) where squares or sums have left the range of float64.
void valuesFromSums(const PairTile& tile, Measure measure, MatrixView<double> sums, double unit = 1,
                    std::span<const double> margins = {});

/// An engine at work on the values of a measure: the only quantity of its results.
class ValueRun : public pairs::TileRun<double> {
  public:
    std::string_view variantName() const final { return run().variantName(); }
    pairs::PairTimes times() const final {
        pairs::PairTimes times = run().times();
        if (const pairs::PairRun* more = secondRun()) times += more->times();
        return times;
    }
    std::string note() const final { return run().note(); }
    void compute(const PairTile& tile, std::span<const MatrixView<double>> results, Progress& progress) final;
    /// The same in two steps, with memory of its own for tiles of set 0 and 1. First what the engine does:
    /// its sums lie in `values`, its counts in the set.
    virtual void begin(const PairTile& tile, std::size_t set, MatrixView<double> values,
                       Progress& progress) = 0;
    /// In place of both, where that can be had: what the backend finds of the values by itself.
    virtual std::optional<pairs::TileDigest> digest(const PairTile& /*tile*/,
                                                    const pairs::DigestWish& /*wish*/,
                                                    Progress& /*progress*/) {
        return std::nullopt;
    }
    /// Then, in place of `finish`, the values as whole numbers where they are some. They lie in the set.
    virtual std::optional<pairs::WholeTile> whole(const PairTile& /*tile*/, std::size_t /*set*/) {
        return std::nullopt;
    }
    /// Then the values, on the host.
    virtual void finish(const PairTile& tile, std::size_t set, MatrixView<double> values) = 0;
    /// That were spent beside the engine's own stages, but for those in `finish` when it is called by itself.
    double finishSeconds() const { return finishSeconds_; }
    /// Of all tiles: pairs whose value is NaN.
    std::size_t undefinedPairs() const { return undefinedPairs_; }
    /// Of coordinates, before their differences were taken.
    const CoordinateRounding& rounding() const { return rounding_; }
    /// What roundings of sums are in proportion to, of the only pair of the last tile; `value`: its value.
    virtual double magnitude(double value) const { return std::abs(value); }

  protected:
    /// Counts, or sums.
    virtual const pairs::PairRun& run() const = 0;
    /// Another one whose counts are needed besides; null: none.
    virtual const pairs::PairRun* secondRun() const { return nullptr; }
    double finishSeconds_ = 0;
    std::size_t undefinedPairs_ = 0;
    CoordinateRounding rounding_;
};
/// `data` outlive the run. Throws as PreparedCoordinates and MissingWeights.
std::unique_ptr<ValueRun> startValues(PairEngine& engine, const DataView& data,
                                      const DistanceOptions& options, Progress& progress);

}  // namespace glycine::distance
