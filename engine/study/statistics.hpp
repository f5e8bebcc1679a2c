#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engine/io/text/json.hpp"

/// Statistics of repeated measurements.
namespace glycine {

/// Confidence interval of the median.
struct Interval {
    double low = 0;
    double high = 0;
    /// probability that the interval contains the true median, from the number of samples; 0: too few samples
    double confidence = 0;
    bool contains(double value) const { return low <= value && value <= high; }
};

/// Minimum and median of repeated measurements. The minimum is what the machine can do, the median what it
/// usually does. A mean would mainly reflect how often something else disturbed it.
struct Statistics {
    std::size_t count = 0;
    double minimum = 0;
    double median = 0;  ///< for an even number of samples, the mean of the two middle ones
    double maximum = 0;
    Interval interval{};            ///< of the median
    std::vector<double> samples{};  ///< in the order of measurement
    /// Number of samples per visit, if they come from several visits (summarizeVisits).
    std::vector<std::size_t> visits{};
    /// (maximum − minimum) / median; 0 if there is no median.
    double spread() const { return median > 0 ? (maximum - minimum) / median : 0; }
};

/// Returns all zeros for no samples.
///
/// The interval uses order statistics and makes no assumption about the distribution. The median lies between
/// the k-th smallest and the k-th largest of n samples with probability 1 − 2·P(X < k), where X is binomial
/// with n and ½. k is the largest value with a probability of at least 95 %; for up to five samples it is 1,
/// with a lower probability. For one or two samples, the interval is from half the median to twice the
/// median.
Statistics summarize(std::vector<double> samples);

/// Summarizes samples from several visits to the same measurement, far apart in time. Effects that last for
/// seconds affect all samples of a visit, so only the visits' medians count as independent: `median` and
/// `interval` are computed from them, as in summarize. For fewer than three visits, the interval is that of
/// all samples, extended to all visits' medians. Visits without samples are ignored.
Statistics summarizeVisits(const std::vector<std::vector<double>>& visits);

/// Quotients of samples from the same rounds, so that a slowdown of a whole round cancels. As many as the
/// shorter list has; empty if a divisor is not positive.
std::vector<double> quotients(const std::vector<double>& numerators, const std::vector<double>& divisors);

/// Quotient of two medians from different rounds, with the widest interval that both intervals allow, and
/// without samples. Nothing if either has no samples or is not positive.
std::optional<Statistics> quotientOf(const Statistics& numerator, const Statistics& divisor);

/// Slope of the least-squares line through at least two points (x, y) with different x.
double slopeOf(const std::vector<std::pair<double, double>>& points);

/// {"min", "median", "max", "count", "interval", "confidence", "samples"}, and "visits" if there are several.
Json toJson(const Statistics& statistics);
/// Inverse of toJson. Throws the JSON library's exceptions if a field is missing or has the wrong type.
Statistics statisticsFrom(const Json& json);

}  // namespace glycine
