#pragma once

#include <string>
#include <vector>

#include "app/pair_command.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// Everything that `glycine distance` tells about a run.
struct RunReport final : PairReport {
    void print(std::ostream& out) const override;
    /// JSON: instance indices count from 0.
    Json json() const override;

    std::vector<LeftOutSites> leftOut;  ///< told before anything else
    Measure measure = Measure::Mismatch;
    MissingRule missing = MissingRule::Ignore;
    bool hasMissing = false;
    bool isCoordinates = false;
    std::size_t leastInCommon = 0;  ///< attributes that a pair must have in common; 0: any number
    DistanceReport distances;

  private:
    std::string describeDistances() const;
};

}  // namespace glycine::distance
