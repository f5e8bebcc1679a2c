#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/distance/distance.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/kinship.hpp"
#include "engine/distance/missing_weights.hpp"
#include "engine/distance/prepared_coordinates.hpp"

/// The definition of each measure, and the computation of its values from counts and sums: the same for all
/// backends.
namespace glycine::distance {

struct MeasuredCounts;

/// The attributes to which a measure applies.
enum class Attributes { Symbols, Genotypes, Coordinates };

/// The divisor of sums over coordinates.
enum class Divisor {
    One,
    RowSums,     ///< the sums of both rows, whose numbers are non-negative
    Attributes,  ///< the number of attributes
};

/// The properties of a measure; kMeasures in measures.cpp has an entry for each.
struct MeasureTraits {
    Measure measure;
    Attributes attributes;
    std::string_view quantity;  ///< in pictures: "Manhattan distance"

    // For symbols and genotypes.
    bool isShare = false;       ///< a fraction of the attributes, or alleles, known in both instances; else a
                                ///< count
    bool isSimilarity = false;  ///< largest for equal instances
    double selfValue = isSimilarity ? 1 : 0;                   ///< value of an instance paired with itself
    bool countsAlleles = attributes == Attributes::Genotypes;  ///< needs opposite homozygotes
    /// Whether MissingRule::Weighted is allowed. Genotype measures without it allow only Ignore and Refuse.
    bool isWeighted = countsAlleles;
    std::optional<Mark> mark{};  ///< genotypes to be counted in addition (MarkedSource)
    /// Fills the values of a tile; returns the number of NaN values.
    std::size_t (*fromCounts)(const MeasuredCounts& pairs, MatrixView<double> values) = nullptr;

    // For coordinates.
    SumTerm term = SumTerm::AbsoluteDifference;
    Preparation preparation = Preparation::None;
    Divisor divisor = Divisor::One;
    /// Converts `count` sums into values; null if sums are values.
    void (*fromSums)(double* sums, std::size_t count) = nullptr;
    int degree = 0;  ///< scaling coordinates by u scales values by u^degree
    /// The result of changeOf; null: that of the sum.
    double (*change)(const CoordinateRounding& rounding, double value) = nullptr;
};
const MeasureTraits& traitsOf(Measure measure);

/// The names of measures for these attributes, "a, b, c", with `last` before the final one. `mark` is
/// appended to the default measure (defaultMeasure).
std::string measureNames(Attributes attributes, std::string_view last = ", ", std::string_view mark = "");

/// The counts that the measure needs in addition to `differing`.
CountNeeds neededCounts(Measure measure, MissingRule rule, const DiscreteShape& shape);

/// Value of an instance paired with itself: 1 for a similarity (kinship: 1/2), else 0.
double diagonalValue(Measure measure);

/// Counts of a tile, with everything that its values depend on.
struct CountedTile {
    PairTile tile;
    PairCounts counts;                              ///< `valid` is empty if all pairs have all attributes
    MatrixView<const std::uint64_t> bothMissing{};  ///< MissingRule::Weighted: see MissingWeights
    /// MeasureTraits::mark: marked genotypes of the row's instance that are known in the column's, and those
    /// that are known but not marked there.
    MatrixView<const std::uint32_t> marked{}, markedAlone{};
};

/// The counts of an element of a tile for Measure::King. `attributes` is the number of attributes of the
/// data.
KinshipPair kinshipPair(const CountedTile& counted, std::size_t attributes, std::size_t row,
                        std::size_t column);

/// Calls row(r, columns) for all rows of a tile, on several threads, and returns the sum of the results.
std::size_t forRows(const PairTile& tile,
                    const std::function<std::size_t(std::size_t row, std::size_t columns)>& row);

/// Whether values come from sums over coordinates; for Measure::Grm, genotypes are converted to coordinates.
bool isSummed(Measure measure);

/// Fills values(row, column) for column < row. A value is NaN if the pair has fewer than `leastInCommon`
/// attributes in common (only above 0 if counts.valid exists), or none and the rule divides by their number.
/// Returns the number of NaN values. Runs on several threads.
///
/// Operations are in PLINK's order, so that its results are reproduced to the last bit: flat: (M /
/// N_ij)·count; weighted: (W / W_ij)·count; 1-ibs: that · (0.5 / M); ibs: 1 − 1-ibs.
std::size_t valuesFromCounts(const CountedTile& counted, Measure measure, MissingRule rule,
                             std::size_t attributes, const MissingWeights* weights, MatrixView<double> values,
                             std::size_t leastInCommon = 0);

/// Number of pairs in a tile with fewer than `least` attributes in common. Runs on several threads.
std::size_t pairsWithFewer(const PairTile& tile, MatrixView<const std::uint32_t> inCommon, std::size_t least);

/// Converts sums into distances in place. `unit`: the power of two by which the coordinates were multiplied.
/// `margins`: one per instance; sums are divided by the margins of both, or not at all if it is empty. Throws
/// InputError naming the pair (instances from 1) if squares or sums left the range of float64.
void valuesFromSums(const PairTile& tile, Measure measure, MatrixView<double> sums, double unit = 1,
                    std::span<const double> margins = {});

/// An engine that computes the values of a measure, the only quantity of its results.
class ValueRun : public pairs::TileRun<double> {
  public:
    std::string_view variantName() const final { return run().variantName(); }
    pairs::PairTimes times() const final {
        pairs::PairTimes times = run().times();
        if (const pairs::PairRun* more = secondRun()) times += more->times();
        return times;
    }
    std::string note() const final { return run().note(); }
    std::vector<pairs::HostStage> hostStages() const final { return run().hostStages(); }
    void compute(const PairTile& tile, std::span<const MatrixView<double>> results, Progress& progress) final;
    /// The same in two steps, with separate memory for tiles of set 0 and set 1. The first step runs the
    /// engine: sums go to `values`, counts to the set.
    virtual void begin(const PairTile& tile, std::size_t set, MatrixView<double> values,
                       Progress& progress) = 0;
    /// Instead of both steps, if the backend can compute it: a digest of the values.
    virtual std::optional<pairs::TileDigest> digest(const PairTile& /*tile*/,
                                                    const pairs::DigestRequest& /*digestRequest*/,
                                                    Progress& /*progress*/) {
        return std::nullopt;
    }
    /// The second step for sinks that take whole numbers, instead of `finish`: the values in the set, if they
    /// are whole.
    virtual std::optional<pairs::WholeTile> whole(const PairTile& /*tile*/, std::size_t /*set*/) {
        return std::nullopt;
    }
    /// The second step: computes the values on the host.
    virtual void finish(const PairTile& tile, std::size_t set, MatrixView<double> values) = 0;
    /// Called once the values of the set are stored: gives the counts of its pairs to
    /// DistanceOptions::kinships.
    virtual void passOn(std::size_t /*set*/) {}
    /// Seconds spent outside the engine's own stages, except those in `finish` when it is called separately.
    double finishSeconds() const { return finishSeconds_; }
    /// Pairs whose value is NaN in the last tile of a set, or in the last digest (TileSteps::kOfDigest).
    std::size_t undefinedPairs(std::size_t set) const { return undefinedPairs_[set]; }
    /// Rounding of coordinates before their differences were taken.
    const CoordinateRounding& rounding() const { return rounding_; }
    /// The magnitude that roundings of sums are proportional to, for the only pair of the last tile; `value`
    /// is its value.
    virtual double magnitude(double value) const { return std::abs(value); }

  protected:
    /// The run that counts or sums.
    virtual const pairs::PairRun& run() const = 0;
    /// A second run whose counts are needed, or null.
    virtual const pairs::PairRun* secondRun() const { return nullptr; }
    double finishSeconds_ = 0;
    std::array<std::size_t, pairs::TileSteps::kOfDigest + 1> undefinedPairs_{};
    CoordinateRounding rounding_;
};
/// `data` must outlive the run. Throws as PreparedCoordinates and MissingWeights do.
std::unique_ptr<ValueRun> startValues(DistanceEngine& engine, const DataView& data,
                                      const DistanceOptions& options, Progress& progress);

}  // namespace glycine::distance
