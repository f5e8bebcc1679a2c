#pragma once

#include <memory>
#include <vector>

#include "engine/distance/measures.hpp"

/// Genomic relationships of genotypes, Measure::Grm. With x the copies of an attribute's counted allele and p
/// the allele's frequency among founders, each genotype becomes z = (x − 2p) / √(2p(1 − p)). The relationship
/// of two instances is the mean of the products of their z over the attributes known in both. An attribute
/// with a single allele adds nothing to the sum, but counts in the mean.
///
/// Source: J. Yang, S. H. Lee, M. E. Goddard, P. M. Visscher, "GCTA: a tool for genome-wide complex trait
/// analysis", Am. J. Hum. Genet. 88 (2011), 76–82. The diagonal follows the same formula, as in PLINK 1.9 and
/// 2 (--make-rel).
namespace glycine::distance {

/// Engines sum squared differences: 2 Σ ab = Σ a² + Σ b² − Σ (a − b)², with z = 0 for a missing genotype.
/// Genotypes become coordinates block by block, so memory does not grow with the data. `options` and `source`
/// must outlive the run.
std::unique_ptr<ValueRun> startRelationships(DistanceEngine& engine, const DiscreteSource& source,
                                             const DistanceOptions& options, Precision precision,
                                             Progress& progress);
/// Bytes that such a run takes besides the engine's.
double bytesForRelationships(const DiscreteShape& shape, Precision precision, std::size_t tile);

/// The relationship of each instance with itself. Reads the source twice.
std::vector<double> relationshipsWithThemselves(const DiscreteSource& source,
                                                const std::vector<bool>& founders, Progress& progress);

/// The diagonal of a result if its values differ (Measure::Grm); else empty.
std::vector<double> diagonalsOf(const DataView& data, const DistanceOptions& options, Progress& progress);

/// Counts the attributes that pairs have in common, on a backend.
class CommonAttributes {
  public:
    /// `source` must outlive this object.
    CommonAttributes(Backend& backend, const DiscreteSource& source);
    /// counts(i, j), j ≤ rows.begin + i: attributes known in both instances rows.begin + i and j.
    void count(Range rows, MatrixView<float> counts);

  private:
    const DiscreteSource& source_;
    std::unique_ptr<DistanceEngine> engine_;
    std::unique_ptr<CountingRun> run_;
    std::vector<std::size_t> known_;  ///< per instance
    Matrix<std::uint32_t> differing_, valid_;
};

/// Number of attributes converted to coordinates at once, for an engine that sums in this precision.
std::size_t relationshipBlock(const DiscreteShape& shape, Precision precision, std::size_t tile);

}  // namespace glycine::distance
