#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// The instances named in a list, one per line: a name, or (PLINK) family and individual identifier. Further
/// words, empty lines and lines that begin with '#' are ignored. `strangers` returns the number of lines that
/// name no instance. Throws InputError if no line names one.
std::vector<bool> namedInstances(const std::filesystem::path& list, const DataSet& data,
                                 std::size_t& strangers);

/// Limits for variants, with the meaning of PLINK's options of these names.
struct VariantLimits {
    std::optional<double> maf{};   ///< least frequency of the rarer allele, among founders
    std::optional<double> geno{};  ///< largest share of missing genotypes
    bool areGiven() const { return maf || geno; }
};

/// Reduces the data to the instances that `keep` names (empty path: all) and `remove` does not, held in
/// memory as bit planes or coordinates. For genotypes, also reduces the variants to those within `limits`
/// among these instances; a variant without any founder's genotype has no rare allele and stays. Notes give
/// the numbers. Throws InputError as namedInstances does, and if no instance is left; UsageError for limits
/// if the data are not genotypes.
void chooseInstances(DataSet& data, const std::filesystem::path& keep, const std::filesystem::path& remove,
                     const VariantLimits& limits = {});

}  // namespace glycine::distance
