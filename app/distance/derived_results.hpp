#pragma once

#include <string>

#include "app/distance/run_options.hpp"
#include "app/distance/run_report.hpp"
#include "engine/pairs/files/instance_groups.hpp"
#include "engine/statistics/principal_coordinates.hpp"
#include "engine/trees/tree_engine.hpp"

/// Results that a run derives from the values of all pairs instead of writing them: coordinates, a tree.
namespace glycine::distance {

struct DerivedInput {
    const pairs::PairStore& values;
    const ResultLabels& labels;
    const pairs::InstanceGroups& groups;
    const std::vector<Output>& outputs;
    std::string title, footer;  ///< for pictures
};

/// Coordinates from a square matrix of all pairs: principal components of relationships, or principal
/// coordinates of distances.
statistics::PrincipalCoordinates coordinatesOf(Matrix<double> values, Measure measure, std::size_t dimensions,
                                               Progress& progress);

/// Both throw InputError that names the first pair without a value. The backend that computed the pairs also
/// builds the tree, where that is faster (trees::TreeDevice); the report says where and why.
void writeCoordinates(const DerivedInput& input, std::size_t dimensions, RunReport& report,
                      Progress& progress);
void writeTree(const DerivedInput& input, trees::TreeMethod method, trees::TreeDevice& device,
               RunReport& report, Progress& progress);

/// Bytes that the derived results need in addition to the values.
double bytesForDerived(const RunOptions& run, std::size_t instances);

}  // namespace glycine::distance
