#include "engine/distance/pair_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/core/error.hpp"

namespace glycine::distance {

namespace {

/// Columns of row `row` (counted within the tile) that come before it among all instances.
std::size_t columnsBefore(const PairTile& tile, std::size_t row) {
    return tile.isDiagonal() ? row : tile.columns.size();
}

/// Calls row(r, columns) for all rows of a tile, on several threads, and adds up what the calls return.
template <class Row>
std::size_t forRows(const PairTile& tile, Row&& row) {
    const auto rows = static_cast<std::ptrdiff_t>(tile.rows.size());
    std::size_t total = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : total) if (tile.pairs() > 100000)
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
        const auto index = static_cast<std::size_t>(r);
        total += row(index, columnsBefore(tile, index));
    }
    return total;
}

/// The factor by which a pair's count is scaled for what is missing.
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

CountNeeds neededCounts(Measure measure, MissingRule rule, const DiscreteShape& shape) {
    CountNeeds needs;
    needs.opposite = isForGenotypes(measure);
    const bool isProportion =
        measure == Measure::Proportion || measure == Measure::Ibs || measure == Measure::OneMinusIbs;
    needs.valid =
        shape.hasMissing && (rule == MissingRule::Flat || (rule == MissingRule::Ignore && isProportion));
    return needs;
}

double diagonalValue(Measure measure) {
    return measure == Measure::Ibs ? 1 : 0;
}

std::size_t valuesFromCounts(const CountedTile& counted, Measure measure, MissingRule rule,
                             std::size_t attributes, const MissingWeights* weights, MatrixView<double> values,
                             std::size_t leastInCommon) {
    // A proportion of the attributes that both have is a flat correction divided by their full number.
    const bool isProportion = measure != Measure::Mismatch && measure != Measure::Allele;
    const MissingScale scale(counted, isProportion && rule == MissingRule::Ignore ? MissingRule::Flat : rule,
                             attributes, weights);
    const PairCounts& counts = counted.counts;
    const double all = static_cast<double>(attributes);
    const double half = 0.5 / all;
    const auto fill = [&](auto value) {
        return forRows(counted.tile, [&](std::size_t r, std::size_t columns) {
            std::size_t undefined = 0;
            for (std::size_t c = 0; c < columns; ++c) {
                const bool isKnown = leastInCommon == 0 || counts.valid(r, c) >= leastInCommon;
                const double result = isKnown ? value(r, c) : std::numeric_limits<double>::quiet_NaN();
                undefined += std::isnan(result) ? 1 : 0;
                values(r, c) = result;
            }
            return undefined;
        });
    };
    const auto alleles = [&](std::size_t r, std::size_t c) {
        return static_cast<double>(std::uint64_t{counts.differing(r, c)} + counts.opposite(r, c));
    };
    switch (measure) {
        case Measure::Mismatch:
            return fill([&](std::size_t r, std::size_t c) { return scale(r, c) * counts.differing(r, c); });
        case Measure::Proportion: {
            const bool isComplete = counts.valid.data() == nullptr;
            return fill([&, isComplete](std::size_t r, std::size_t c) {
                return counts.differing(r, c) / (isComplete ? all : counts.valid(r, c));
            });
        }
        case Measure::Allele:
            return fill([&](std::size_t r, std::size_t c) { return scale(r, c) * alleles(r, c); });
        case Measure::OneMinusIbs:
            return fill([&](std::size_t r, std::size_t c) { return scale(r, c) * alleles(r, c) * half; });
        case Measure::Ibs:
            return fill([&](std::size_t r, std::size_t c) { return 1 - scale(r, c) * alleles(r, c) * half; });
        default:
            break;
    }
    throw UsageError(fmt::format("the measure '{}' is for coordinates", toString(measure)));
}

SumTerm sumTerm(Measure measure) {
    return measure == Measure::Manhattan ? SumTerm::AbsoluteDifference : SumTerm::SquaredDifference;
}

void valuesFromSums(const PairTile& tile, Measure measure, MatrixView<double> sums, double unit) {
    const std::size_t beyond = forRows(tile, [&](std::size_t r, std::size_t columns) {
        double* row = sums.row(r);
        std::size_t count = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            if (measure == Measure::Euclidean) row[c] = std::sqrt(row[c]);
            if (measure == Measure::Correlation) row[c] = row[c] / 2;
            if (unit != 1) row[c] /= unit;
            if (unit != 1 && measure == Measure::SquaredEuclidean) row[c] /= unit;
            count += std::isfinite(row[c]) ? 0 : 1;
        }
        return count;
    });
    for (std::size_t r = 0; beyond > 0 && r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < columnsBefore(tile, r); ++c)
            if (!std::isfinite(sums(r, c)))
                throw InputError(fmt::format(
                    "instances {} and {}: the '{}' distance is beyond 1.8e308, the range of float64; divide "
                    "the coordinates by a power of ten first",
                    tile.rows.begin + r + 1, tile.columns.begin + c + 1, toString(measure)));
}

}  // namespace glycine::distance
