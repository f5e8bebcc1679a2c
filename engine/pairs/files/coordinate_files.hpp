#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "engine/pairs/files/instance_groups.hpp"
#include "engine/statistics/principal_coordinates.hpp"

/// Coordinates of instances as a table or a picture.
namespace glycine::pairs {

/// Throws UsageError unless writeCoordinates knows the ending: .tsv, .png, .svg or .pdf. A picture needs two
/// coordinates.
void requireCoordinateFile(const std::filesystem::path& path, std::size_t dimensions);

struct CoordinateResult {
    const statistics::PrincipalCoordinates& found;
    std::span<const std::string> names;  ///< of the instances
    const InstanceGroups& groups;        ///< colours and a column; empty: none
    std::string axis;                    ///< "PC": columns PC1, PC2, …
    std::string title, footer;           ///< of the picture
};

/// A line an instance, its name, its group and its coordinates; or the first two as a scatter plot with their
/// shares in all eigenvalues, with names where there are few instances.
void writeCoordinates(const std::filesystem::path& path, const CoordinateResult& result);

}  // namespace glycine::pairs
