#pragma once

#include "engine/io/text/json.hpp"

/// What a machine does for seconds on end (clocks, neighbours, where memory lies) meets all rounds of a short
/// step alike, and repeating does not show it. So a study comes back to short steps, later and several times.
namespace glycine::study {

/// A step of times that took longer has met changes of that kind already.
inline constexpr double kShortStepSeconds = 10;
/// Rounds of a visit after the first one.
inline constexpr std::size_t kRoundsOfVisit = 2;

/// Whether both are rows of the same configuration and problem in reports of `bench`.
bool isSameRow(const Json& one, const Json& other);

/// Adds what a later visit has measured to the report of the first (both as `bench` writes them): samples
/// with summarizeVisits, the better rates and shares of ceilings, the ratios to the first row of a size, and
/// the conditions of the busier one. What a visit finds wrong loses its times.
void mergeVisit(Json& first, const Json& later);

}  // namespace glycine::study
