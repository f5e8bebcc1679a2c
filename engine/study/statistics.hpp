#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engine/io/text/json.hpp"

/// What repeated measurements say.
namespace glycine {

/// Where the median lies that endless repetition would give.
struct Interval {
    double low = 0;
    double high = 0;
    double confidence = 0;  ///< probability of lying in it, from the number of samples; 0: too few for one
    bool contains(double value) const { return low <= value && value <= high; }
};

/// Minimum and median of repeated measurements. The minimum is what the machine can do, the median what it
/// usually does; a mean would only tell how often something else disturbed.
struct Statistics {
    std::size_t count = 0;
    double minimum = 0;
    double median = 0;  ///< of an even number: the mean of the two middle ones
    double maximum = 0;
    Interval interval{};            ///< of the median
    std::vector<double> samples{};  ///< in the order in which they were taken
    /// How many of the samples each visit has taken, where they were taken in several (summarizeVisits).
    std::vector<std::size_t> visits{};
    /// (maximum − minimum) / median; 0 where there is no median.
    double spread() const { return median > 0 ? (maximum - minimum) / median : 0; }
};

/// All zero for no samples.
///
/// The interval is one of order statistics, which asks nothing of the distribution: the median lies between
/// the k-th smallest and the k-th largest of n samples with probability 1 − 2·P(X < k), X binomial of n and
/// ½. k is the largest with 95 % or more; up to five samples it is 1, with less. One or two samples say too
/// little: their interval is the median's half to its double.
Statistics summarize(std::vector<double> samples);

/// Of samples that were taken in several visits to the same thing, far apart in time. What a machine does for
/// seconds on end, all samples of one visit share; so it is the medians of the visits that count as
/// independent: `median` and `interval` are theirs, as of summarize. Of fewer than three visits, the interval
/// of all samples, with all these medians in it. Visits without samples are passed over.
Statistics summarizeVisits(const std::vector<std::vector<double>>& visits);

/// Quotients of samples that were taken in the same rounds, so that what slowed a whole round down cancels;
/// as many as the shorter list has. Empty where a divisor is not above 0.
std::vector<double> quotients(const std::vector<double>& numerators, const std::vector<double>& divisors);

/// The quotient of two medians that were not measured in the same rounds, with the widest interval that both
/// of theirs allow; no samples. Nothing where one has no samples or is not above 0.
std::optional<Statistics> quotientOf(const Statistics& numerator, const Statistics& divisor);

/// The slope of a straight line through at least two points (x, y) of different x, by least squares.
double slopeOf(const std::vector<std::pair<double, double>>& points);

/// {"min", "median", "max", "count", "interval", "confidence", "samples"}, and "visits" where there are
/// several.
Json toJson(const Statistics& statistics);
/// The same back. Throws what the JSON library throws where a field is missing or of another kind.
Statistics statisticsFrom(const Json& json);

}  // namespace glycine
