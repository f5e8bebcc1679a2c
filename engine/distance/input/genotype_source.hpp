#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/process_team.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/io/sequences/packed_genotypes.hpp"
#include "engine/io/sequences/variant_calls.hpp"

namespace glycine::distance {

/// Genotypes in the layout of a .bed file, variant by variant, mapped or in memory. Instances are samples,
/// attributes are variants, symbols are the copies of allele 1. Nothing is copied; blocks are transposed as
/// they are read. Reading throws InputError if the file has changed since it was opened.
class GenotypeSource final : public DiscreteSource {
  public:
    /// `selection`: the variants to use as attributes, in this order; absent: all. Reads the genotypes in use
    /// until it finds a missing one. If all processes of a `team` open the same genotypes, each reads the
    /// variants of its part.
    explicit GenotypeSource(io::PackedGenotypes genotypes,
                            std::optional<std::vector<std::uint32_t>> selection = std::nullopt,
                            ProcessTeam* team = nullptr);
    const DiscreteShape& shape() const override { return shape_; }
    /// Few instances are read genotype by genotype, without planes.
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override;
    /// Variant by variant, as they lie in the file.
    void readSymbolsOf(std::span<const std::size_t> instances, Range attributes,
                       MatrixView<std::uint8_t> target) const override;
    PlaneBlock readPlanes(Range instances, Range attributes) const override;
    /// A source with only these attributes.
    std::unique_ptr<GenotypeSource> select(const std::vector<std::size_t>& attributes) const;

  private:
    std::size_t variantOf(std::size_t attribute) const {
        return selection_ ? (*selection_)[attribute] : attribute;
    }
    bool hasMissing(ProcessTeam* team) const;
    void requireUnchanged() const;

    io::PackedGenotypes genotypes_;
    std::optional<std::vector<std::uint32_t>> selection_;
    DiscreteShape shape_;
};

/// Genotypes of a VCF file with sites of more than two alleles. Symbols only distinguish genotypes. Sites
/// with two alleles have the symbols 0 (no copy), 1 and 3 (two copies).
class CallSource final : public DiscreteSource {
  public:
    /// `sites`: as in io::VariantCalls, together with `genotypes`.
    CallSource(io::PackedGenotypes genotypes, std::vector<io::SymbolSite> sites);
    const DiscreteShape& shape() const override { return shape_; }
    PlaneBlock readPlanes(Range instances, Range attributes) const override;

  private:
    GenotypeSource genotypes_;
    std::vector<io::SymbolSite> sites_;
    DiscreteShape shape_;
};

}  // namespace glycine::distance
