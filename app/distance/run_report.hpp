#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/pair_command.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/distance/kinship.hpp"
#include "engine/pairs/clusters.hpp"
#include "engine/statistics/principal_coordinates.hpp"

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
    std::map<Degree, std::size_t> relatives;  ///< pairs of third degree and closer
    bool hasRelatives = false;                ///< whether they were looked for
    std::size_t references = 0;               ///< more than 0: pairs are of the others with these
    std::optional<statistics::PrincipalCoordinates> coordinates;
    std::string tree;  ///< "UPGMA of 12 instances"; empty: none
    std::optional<pairs::Clusters> clusters;
    std::string clusterRule;  ///< "within 12, single linkage"

  private:
    std::string describeDistances() const;
};

}  // namespace glycine::distance
