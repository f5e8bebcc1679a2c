#include "engine/distance/measures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"

namespace glycine::distance {

namespace {

/// The factor that corrects a pair's count for missing entries.
class MissingScale {
  public:
    MissingScale(const CountedTile& counted, MissingRule rule, std::size_t attributes,
                 const MissingWeights* weights)
        : counted_(counted),
          attributes_(static_cast<double>(attributes)),
          weights_(counted.bothMissing.data() != nullptr ? weights : nullptr),
          isFlat_(rule == MissingRule::Flat && counted.counts.valid.data() != nullptr) {}

    double operator()(std::size_t row, std::size_t column) const {
        if (weights_ != nullptr) {
            const std::vector<std::uint64_t>& missing = weights_->missing();
            const std::uint64_t present = weights_->total() - missing[counted_.tile.rows.begin + row] -
                                          missing[counted_.tile.columns.begin + column] +
                                          counted_.bothMissing(row, column);
            return static_cast<double>(weights_->total()) / static_cast<double>(present);
        }
        if (isFlat_) return attributes_ / counted_.counts.valid(row, column);
        return 1;
    }

  private:
    const CountedTile& counted_;
    double attributes_;
    const MissingWeights* weights_;
    bool isFlat_;
};

}  // namespace

std::size_t forRows(const PairTile& tile, const std::function<std::size_t(std::size_t, std::size_t)>& row) {
    const auto rows = static_cast<std::ptrdiff_t>(tile.rows.size());
    std::size_t total = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : total) if (tile.pairs() > 100000)
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
        const auto index = static_cast<std::size_t>(r);
        total += row(index, tile.columnsOf(index));
    }
    return total;
}

/// Counts of a tile's pairs, in the form that measures need.
struct MeasuredCounts {
    const CountedTile& counted;
    MissingScale scale;
    double all;   ///< number of attributes
    double half;  ///< 0.5 / all: one over the number of alleles, two per attribute
    std::size_t leastInCommon;

    double differing(std::size_t row, std::size_t column) const {
        return counted.counts.differing(row, column);
    }
    double alleles(std::size_t row, std::size_t column) const {
        const PairCounts& counts = counted.counts;
        return static_cast<double>(std::uint64_t{counts.differing(row, column)} +
                                   counts.opposite(row, column));
    }
    /// Attributes known in both instances.
    double inCommon(std::size_t row, std::size_t column) const {
        const MatrixView<std::uint32_t>& valid = counted.counts.valid;
        return valid.data() == nullptr ? all : valid(row, column);
    }
};

KinshipPair kinshipPair(const CountedTile& counted, std::size_t attributes, std::size_t row,
                        std::size_t column) {
    const PairCounts& counts = counted.counts;
    KinshipPair pair{.row = static_cast<std::uint32_t>(counted.tile.rows.begin + row),
                     .column = static_cast<std::uint32_t>(counted.tile.columns.begin + column)};
    pair.inCommon = counts.valid.empty() ? static_cast<std::uint32_t>(attributes) : counts.valid(row, column);
    pair.ibs0 = counts.opposite(row, column);
    pair.ibs1 = counts.differing(row, column) - pair.ibs0;
    const std::uint32_t rowAlone = counted.markedAlone(row, column);
    pair.hetHet = counted.marked(row, column) - rowAlone;
    pair.hets = pair.hetHet + std::min(rowAlone, pair.ibs1 - rowAlone);
    return pair;
}

namespace {

// Values from counts. Operations are in PLINK's order: see valuesFromCounts.
double mismatches(const MeasuredCounts& pairs, std::size_t row, std::size_t column) {
    return pairs.scale(row, column) * pairs.differing(row, column);
}
double proportion(const MeasuredCounts& pairs, std::size_t row, std::size_t column) {
    return pairs.differing(row, column) / pairs.inCommon(row, column);
}
double differingAlleles(const MeasuredCounts& pairs, std::size_t row, std::size_t column) {
    return pairs.scale(row, column) * pairs.alleles(row, column);
}
double oneMinusIbs(const MeasuredCounts& pairs, std::size_t row, std::size_t column) {
    return pairs.scale(row, column) * pairs.alleles(row, column) * pairs.half;
}
double identityByState(const MeasuredCounts& pairs, std::size_t row, std::size_t column) {
    return 1 - oneMinusIbs(pairs, row, column);
}

/// NaN if there is no finite value.
double kinship(const MeasuredCounts& pairs, std::size_t row, std::size_t column) {
    const KinshipPair pair = kinshipPair(pairs.counted, static_cast<std::size_t>(pairs.all), row, column);
    return pair.hets == 0 ? std::numeric_limits<double>::quiet_NaN() : pair.kinship();
}

/// 0 for two instances that are both entirely 0, as in SciPy.
double jaccard(const MeasuredCounts& pairs, std::size_t row, std::size_t column) {
    const CountedTile& counted = pairs.counted;
    const double inCommon = pairs.inCommon(row, column);
    const double neither = counted.marked(row, column) - counted.markedAlone(row, column);
    return inCommon > 0 && inCommon == neither ? 0 : pairs.differing(row, column) / (inCommon - neither);
}

/// MeasureTraits::fromCounts for one of these functions.
template <double (*value)(const MeasuredCounts&, std::size_t, std::size_t)>
std::size_t fillFromCounts(const MeasuredCounts& pairs, MatrixView<double> values) {
    const MatrixView<std::uint32_t>& valid = pairs.counted.counts.valid;
    return forRows(pairs.counted.tile, [&](std::size_t r, std::size_t columns) {
        std::size_t undefined = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            const bool isKnown = pairs.leastInCommon == 0 || valid(r, c) >= pairs.leastInCommon;
            const double result = isKnown ? value(pairs, r, c) : std::numeric_limits<double>::quiet_NaN();
            undefined += std::isnan(result) ? 1 : 0;
            values(r, c) = result;
        }
        return undefined;
    });
}

double root(double sum) {
    return std::sqrt(sum);
}
/// From the squared distance of rows of length 1, which is 2 − 2 ab.
double half(double sum) {
    return sum / 2;
}
/// MeasureTraits::fromSums for one of these functions.
template <double (*value)(double)>
void eachFromSum(double* sums, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) sums[k] = value(sums[k]);
}
double changeOfRoot(const CoordinateRounding& rounding, double) {
    return rounding.euclidean;
}
double changeOfHalf(const CoordinateRounding& rounding, double value) {
    return rounding.ofSum(SumTerm::SquaredDifference, 2 * value) / 2;
}

constexpr MeasureTraits kMeasures[] = {
    {.measure = Measure::Mismatch,
     .attributes = Attributes::Symbols,
     .quantity = "number of attributes that differ",
     .fromCounts = fillFromCounts<mismatches>},
    {.measure = Measure::Proportion,
     .attributes = Attributes::Symbols,
     .quantity = "share of attributes that differ",
     .isShare = true,
     .fromCounts = fillFromCounts<proportion>},
    {.measure = Measure::Allele,
     .attributes = Attributes::Genotypes,
     .quantity = "number of alleles that differ",
     .fromCounts = fillFromCounts<differingAlleles>},
    {.measure = Measure::Ibs,
     .attributes = Attributes::Genotypes,
     .quantity = "identity by state",
     .isShare = true,
     .isSimilarity = true,
     .fromCounts = fillFromCounts<identityByState>},
    {.measure = Measure::OneMinusIbs,
     .attributes = Attributes::Genotypes,
     .quantity = "1 - identity by state",
     .isShare = true,
     .fromCounts = fillFromCounts<oneMinusIbs>},
    {.measure = Measure::King,
     .attributes = Attributes::Genotypes,
     .quantity = "KING-robust kinship",
     .isShare = true,
     .isSimilarity = true,
     .selfValue = 0.5,
     .isWeighted = false,
     .mark = Mark::Heterozygotes,
     .fromCounts = fillFromCounts<kinship>},
    {.measure = Measure::Jaccard,
     .attributes = Attributes::Genotypes,
     .quantity = "Jaccard distance",
     .isShare = true,
     .countsAlleles = false,
     .mark = Mark::Zeros,
     .fromCounts = fillFromCounts<jaccard>},
    {.measure = Measure::Grm,
     .attributes = Attributes::Genotypes,
     .quantity = "genomic relationship",
     .isShare = true,
     .isSimilarity = true,
     .selfValue = std::numeric_limits<double>::quiet_NaN(),
     .countsAlleles = false,
     .term = SumTerm::SquaredDifference},
    {.measure = Measure::Euclidean,
     .attributes = Attributes::Coordinates,
     .quantity = "Euclidean distance",
     .term = SumTerm::SquaredDifference,
     .fromSums = eachFromSum<root>,
     .degree = 1,
     .change = changeOfRoot},
    {.measure = Measure::SquaredEuclidean,
     .attributes = Attributes::Coordinates,
     .quantity = "squared Euclidean distance",
     .term = SumTerm::SquaredDifference,
     .degree = 2},
    {.measure = Measure::Manhattan,
     .attributes = Attributes::Coordinates,
     .quantity = "Manhattan distance",
     .term = SumTerm::AbsoluteDifference,
     .degree = 1},
    {.measure = Measure::Correlation,
     .attributes = Attributes::Coordinates,
     .quantity = "1 - correlation",
     .term = SumTerm::SquaredDifference,
     .preparation = Preparation::Standardise,
     .fromSums = eachFromSum<half>,
     .change = changeOfHalf},
    {.measure = Measure::Cosine,
     .attributes = Attributes::Coordinates,
     .quantity = "1 - cosine",
     .term = SumTerm::SquaredDifference,
     .preparation = Preparation::Normalise,
     .fromSums = eachFromSum<half>,
     .change = changeOfHalf},
    {.measure = Measure::Chebyshev,
     .attributes = Attributes::Coordinates,
     .quantity = "Chebyshev distance",
     .term = SumTerm::LargestDifference,
     .degree = 1},
    {.measure = Measure::BrayCurtis,
     .attributes = Attributes::Coordinates,
     .quantity = "Bray-Curtis dissimilarity",
     .term = SumTerm::AbsoluteDifference,
     .divisor = Divisor::RowSums,
     .degree = 1},
    {.measure = Measure::Hamming,
     .attributes = Attributes::Coordinates,
     .quantity = "share of attributes that differ",
     .term = SumTerm::AnyDifference,
     .preparation = Preparation::Rank,
     .divisor = Divisor::Attributes},
};

}  // namespace

const MeasureTraits& traitsOf(Measure measure) {
    for (const MeasureTraits& traits : kMeasures)
        if (traits.measure == measure) return traits;
    checkKnown(measure);
    throw std::logic_error("a measure is missing in kMeasures");
}

bool isForCoordinates(Measure measure) {
    return traitsOf(measure).attributes == Attributes::Coordinates;
}

bool isForGenotypes(Measure measure) {
    return traitsOf(measure).attributes == Attributes::Genotypes;
}

Measure defaultMeasure(bool ofCoordinates) {
    return ofCoordinates ? Measure::Euclidean : Measure::Mismatch;
}

std::string measureNames(Attributes attributes, std::string_view last, std::string_view mark) {
    std::vector<std::string> names;
    for (const MeasureTraits& traits : kMeasures) {
        if (traits.attributes != attributes) continue;
        const bool isUsual =
            traits.measure == defaultMeasure(false) || traits.measure == defaultMeasure(true);
        names.push_back(fmt::format("{}{}", toString(traits.measure), isUsual ? mark : ""));
    }
    const std::string end = names.back();
    names.pop_back();
    return fmt::format("{}{}{}", fmt::join(names, ", "), last, end);
}

double changeOf(Measure measure, const CoordinateRounding& rounding, double value) {
    const MeasureTraits& traits = traitsOf(measure);
    return traits.change != nullptr ? traits.change(rounding, value) : rounding.ofSum(traits.term, value);
}

CountNeeds neededCounts(Measure measure, MissingRule rule, const DiscreteShape& shape) {
    const MeasureTraits& traits = traitsOf(measure);
    CountNeeds needs;
    needs.opposite = traits.countsAlleles;
    needs.valid = shape.hasMissing && (rule == MissingRule::Flat || traits.mark ||
                                       (rule == MissingRule::Ignore && traits.isShare));
    return needs;
}

double diagonalValue(Measure measure) {
    return traitsOf(measure).selfValue;
}

std::size_t valuesFromCounts(const CountedTile& counted, Measure measure, MissingRule rule,
                             std::size_t attributes, const MissingWeights* weights, MatrixView<double> values,
                             std::size_t leastInCommon) {
    const MeasureTraits& traits = traitsOf(measure);
    if (traits.fromCounts == nullptr)
        throw UsageError(fmt::format("the measure '{}' is no number of counts", toString(measure)));
    // A proportion of the attributes known in both is a count with the flat correction, divided by the total
    // number of attributes.
    const MissingRule scaled = traits.isShare && rule == MissingRule::Ignore ? MissingRule::Flat : rule;
    const double all = static_cast<double>(attributes);
    return traits.fromCounts({counted, {counted, scaled, attributes, weights}, all, 0.5 / all, leastInCommon},
                             values);
}

std::size_t pairsWithFewer(const PairTile& tile, MatrixView<const std::uint32_t> inCommon,
                           std::size_t least) {
    return forRows(tile, [&](std::size_t r, std::size_t columns) {
        const std::uint32_t* row = inCommon.row(r);
        return static_cast<std::size_t>(
            std::count_if(row, row + columns, [&](std::uint32_t both) { return both < least; }));
    });
}

bool isSummed(Measure measure) {
    return traitsOf(measure).fromCounts == nullptr;
}

void valuesFromSums(const PairTile& tile, Measure measure, MatrixView<double> sums, double unit,
                    std::span<const double> margins) {
    const MeasureTraits& traits = traitsOf(measure);
    const std::size_t beyond = forRows(tile, [&](std::size_t r, std::size_t columns) {
        double* row = sums.row(r);
        if (traits.fromSums != nullptr) traits.fromSums(row, columns);
        for (int power = 0; unit != 1 && power < traits.degree; ++power)
            for (std::size_t c = 0; c < columns; ++c) row[c] /= unit;
        for (std::size_t c = 0; !margins.empty() && c < columns; ++c)
            row[c] /= margins[tile.rows.begin + r] + margins[tile.columns.begin + c];
        std::size_t count = 0;
        for (std::size_t c = 0; c < columns; ++c) count += std::isfinite(row[c]) ? 0 : 1;
        return count;
    });
    for (std::size_t r = 0; beyond > 0 && r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < tile.columnsOf(r); ++c)
            if (!std::isfinite(sums(r, c)))
                throw InputError(fmt::format(
                    "instances {} and {}: the '{}' distance is beyond 1.8e308, the range of float64; divide "
                    "the coordinates by a power of ten first",
                    tile.rows.begin + r + 1, tile.columns.begin + c + 1, toString(measure)));
}

}  // namespace glycine::distance
