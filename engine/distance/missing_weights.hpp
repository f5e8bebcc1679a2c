#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/allele_counts.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance_engine.hpp"

namespace glycine::distance {

/// Missing entries of some instances over a block of attributes: bit b of word w of a row is 1 if the
/// instance has no value for attribute 64·w + b of the block.
using MissingMasks = MatrixView<const std::uint64_t>;

/// PLINK's weights of missing genotypes: the expected contribution of an attribute to an allele-count
/// distance.
///
/// Two instances in Hardy-Weinberg proportions differ by 4pq(1 − pq) alleles on average, where p and q = 1 −
/// p are the allele frequencies among the founders' known genotypes. Each of m attributes has
///
///     w = pq(1 − pq); 1 if the founders have a single allele; 3/16 (p = q = 1/2) if they have no genotype
///     weight = ⌊w · (2³² − m) / Σw + 1/2⌋ (WeightScale::Plink), ⌊w · 2⁶² / Σw + 1/2⌋ (Fine)
///
/// Weights are integers, so that every order of summation gives the same result. PLINK's scale deviates from
/// the formula by 10⁻⁹ or more, the fine one by 10⁻¹⁵. Source: PLINK 1.9's documentation of --distance for
/// the correction. The cases without two alleles and the rounding were inferred from PLINK's results, which
/// are matched to the last bit.
class MissingWeights {
  public:
    /// Memory limit for the bits that mark missing entries. Beyond it, the entries are read again when
    /// needed.
    static constexpr std::size_t kMaxMaskBytes = std::size_t{256} << 20;

    /// Reads the whole source once, or twice if one bit per entry takes more than `mostMaskBytes`.
    /// `founders`: instances whose genotypes give the frequencies; empty: all. Throws UsageError if the
    /// source does not hold genotypes, or if `founders` is neither empty nor as long as the number of
    /// instances.
    MissingWeights(const DiscreteSource& source, const std::vector<bool>& founders, Progress& progress,
                   std::size_t mostMaskBytes = kMaxMaskBytes, WeightScale scale = WeightScale::Plink);
    /// Bytes that it keeps, and needs during construction, for a source of this shape.
    static double bytes(const DiscreteShape& shape);

    std::uint64_t total() const { return total_; }
    const std::vector<std::uint64_t>& weights() const { return weights_; }
    /// Sum of the weights of the attributes that instance i lacks.
    const std::vector<std::uint64_t>& missing() const { return missing_; }
    /// bothMissing(row, column) = sum of the weights of the attributes that both instances lack. Writes
    /// elements with column < row.
    void sumBothMissing(const PairTile& tile, MatrixView<std::uint64_t> bothMissing,
                        Progress& progress) const;

  private:
    /// The missing entries of the instances in a block of attributes; `store` owns them if they had to be
    /// read.
    MissingMasks masks(Range instances, Range attributes, Matrix<std::uint64_t>& store) const;
    void setWeights(const std::vector<double>& unscaled, WeightScale scale);

    const DiscreteSource& source_;
    std::size_t block_ = 0;  ///< attributes read at once
    /// For all instances and attributes; empty if nothing is missing, or if they take too much memory.
    Matrix<std::uint64_t> masks_;
    std::vector<std::uint64_t> weights_;
    std::vector<std::uint64_t> missing_;
    std::uint64_t total_ = 0;
};

}  // namespace glycine::distance
