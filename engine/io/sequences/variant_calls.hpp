#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/sequences/packed_genotypes.hpp"

namespace glycine::io {

/// A site of a VCF file with more than two alleles. Equal genotypes (the same alleles in whatever order; one
/// allele counts as two of it) have equal symbols 0, 1, 2, …, by their first sample.
struct SymbolSite {
    static constexpr std::size_t kMostSymbols = 255;
    std::size_t variant = 0;            ///< among the variants of the file
    std::vector<std::uint8_t> symbols;  ///< one a sample, below kMostSymbols, or kMissingCopies
};

/// Genotypes of a VCF or BCF file. Allele 1, the counted one, is the alternate allele, as PLINK has it.
struct VariantCalls {
    std::vector<std::string> samples;  ///< unique
    /// In memory; records that were left out are not among the variants. A symbol site has no copy here where
    /// a genotype is known.
    PackedGenotypes genotypes;
    std::vector<SymbolSite> symbolSites;  ///< in the order of the file
    std::size_t sites = 0;                ///< records that were asked for
    std::size_t multiAllelic = 0;         ///< of these, left out for more than two alleles
    std::size_t manyGenotypes = 0;        ///< of these, left out for more than kMostSymbols genotypes
    std::size_t halfCalls = 0;            ///< genotypes with one allele known ("./1"), taken for missing
    std::size_t gapCalls = 0;             ///< genotypes with the allele *, taken for missing
};

struct CallOptions {
    /// Sites with more than two alleles become symbol sites; else they are left out.
    bool anyAlleles = false;
    /// With anyAlleles: a genotype with the allele * (a deletion; of an alignment a gap) is missing, and *
    /// does not count among the alleles of a site.
    bool gapsAreMissing = true;
    bool strict = false;  ///< a site that would be left out is an error
    /// Asked for CHROM, POS and ID of each record (`place` for messages), unless it is empty: whether it is
    /// read.
    std::function<bool(std::string_view chromosome, std::int64_t position, std::string_view id,
                       const std::function<std::string()>& place)>
        keeps;
};

/// Reads VCF, VCF packed by gzip or bgzip, or BCF: the field GT of every record.
///
/// - Two alleles: the copies of the alternate allele. One allele (haploid): no copy or two, as PLINK does.
/// - A missing allele makes the genotype missing.
/// - Records without an alternate allele are kept: no copy, or missing.
/// - Records with more than one alternate allele: as CallOptions says.
///
/// Throws InputError that names the file and CHROM:POS: another format, no header, no samples, the same
/// sample twice, a damaged or truncated file (by the byte where the damaged block begins), a position that is
/// no number, a record without GT, more than two alleles in a genotype.
VariantCalls readVariantCalls(const std::filesystem::path& path, const CallOptions& options);

}  // namespace glycine::io
