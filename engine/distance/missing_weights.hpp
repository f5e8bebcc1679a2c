#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/allele_counts.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/pair_engine.hpp"

namespace glycine::distance {

/// Which entries some instances lack, over a block of attributes: bit b of word w of a row is 1 where the
/// instance has no value for attribute 64·w + b of the block.
using MissingMasks = MatrixView<const std::uint64_t>;

/// PLINK's weights of missing genotypes: what an attribute is expected to add to an allele-count distance.
///
/// Two instances in Hardy-Weinberg proportions differ by 4pq(1 − pq) alleles on average, p and q = 1 − p
/// being the allele frequencies among the founders' genotypes that are there. Of m attributes, each has
///
///     w = pq(1 − pq); 1 where the founders have a single allele; 3/16 (p = q = 1/2) where they have no
///     genotype weight = ⌊w · (2³² − m) / Σw + 1/2⌋ (WeightScale::Plink), ⌊w · 2⁶² / Σw + 1/2⌋ (Fine)
///
/// Integers, so that every order of summation gives the same. PLINK's leave results 10⁻⁹ and more from the
/// formula, the fine ones 10⁻¹⁵. Source: PLINK 1.9's documentation of --distance
/// for the correction; the cases without two alleles and the rounding were found from its results, which are
/// matched to the last bit.
class MissingWeights {
  public:
    /// Memory for the marks of missing entries, a bit each, that is kept; past it they are read again when
    /// needed.
    static constexpr std::size_t kMostMaskBytes = std::size_t{256} << 20;

    /// Reads the whole source once, or twice where a bit for each entry takes more than `mostMaskBytes`.
    /// `founders`: whose genotypes give the frequencies; empty: all. Throws UsageError when the source holds
    /// no genotypes, or `founders` is neither empty nor as long as there are instances.
    MissingWeights(const DiscreteSource& source, const std::vector<bool>& founders, Progress& progress,
                   std::size_t mostMaskBytes = kMostMaskBytes, WeightScale scale = WeightScale::Plink);
    /// Bytes that it keeps, and needs while it is made, of a source of this shape.
    static double bytes(const DiscreteShape& shape);

    std::uint64_t total() const { return total_; }
    const std::vector<std::uint64_t>& weights() const { return weights_; }
    /// Sum of the weights of the attributes that instance i lacks.
    const std::vector<std::uint64_t>& missing() const { return missing_; }
    /// bothMissing(row, column) = sum of the weights of the attributes that both instances lack. Elements
    /// with column < row are written.
    void sumBothMissing(const PairTile& tile, MatrixView<std::uint64_t> bothMissing,
                        Progress& progress) const;

  private:
    /// Which entries the instances lack in a block of attributes; `store` owns what was read for it.
    MissingMasks masks(Range instances, Range attributes, Matrix<std::uint64_t>& store) const;
    void setWeights(const std::vector<double>& unscaled, WeightScale scale);

    const DiscreteSource& source_;
    std::size_t block_ = 0;  ///< attributes that are read at once
    /// Of all instances and attributes; empty where nothing is missing or that takes too much memory.
    Matrix<std::uint64_t> masks_;
    std::vector<std::uint64_t> weights_;
    std::vector<std::uint64_t> missing_;
    std::uint64_t total_ = 0;
};

}  // namespace glycine::distance
