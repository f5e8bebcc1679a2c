#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// Which instances a list names, a line each: a name, or (PLINK) family and individual identifier; more words
/// are of no account, nor are empty lines and those that begin with '#'. `strangers`: how many of the lines
/// name no instance. Throws InputError where all do.
std::vector<bool> namedInstances(const std::filesystem::path& list, const DataSet& data,
                                 std::size_t& strangers);

/// Which variants are compared, as PLINK's options of these names say it.
struct VariantLimits {
    std::optional<double> maf{};   ///< least frequency of the rarer allele, among founders
    std::optional<double> geno{};  ///< largest share of missing genotypes
    bool areGiven() const { return maf || geno; }
};

/// Leaves the instances of some data that `keep` names (an empty path: all) and `remove` does not, held in
/// memory: bit planes or coordinates. Of genotypes, the variants within `limits` among these instances; one
/// without any genotype of a founder has no rare allele and stays. Notes say how many. Throws InputError as
/// namedInstances and where none is left, UsageError for limits where the data are no genotypes.
void chooseInstances(DataSet& data, const std::filesystem::path& keep, const std::filesystem::path& remove,
                     const VariantLimits& limits = {});

}  // namespace glycine::distance
