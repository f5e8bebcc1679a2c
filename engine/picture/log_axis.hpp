#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/core/error.hpp"

namespace glycine::picture {

/// The smallest and the largest of some values, for a logarithmic axis.
struct LogExtent {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;

    /// Throws UsageError, naming the value's `owner`, when it is not above 0 and finite.
    void add(double value, const std::string& owner) {
        if (!(value > 0) || !std::isfinite(value))
            throw UsageError("a value that is not above 0 on a logarithmic axis: " + owner);
        smallest = std::min(smallest, value);
        largest = std::max(largest, value);
    }
    bool isEmpty() const { return largest == 0; }
};

/// Powers of ten, whole or not, from `lowest` to `highest` over `length` pixels.
struct LogAxis {
    double lowest = 0;
    double highest = 1;
    double length = 1;

    /// Pixels from the axis' lower end.
    double position(double value) const { return (std::log10(value) - lowest) / (highest - lowest) * length; }
};

}  // namespace glycine::picture
