#pragma once

#include <string>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/stage_recount.hpp"

namespace glycine::align {

/// Holds posteriors of all pairs, which a device found by `variant` in so many seconds, against what
/// posteriors are (values, sums of rows of both directions), and those of some pairs, both directions,
/// against the cpu backend's: of all pairs where there is time for them, else of pairs of any length. Throws
/// WrongResultError, CancelledError.
void recountPosteriors(StageRecount& recount, const Sequences& sequences, const PosteriorSet& posteriors,
                       const std::string& variant, double seconds, Progress& progress);

}  // namespace glycine::align
