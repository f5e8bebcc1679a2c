#pragma once

#include <vector>

#include "engine/distance/discrete_data.hpp"
#include "engine/distance/input/genotype_source.hpp"
#include "engine/io/sequences/variant_calls.hpp"

namespace glycine::distance {

/// Genotypes of a VCF file with sites of more than two alleles: symbols that tell genotypes apart, and say no
/// more. Sites with two alleles have the symbols 0 (no copy), 1 and 3 (two copies).
class CallSource final : public DiscreteSource {
  public:
    /// `sites`: as io::VariantCalls has them beside `genotypes`.
    CallSource(io::PackedGenotypes genotypes, std::vector<io::SymbolSite> sites);
    const DiscreteShape& shape() const override { return shape_; }
    PlaneBlock readPlanes(Range instances, Range attributes) const override;

  private:
    GenotypeSource genotypes_;
    std::vector<io::SymbolSite> sites_;
    DiscreteShape shape_;
};

}  // namespace glycine::distance
