#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/device_matrix.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/mutualinfo/device_information.hpp"

/// Launches, between the host code of this folder and its device code.
namespace glycine::cuda {

/// Samples of a window's genes on their way into weights.
struct PositionBlock {
    MatrixOnDevice<const std::uint32_t> words;  ///< rows 2s and 2s + 1: sample s
    unsigned genes = 0;                         ///< that are read
    unsigned samples = 0;
    unsigned firstSample = 0;  ///< number of the first one among all
};

// --- Values that others have on the device
// -----------------------------------------------------------------------------------------

/// What is found of them.
struct ValueFacts {
    double* least;  ///< one a gene
    double* most;
    unsigned* isInfinite;  ///< or NaN, some value; zeroed before
};
void launchExtents(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts);
/// Positions on [0, intervals] of some samples of some genes, as positionsOf (engine/mutualinfo) finds them,
/// one gene behind another.
void launchPositions(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts,
                     unsigned intervals, Range genes, Range samples, double* positions);
/// Splines whose weights a thread keeps while it sums.
inline constexpr unsigned kMostSummedOrder = 32;
/// sums(gene, bin), zeroed before: of the weights of all samples, in their order.
void launchSumWeights(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts,
                      const SplineShape& splines, double* sums);

// --- The published kernels
// -----------------------------------------------------------------------------------------

/// Of each gene, one behind the other.
struct PublishedGenes {
    double* positions;  ///< samples
    double* weights;    ///< the weighting matrix, samples × bins
    double* entropies;  ///< one
};
/// Pairs (row, column) of two groups of genes.
struct PublishedPairs {
    PublishedGenes rows, columns;
    unsigned samples, bins;
    unsigned firstRow, rowCount;  ///< rowCount ≤ 65535, what a grid holds
    unsigned columnCount;
    bool isDiagonal;                       ///< only pairs with column < row
    MatrixOnDevice<std::uint32_t> common;  ///< of kernel 2; null where it was left out, as nothing is missing
    MatrixOnDevice<double> results;
};
/// Bins for which a block has a thread each for all elements of a joint table.
inline constexpr unsigned kMostPublishedBins = 32;
/// Kernel 1: weighting matrices. `samples`: of all.
void launchWeightingMatrices(const Launch& launch, const SplineShape& splines, const PositionBlock& block,
                             unsigned samples, const PublishedGenes& genes);
/// Kernel 2: common(row, column) = number of samples that both have.
void launchScanData(const Launch& launch, const PublishedPairs& pairs);
/// Kernel 3: entropies of single genes, from all their samples.
void launchSelfEntropies(const Launch& launch, unsigned genes, unsigned samples, unsigned bins,
                         const PublishedGenes& data);
/// Kernel 4: joint tables, their entropies, and the mutual information.
void launchJointEntropies(const Launch& launch, const PublishedPairs& pairs);

// --- Products of stacked weighting matrices
// -----------------------------------------------------------------------------------------

/// Weights of genes that are multiplied together: a panel has `side` rows, of which `genes` × `bins` are
/// filled, the bins of a gene beside each other; the others are zero. Samples come in steps of 64 bytes a
/// row: four vectors of 16 bytes, which placeOfVector orders. A step holds all panels, one behind the other,
/// and a panel its rows.
struct WeightPanels {
    unsigned side = 0;  ///< 128 or 64
    unsigned genes = 0;
    unsigned bins = 0;
    /// The last bin of each gene is left out: where every sample has all genes, marginals tell the rest.
    bool lacksLastBin = false;
    std::size_t panels(std::size_t instances) const { return (instances + genes - 1) / genes; }
};
inline constexpr std::size_t kStepBytes = 64;
/// Where one of the four vectors of a row lies in it: eight neighbouring rows have the same vector in all
/// banks of shared memory. The order in which warpgroups read operands of 64 bytes.
GLYCINE_HOST_DEVICE inline unsigned placeOfVector(unsigned row, unsigned vector) {
    return vector ^ (row / 2 % 4);
}
/// Genes of a panel, at most: so many marginals are held of each of its rows.
inline constexpr unsigned kMostPanelGenes = 16;
std::size_t elementBytes(InformationMethod format);

/// Writes the weights of a block of samples; if it is the last one, zeros to the end of its last step.
void launchWeights(const Launch& launch, InformationMethod format, const SplineShape& splines,
                   const PositionBlock& block, bool isLast, const WeightPanels& layout, void* panels);

/// The sum over all samples of each row of each panel.
void launchMarginals(const Launch& launch, InformationMethod format, const WeightPanels& layout,
                     std::size_t panelCount, std::size_t steps, const void* panels, double* marginals);
/// Takes the mean of each row, which its marginal tells, from its weights, of tf32 and fp16: sums of tensor
/// cores are cut off, which is little where they lie around 0.
void launchCentring(const Launch& launch, InformationMethod format, const WeightPanels& layout,
                    std::size_t panelCount, std::size_t steps, std::size_t samples, void* panels,
                    const double* marginals);
/// Σ p log₂ p over the bins of each gene of each panel, the one that the panels lack among them, where all
/// have so many samples.
void launchNegativeEntropies(const Launch& launch, const WeightPanels& layout, std::size_t panelCount,
                             std::size_t samples, const double* marginals, double* entropies);

/// Rows of panels that go through the columns together, so that they meet in the second-level cache.
inline constexpr unsigned kBandPanels = 12;
/// What a block of threads multiplies.
enum class BlockPanels {
    Small,  ///< panels of 64 rows
    Usual,  ///< panels of 128 rows
    /// two panels of 128 rows with one, by instructions of compute capability 9.0 alone; weights of panels
    /// that lack bins are centred
    Warpgroups,
};
struct JointTask {
    const void* rows;  ///< weights
    const void* columns;
    const double* rowMarginals;  ///< where panels lack bins
    const double* columnMarginals;
    const double* rowEntropies;  ///< negative ones, where panels lack bins and warpgroups multiply
    const double* columnEntropies;
    unsigned rowPanels, columnPanels;
    unsigned samples;
    unsigned steps;
    WeightPanels layout;
    unsigned firstBand, bands;  ///< of rows of panels; bands ≤ 65535
    unsigned rowCount, columnCount;
    bool isDiagonal;  ///< rows and columns are the same; only pairs with column < row are wanted
    MatrixOnDevice<double> results;
};
/// Bytes of shared memory that a block takes; `steps`: 0: any number.
std::size_t jointSharedBytes(InformationMethod format, BlockPanels block, std::size_t steps = 0);
/// BlockPanels::Small and BlockPanels::Usual.
void launchJointInformation(const Launch& launch, InformationMethod format, BlockPanels block,
                            const JointTask& task);
/// BlockPanels::Warpgroups, of tf32 and fp16.
void launchWarpgroupInformation(const Launch& launch, InformationMethod format, const JointTask& task);

}  // namespace glycine::cuda
