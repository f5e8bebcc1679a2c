#pragma once

#include <cstddef>
#include <cstdint>

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
    bool isDiagonal;  ///< only pairs with column < row
    MatrixOnDevice<std::uint32_t> common;
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
/// row. A step holds all panels, one behind the other, and a panel its rows.
struct PanelLayout {
    unsigned side = 0;  ///< 128 or 64
    unsigned genes = 0;
    unsigned bins = 0;
    /// The last bin of each gene is left out: where every sample has all genes, marginals tell the rest.
    /// float64 alone: sums of tensor cores in float32 are cut off, and would leave too much of it.
    bool lacksLastBin = false;
    std::size_t panels(std::size_t instances) const { return (instances + genes - 1) / genes; }
};
inline constexpr std::size_t kStepBytes = 64;
/// Genes of a panel, at most: so many marginals are held of each of its rows.
inline constexpr unsigned kMostPanelGenes = 16;
std::size_t elementBytes(InformationMethod format);

/// Writes the weights of a block of samples; if it is the last one, zeros to the end of its last step.
void launchWeights(const Launch& launch, InformationMethod format, const SplineShape& splines,
                   const PositionBlock& block, bool isLast, const PanelLayout& layout, void* panels);

/// The sum over all samples of each row of each panel, of float64.
void launchMarginals(const Launch& launch, const PanelLayout& layout, std::size_t panelCount,
                     std::size_t steps, const void* panels, double* marginals);

/// Rows of panels that go through the columns together, so that they meet in the second-level cache.
inline constexpr unsigned kBandPanels = 12;
/// What a block of threads multiplies.
enum class JointBlock {
    Small,  ///< panels of 64 rows
    Usual,  ///< panels of 128 rows
    Tall,   ///< two panels of 128 rows with one: fewer operands a product
};
struct JointTask {
    const void* rows;  ///< weights
    const void* columns;
    const double* rowMarginals;  ///< where panels lack bins
    const double* columnMarginals;
    unsigned rowPanels, columnPanels;
    unsigned samples;
    unsigned steps;
    PanelLayout layout;
    unsigned firstBand, bands;  ///< of rows of panels; bands ≤ 65535
    unsigned rowCount, columnCount;
    bool isDiagonal;  ///< rows and columns are the same; only pairs with column < row are wanted
    MatrixOnDevice<double> results;
};
/// Bytes of shared memory that a block takes; `steps`: 0: any number.
std::size_t jointSharedBytes(InformationMethod format, JointBlock block, std::size_t steps = 0);
/// Tall blocks: tf32 and fp16, which read more than they multiply.
bool hasTallBlocks(InformationMethod format);
void launchJointInformation(const Launch& launch, InformationMethod format, JointBlock block,
                            const JointTask& task);

}  // namespace glycine::cuda
