#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace glycine::crossapen {

/// A stretch of samples and `margin` more on either side, reflected about its first and last sample in time
/// and value: x(−k) = 2 x(0) − x(k). Level and slope go on, so that a filter does not see a step. Margins
/// longer than the stretch are reflected again and again; a single sample is repeated.
/// `samples`: at least one.
std::vector<double> extendOddly(std::span<const double> samples, std::size_t margin);

/// The same where the stretch lies already in its place, `margin` elements behind the beginning of `extended`
/// and before its end.
void fillMargins(std::span<double> extended, std::size_t margin);

}  // namespace glycine::crossapen
