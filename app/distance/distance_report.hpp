#pragma once

#include <string>
#include <vector>

#include "engine/command/run_report.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/pairs/value_summary.hpp"

namespace glycine::distance {

/// Everything that `glycine distance` tells about a run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override;
    /// JSON: instance indices count from 0.
    Json json() const override;

    std::vector<LeftOutSites> leftOut;  ///< told before anything else
    std::string input;                  ///< one line
    std::vector<std::string> notes;     ///< about the input
    Measure measure = Measure::Mismatch;
    MissingRule missing = MissingRule::Ignore;
    bool hasMissing = false;
    bool isCoordinates = false;
    std::size_t leastInCommon = 0;  ///< attributes that a pair must have in common; 0: any number
    DistanceReport distances;
    pairs::ValueSummary summary;
    std::vector<std::string> names;
    double readSeconds = 0;
    double computeSeconds = 0;  ///< the whole call
    double writeSeconds = 0;
};

}  // namespace glycine::distance
