#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// Which instances a list names, a line each: a name, or (PLINK) family and individual identifier; more words
/// are of no account, nor are empty lines and those that begin with '#'. `strangers`: how many of the lines
/// name no instance. Throws InputError where all do.
std::vector<bool> namedInstances(const std::filesystem::path& list, const DataSet& data,
                                 std::size_t& strangers);

/// Leaves the instances of some data that `keep` names (an empty path: all) and `remove` does not, held in
/// memory: bit planes or coordinates. Notes say how many. Throws InputError as namedInstances and where none
/// is left.
void chooseInstances(DataSet& data, const std::filesystem::path& keep, const std::filesystem::path& remove);

}  // namespace glycine::distance
