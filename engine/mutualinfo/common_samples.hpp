#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/mutualinfo/mutualinfo.hpp"

namespace glycine::mutualinfo {

/// How many samples each gene has, and each pair of genes has in common. A bit a sample of the genes with
/// gaps, and two numbers a gene.
class CommonSamples {
  public:
    /// Throws MemoryError.
    explicit CommonSamples(ExpressionView expression);
    std::size_t samples() const { return samples_; }
    /// Whether any value is missing.
    bool haveGaps() const { return !bits_.empty(); }
    std::size_t of(std::size_t gene) const { return counts_[gene]; }
    std::size_t of(std::size_t i, std::size_t j) const;
    /// Genes with fewer values, ascending.
    std::vector<std::size_t> genesBelow(std::size_t values) const;

  private:
    std::size_t samples_;
    std::vector<std::size_t> counts_;
    std::vector<std::size_t> places_;  ///< of a gene with gaps: where its bits begin
    std::vector<std::uint64_t> bits_;
};

}  // namespace glycine::mutualinfo
