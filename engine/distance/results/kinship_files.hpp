#pragma once

#include <filesystem>
#include <vector>

#include "engine/distance/kinship.hpp"
#include "engine/distance/results/distance_files.hpp"

namespace glycine::distance {

/// Writes the bytes of PLINK 2's --make-king-table: shares of the attributes in common, six significant
/// digits. `hasFamilies`: whether the input has family identifiers. `pairs`: ascending by row, then column.
void writeKinshipTable(const std::filesystem::path& path, const std::vector<KinshipPair>& pairs,
                       const ResultLabels& labels, bool hasFamilies);

/// Writes counts, kinship and degree of the pairs, by falling kinship. Pairs without one are left out.
void writeRelatives(const std::filesystem::path& path, std::vector<KinshipPair> pairs,
                    const ResultLabels& labels);

}  // namespace glycine::distance
