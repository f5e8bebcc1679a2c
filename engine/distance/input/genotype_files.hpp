#pragma once

#include <filesystem>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/distance/discrete_data.hpp"

namespace glycine::distance {

/// Throws UsageError for a name whose ending stands for no format: .bed, .vcf, .npy or .csv; "-" is .vcf to
/// standard output.
void requireGenotypeFile(const std::filesystem::path& path);

/// The files that writing `path` makes: three for PLINK.
std::vector<std::filesystem::path> genotypeFiles(const std::filesystem::path& path);

/// Writes genotypes, atomically and block by block: nothing the size of the whole is held. Instances are
/// called s1, s2, …; attributes v1, v2, …, biallelic variants on chromosome 1 with A1 (VCF: ALT) as the
/// counted allele.
///   .bed   PLINK 1, with .bim and .fam
///   .vcf   VCF 4.3, GT alone
///   .npy   int8, instances × attributes, −1 for a missing genotype
///   .csv   a line with the names of the attributes, then a line an instance, its name first; empty: missing
/// Throws Error with path and cause, or CancelledError.
void writeGenotypes(const std::filesystem::path& path, const DiscreteSource& genotypes, Progress& progress);

}  // namespace glycine::distance
