#pragma once

#include <cstddef>
#include <span>

#include "engine/crossapen/match_counts.hpp"

/// The sequential programs that the paper times in its Fig. 4, one thread. They are here to be timed; the
/// specification is Variant::Serial.
/// Source: Martínez-Zarzuela et al. 2013, sections 2.1 and 3.1.
namespace glycine::crossapen::reference {

/// C(1): the steps of the definition, one sweep over all pairs of templates for each of the two lengths.
/// `u`, `v`: N samples each, N ≥ m + 2; a match is a distance ≤ r.
MatchStatistics matchInTwoSweeps(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                                 const LogTable& logs);

/// C(2): both lengths in one sweep, where a long match is a short one whose next samples match, too.
MatchStatistics matchInOneSweep(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                                const LogTable& logs);

}  // namespace glycine::crossapen::reference
