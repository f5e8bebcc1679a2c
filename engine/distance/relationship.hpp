#pragma once

#include <memory>
#include <vector>

#include "engine/distance/measures.hpp"

/// Genomic relationships of genotypes, Measure::Grm. With x the copies of an attribute's counted allele and p
/// the allele's frequency among founders, each genotype becomes z = (x − 2p) / √(2p(1 − p)); the relationship
/// of two instances is the mean of the products of their z over the attributes that both have. An attribute
/// with a single allele adds nothing to the sum and counts in the mean.
///
/// Source: J. Yang, S. H. Lee, M. E. Goddard, P. M. Visscher, "GCTA: a tool for genome-wide complex trait
/// analysis", Am. J. Hum. Genet. 88 (2011), 76–82; on the diagonal, too, as PLINK 1.9 and 2 (--make-rel).
namespace glycine::distance {

/// Engines sum squared differences: 2 Σ ab = Σ a² + Σ b² − Σ (a − b)², with z = 0 where a genotype is
/// missing. Genotypes become coordinates block by block, so that memory does not grow with the data.
/// `options` and `source` outlive the run.
std::unique_ptr<ValueRun> startRelationships(PairEngine& engine, const DiscreteSource& source,
                                             const DistanceOptions& options, Precision precision,
                                             Progress& progress);
/// Bytes that such a run takes beside the engine's.
double bytesForRelationships(const DiscreteShape& shape, Precision precision, std::size_t tile);

/// Of each instance with itself. Reads the source twice.
std::vector<double> relationshipsWithThemselves(const DiscreteSource& source,
                                                const std::vector<bool>& founders, Progress& progress);

/// The diagonal of a result where it has several values (Measure::Grm); else empty.
std::vector<double> diagonalsOf(const DataView& data, const DistanceOptions& options, Progress& progress);

/// What pairs have in common, on a backend.
class CommonAttributes {
  public:
    /// `source` outlives it.
    CommonAttributes(Backend& backend, const DiscreteSource& source);
    /// counts(i, j), j ≤ rows.begin + i: attributes that instances rows.begin + i and j both have.
    void count(Range rows, MatrixView<float> counts);

  private:
    const DiscreteSource& source_;
    std::unique_ptr<PairEngine> engine_;
    std::unique_ptr<CountingRun> run_;
    std::vector<std::size_t> known_;  ///< of each instance
    Matrix<std::uint32_t> differing_, valid_;
};

/// Attributes that are coordinates at once, of an engine that sums in this precision.
std::size_t relationshipBlock(const DiscreteShape& shape, Precision precision, std::size_t tile);

}  // namespace glycine::distance
