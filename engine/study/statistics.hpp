#pragma once

#include <cstddef>
#include <vector>

namespace glycine {

/// Minimum and median of repeated measurements. The minimum is what the machine can do, the median what it
/// usually does; a mean would only tell how often something else disturbed.
struct Statistics {
    std::size_t count = 0;
    double minimum = 0;
    double median = 0;  ///< of an even number: the mean of the two middle ones
    double maximum = 0;
};

/// All zero for no samples.
Statistics summarize(std::vector<double> samples);

}  // namespace glycine
