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

/// The report of a `glycine distance` run.
struct RunReport final : PairReport {
    void print(std::ostream& out) const override;
    /// JSON report; instance indices count from 0.
    Json json() const override;

    std::vector<LeftOutSites> leftOut;  ///< printed first
    Measure measure = Measure::Mismatch;
    MissingRule missing = MissingRule::Ignore;
    bool hasMissing = false;
    bool isCoordinates = false;
    std::size_t leastInCommon = 0;  ///< attributes that a pair must share; 0: any number
    DistanceReport distances;
    std::map<Degree, std::size_t> relatives;  ///< pairs of third degree or closer
    bool hasRelatives = false;                ///< whether relatives were searched for
    std::size_t references = 0;               ///< if above 0: pairs are between the other instances and these
    std::optional<statistics::PrincipalCoordinates> coordinates;
    std::string tree;  ///< "UPGMA of 12 instances"; empty: none
    std::optional<pairs::Clusters> clusters;
    std::string clusterRule;  ///< "within 12, single linkage"

  private:
    std::string describeDistances() const;
};

}  // namespace glycine::distance
