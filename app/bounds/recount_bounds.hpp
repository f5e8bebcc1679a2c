#pragma once

#include <optional>
#include <utility>

#include "engine/bounds/bounds.hpp"
#include "engine/command/recount.hpp"

namespace glycine::bounds {

/// Counts some bounds of a run on `gl` or `cuda`, or of several processes, again: whole rows by Dijkstra's
/// algorithm, since a single element of the reference takes as long as all of them. Where there is no time
/// for all rows, pairs of the others by the bounds next to them. Reports of rows and pairs, as
/// Recount::report. `seconds`: of the run. Throws WrongResultError.
std::pair<std::optional<RecountReport>, std::optional<RecountReport>> recountBounds(
    const Backend& backend, const BackendRequest& request, const AnyBoundMatrices& input,
    const AnyBoundMatrices& smoothed, const SmoothingReport& report, double seconds);

}  // namespace glycine::bounds
