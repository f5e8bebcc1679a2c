#pragma once

#include <optional>
#include <utility>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/input/run_input.hpp"
#include "engine/bounds/tetrangle.hpp"
#include "engine/command/recount.hpp"

namespace glycine::bounds {

/// Recounts some bounds of a run on `gl` or `cuda`, or of several processes. Whole rows are recounted by
/// Dijkstra's algorithm, because the reference needs as long for a single element as for all. If there is no
/// time for all rows, or no memory for an input that was kept in place, pairs are checked against adjacent
/// bounds. Returns the reports of rows and of pairs, as Recount::report does. `seconds`: run time. Throws
/// WrongResultError.
std::pair<std::optional<RecountReport>, std::optional<RecountReport>> recountBounds(
    const Backend& backend, const BackendRequest& request, RunInput& input, const AnyBoundMatrices& smoothed,
    const SmoothingReport& report, double seconds);

/// Recounts the limits of some pairs on the host, by all quadruples of each. `matrices`: the bounds that the
/// limits were found for, in `seconds`. `recount`: of the whole run, all sweeps. Throws WrongResultError.
void recountTetrangles(Recount& recount, const TetrangleLimits& limits, const AnyBoundMatrices& matrices,
                       double seconds);

}  // namespace glycine::bounds
