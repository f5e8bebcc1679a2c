#pragma once

#include <filesystem>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/distance/discrete_data.hpp"

namespace glycine::distance {

/// Throws UsageError unless the ending denotes a format: .bed, .vcf, .npy or .csv; "-" is .vcf on standard
/// output.
void requireGenotypeFile(const std::filesystem::path& path);

/// The files written for `path`: three for PLINK.
std::vector<std::filesystem::path> genotypeFiles(const std::filesystem::path& path);

/// Writes genotypes, atomically and block by block, so that the whole is never in memory. Instances are named
/// s1, s2, …; attributes v1, v2, …. Variants are biallelic, on chromosome 1, with A1 (VCF: ALT) as the
/// counted allele.
///   .bed   PLINK 1, with .bim and .fam
///   .vcf   VCF 4.3, GT alone
///   .npy   int8, instances × attributes, −1 for a missing genotype
///   .csv   a line with the names of the attributes, then a line an instance, its name first; empty: missing
/// Throws Error with path and cause, or CancelledError.
void writeGenotypes(const std::filesystem::path& path, const DiscreteSource& genotypes, Progress& progress);

}  // namespace glycine::distance
