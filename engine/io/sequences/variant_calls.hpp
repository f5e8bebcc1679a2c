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

/// A site of a VCF file with more than two alleles. Equal genotypes (the same alleles in any order; a single
/// allele counts as two copies) have equal symbols 0, 1, 2, …, numbered by their first sample.
struct SymbolSite {
    static constexpr std::size_t kMaxSymbols = 255;
    std::size_t variant = 0;            ///< index among the variants of the file
    std::vector<std::uint8_t> symbols;  ///< one per sample, below kMaxSymbols, or kMissingCopies
};

/// Genotypes of a VCF or BCF file. Allele 1, the counted one, is the alternate allele, as in PLINK.
struct VariantCalls {
    std::vector<std::string> samples;  ///< unique
    /// In memory, without the records left out. For a symbol site, known genotypes are stored as 0 copies.
    PackedGenotypes genotypes;
    std::vector<SymbolSite> symbolSites;  ///< in file order
    std::size_t sites = 0;                ///< records requested
    std::size_t multiAllelic = 0;         ///< requested records left out for more than two alleles
    std::size_t manyGenotypes = 0;        ///< requested records left out for more than kMaxSymbols genotypes
    std::size_t halfCalls = 0;            ///< genotypes with one known allele ("./1"), treated as missing
    std::size_t gapCalls = 0;             ///< genotypes with the allele *, treated as missing
};

struct CallOptions {
    /// Keep sites with more than two alleles as symbol sites; otherwise they are left out.
    bool anyAlleles = false;
    /// With anyAlleles: a genotype with the allele * (a deletion, or a gap of an alignment) is missing, and *
    /// does not count among the alleles of a site.
    bool gapsAreMissing = true;
    bool strict = false;  ///< a site that would be left out is an error
    /// Decides, by CHROM, POS and ID, whether to read a record (`place` is for messages). If empty, all are
    /// read.
    std::function<bool(std::string_view chromosome, std::int64_t position, std::string_view id,
                       const std::function<std::string()>& place)>
        keeps;
};

/// Reads VCF, plain or packed by gzip or bgzip, or BCF: the field GT of every record.
///
/// - Two alleles: copies of the alternate allele. One allele (haploid): no copy or two, as in PLINK.
/// - A missing allele makes the genotype missing.
/// - Records without an alternate allele are kept: no copy, or missing.
/// - Records with several alternate alleles: see CallOptions.
///
/// Throws InputError, naming the file and CHROM:POS, for another format, a missing header, no samples, a
/// repeated sample, a damaged or truncated file (naming the byte where the damaged block begins), a position
/// that is no number, a record without GT, and more than two alleles in a genotype.
VariantCalls readVariantCalls(const std::filesystem::path& path, const CallOptions& options);

}  // namespace glycine::io
