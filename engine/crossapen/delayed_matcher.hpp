#pragma once

#include "engine/crossapen/entropy_engine.hpp"

namespace glycine::crossapen {

/// What the entry makes, with a time delay τ for templates of consecutive samples (MatchRule::delay).
///
/// The samples of one template with a delay are neighbours among every τ-th sample. So the τ phases of a
/// signal, i ≡ 0, 1 … τ − 1 (mod τ), are put one behind another, with a separator between two of them: a
/// number that is further than r from every sample and every other separator of the epoch. The engine finds
/// the same matches between templates of one phase, to the last one, since it compares the same samples.
/// Templates across a separator match nothing but, in a signal with itself, themselves; they add no logarithm
/// but ln 1, and their number is known: m(τ − 1) of length m and (m + 1)(τ − 1) of length m + 1. What that
/// does not tell, the matches of the τ last templates of length m, which have no sample m + 1, is counted
/// here, τ / N of the comparisons.
///
/// Runs with a delay of 1 go to the engine as they are.
MatcherEntry withDelay(MatcherEntry entry);

}  // namespace glycine::crossapen
