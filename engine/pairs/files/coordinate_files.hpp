#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "engine/pairs/files/instance_groups.hpp"
#include "engine/statistics/principal_coordinates.hpp"

/// Coordinates of instances as a table or a picture.
namespace glycine::pairs {

/// Throws UsageError unless writeCoordinates supports the ending: .tsv, .png, .svg or .pdf. A picture needs
/// two coordinates.
void requireCoordinateFile(const std::filesystem::path& path, std::size_t dimensions);

struct CoordinateResult {
    const statistics::PrincipalCoordinates& found;
    std::span<const std::string> names;  ///< of the instances
    const InstanceGroups& groups;        ///< colours and a column; may be empty
    std::string axis;                    ///< "PC": columns PC1, PC2, …
    std::string title;                   ///< of the picture
    std::vector<std::string> footer;     ///< likewise
};

/// Writes a table, with a line per instance: its name, group and coordinates. Or draws the first two
/// coordinates as a scatter plot with their shares of all eigenvalues, and with names for few instances.
void writeCoordinates(const std::filesystem::path& path, const CoordinateResult& result);

}  // namespace glycine::pairs
