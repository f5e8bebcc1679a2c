#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/device_matrix.hpp"
#include "engine/core/tiling.hpp"
#include "engine/mutualinfo/spline_shape.hpp"
#include "engine/mutualinfo/weight_precision.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernel launches: the interface between the host code of this folder and its device code.
namespace glycine::cuda {

/// Samples of a window's genes that are to be converted to weights.
struct PositionBlock {
    MatrixOnDevice<const std::uint32_t> words;  ///< rows 2s and 2s + 1: sample s
    unsigned genes = 0;                         ///< number of genes to read
    unsigned samples = 0;
    unsigned firstSample = 0;  ///< index of the first sample among all samples
};

// ---- Values already in device memory

/// Properties of the values.
struct ValueFacts {
    double* least;  ///< one per gene
    double* most;
    unsigned* isInfinite;  ///< whether any value is infinite or NaN; must be zeroed before
};
void launchExtents(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts);
/// Positions on [0, intervals] of some samples of some genes, as positionsOf (engine/mutualinfo) computes
/// them, gene after gene.
void launchPositions(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts,
                     unsigned intervals, Range genes, Range samples, double* positions);
/// The highest order for which a thread keeps the splines' weights while it sums.
inline constexpr unsigned kMaxSummedOrder = 32;
/// sums(gene, bin): sums of the weights of all samples, in their order. Must be zeroed before.
void launchSumWeights(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts,
                      const mutualinfo::SplineShape& splines, double* sums);

// ---- The published kernels

/// Data of each gene, gene after gene.
struct PublishedGenes {
    double* positions;  ///< samples
    double* weights;    ///< the weighting matrix, samples × bins
    double* entropies;  ///< one
};
/// Pairs (row, column) of two groups of genes.
struct PublishedPairs {
    PublishedGenes rows, columns;
    unsigned samples, bins;
    unsigned firstRow, rowCount;  ///< rowCount ≤ 65535, the limit of a grid
    unsigned columnCount;
    bool isDiagonal;                       ///< only pairs with column < row
    MatrixOnDevice<std::uint32_t> common;  ///< from kernel 2; null if kernel 2 was skipped because nothing is
                                           ///< missing
    MatrixOnDevice<double> results;
};
/// The most bins for which a block has a thread for each element of a joint table.
inline constexpr unsigned kMaxPublishedBins = 32;
/// Kernel 1: weighting matrices. `samples`: number of all samples.
void launchWeightingMatrices(const Launch& launch, const mutualinfo::SplineShape& splines,
                             const PositionBlock& block, unsigned samples, const PublishedGenes& genes);
/// Kernel 2: common(row, column) = number of samples that both genes have.
void launchScanData(const Launch& launch, const PublishedPairs& pairs);
/// Kernel 3: entropies of single genes, from all their samples.
void launchSelfEntropies(const Launch& launch, unsigned genes, unsigned samples, unsigned bins,
                         const PublishedGenes& data);
/// Kernel 4: joint tables, their entropies, and the mutual information.
void launchJointEntropies(const Launch& launch, const PublishedPairs& pairs);

// ---- Products of stacked weighting matrices

/// Weights of genes that are multiplied together. A panel has `side` rows, of which `genes` × `bins` are
/// used, with the bins of a gene adjacent; the others are zero. Samples come in steps of 64 bytes per row:
/// four vectors of 16 bytes, ordered by placeOfVector. A step holds all panels consecutively, and a panel its
/// rows.
struct WeightPanels {
    unsigned side = 0;  ///< 128 or 64
    unsigned genes = 0;
    unsigned bins = 0;
    /// The last bin of each gene is left out. If no value is missing, it follows from the marginals.
    bool lacksLastBin = false;
    std::size_t panels(std::size_t instances) const { return (instances + genes - 1) / genes; }
};
inline constexpr std::size_t kStepBytes = 64;
/// Position of a vector, one of four, within its row. It puts the same vector of eight neighbouring rows into
/// different banks of shared memory. Warpgroups read 64-byte operands in this order.
GLYCINE_HOST_DEVICE inline unsigned placeOfVector(unsigned row, unsigned vector) {
    return vector ^ (row / 2 % 4);
}
/// The most genes of a panel, because each of its rows has that many marginals in memory.
inline constexpr unsigned kMaxPanelGenes = 16;
std::size_t elementBytes(mutualinfo::WeightPrecision precision);

/// Writes the weights of a block of samples. If it is the last block, also writes zeros to the end of its
/// last step.
void launchWeights(const Launch& launch, mutualinfo::WeightPrecision precision,
                   const mutualinfo::SplineShape& splines, const PositionBlock& block, bool isLast,
                   const WeightPanels& layout, void* panels);

/// The sum over all samples for each row of each panel.
void launchMarginals(const Launch& launch, mutualinfo::WeightPrecision precision, const WeightPanels& layout,
                     std::size_t panelCount, std::size_t steps, const void* panels, double* marginals);
/// Subtracts from each row's weights, in tf32 and fp16, their mean, which follows from the marginal. Tensor
/// cores truncate sums, and the error is small for values around 0.
void launchCentring(const Launch& launch, mutualinfo::WeightPrecision precision, const WeightPanels& layout,
                    std::size_t panelCount, std::size_t steps, std::size_t samples, void* panels,
                    const double* marginals);
/// Σ p log₂ p over the bins of each gene of each panel, including the bin that the panels lack, if all genes
/// have `samples` samples.
void launchNegativeEntropies(const Launch& launch, const WeightPanels& layout, std::size_t panelCount,
                             std::size_t samples, const double* marginals, double* entropies);

/// Rows of panels that process the columns together, so that they share data in the second-level cache.
inline constexpr unsigned kBandPanels = 12;
/// Panels that a block of threads multiplies.
enum class BlockPanels {
    Small,  ///< panels of 64 rows
    Usual,  ///< panels of 128 rows
    /// two panels of 128 rows by one, with instructions that only compute capability 9.0 has; weights of
    /// panels without the last bin are centred
    Warpgroups,
};
struct JointTask {
    const void* rows;  ///< weights
    const void* columns;
    const double* rowMarginals;  ///< if panels lack the last bin
    const double* columnMarginals;
    const double* rowEntropies;  ///< negative; if panels lack the last bin and warpgroups multiply
    const double* columnEntropies;
    unsigned rowPanels, columnPanels;
    unsigned samples;
    unsigned steps;
    WeightPanels layout;
    unsigned firstBand, bands;  ///< of rows of panels; bands ≤ 65535
    unsigned rowCount, columnCount;
    bool isDiagonal;  ///< whether rows and columns are the same; then only pairs with column < row are
                      ///< computed
    MatrixOnDevice<double> results;
};
/// Shared memory of a block in bytes. `steps`: 0 for any number.
std::size_t jointSharedBytes(mutualinfo::WeightPrecision precision, BlockPanels block, std::size_t steps = 0);
/// For BlockPanels::Small and BlockPanels::Usual.
void launchJointInformation(const Launch& launch, mutualinfo::WeightPrecision precision, BlockPanels block,
                            const JointTask& task);
/// For BlockPanels::Warpgroups, in tf32 and fp16.
void launchWarpgroupInformation(const Launch& launch, mutualinfo::WeightPrecision precision,
                                const JointTask& task);

}  // namespace glycine::cuda
