#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/sequences/packed_genotypes.hpp"

namespace glycine::io {

/// Genotypes of a VCF or BCF file. Allele 1, the counted one, is the alternate allele, as PLINK has it.
struct VariantCalls {
    std::vector<std::string> samples;  ///< unique
    PackedGenotypes genotypes;         ///< in memory; records that were skipped are not among the variants
    std::size_t multiAllelic = 0;      ///< records skipped for more than one alternate allele
    std::size_t halfCalls = 0;         ///< genotypes with one allele known ("./1"), taken for missing
};

/// Reads VCF, VCF packed by gzip or bgzip, or BCF: the field GT of every record.
///
/// - Two alleles: the copies of the alternate allele. One allele (haploid): no copy or two, as PLINK does.
/// - A missing allele makes the genotype missing.
/// - Records without an alternate allele are kept: no copy, or missing.
/// - Records with more than one alternate allele are skipped and counted, or refused with `strict`.
///
/// Throws InputError that names the file and CHROM:POS: another format, no header, no samples, the same
/// sample twice, a damaged or truncated file, a record without GT, more than two alleles in a genotype.
VariantCalls readVariantCalls(const std::filesystem::path& path, bool strict);

}  // namespace glycine::io
