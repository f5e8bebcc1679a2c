#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/device_matrix.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/terms.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

/// What kernels read and what they find of pairs: bit planes of symbols and counts, numbers and sums; and the
/// launches of the kernels, between the host code of this folder (distance*.cpp) and the device code
/// (distance_*.cu).
namespace glycine::cuda {

/// How bits code symbols. Bit b of word w of plane p belongs to attribute 32·w + b; rows of operands are the
/// words in order, and for each word the planes in order.
struct PlaneFormat {
    unsigned planes = 2;      ///< 1 … 8 that tell symbols apart
    bool hasMissing = false;  ///< one plane more: entries that are there. Missing entries are 0 in all planes
    bool isThermometer = false;  ///< two planes, symbols 00, 01 and 11 (the high plane written first)
    GLYCINE_HOST_DEVICE unsigned stored() const { return planes + (hasMissing ? 1U : 0U); }
};

/// Counts of a window, rowCount × columnCount each, rows `stride` elements apart (a multiple of 4); null
/// where not wanted. Elements above the diagonal of a window on it may hold anything afterwards.
struct CountsOnDevice {
    std::uint32_t* differing = nullptr;
    std::uint32_t* opposite = nullptr;  ///< both planes differ
    std::uint32_t* valid = nullptr;     ///< both entries are there
    std::size_t stride = 0;
};

/// Counts the genotypes of each row that are there in `known`, and sets `refused` where a number is none.
/// Both are zeroed before.
void launchCheckGenotypes(StreamHandle stream, const DeviceMatrix& numbers, unsigned long long* known,
                          unsigned* refused);
/// Packs genotypes: row (i − instances.begin) · planes + p of `target` takes its stride's words of plane p of
/// instance i, zeros past the last attribute.
void launchPackGenotypes(StreamHandle stream, const DeviceMatrix& numbers, Range instances, Range attributes,
                         const PlaneFormat& format, MatrixOnDevice<std::uint32_t> target);

/// What is summed over the attributes of a pair, and of what numbers.
struct SummedNumbers {
    distance::SumTerm term = distance::SumTerm::AbsoluteDifference;
    bool isDouble = false;  ///< two words a number, the low one first; else one, a float
};

/// The five published kernels: N. A. Sinnott-Armstrong et al., "Exploiting Graphics Processing Units for
/// Computational Biology and Bioinformatics", Interdisciplinary Sciences 2 (2010). Then what its discussion
/// proposes beyond Shared: sums by parallel reduction, and with it reads by way of texture and constant
/// memory.
enum class PublishedKernel { Naive, Coalesced, Char4, Register, Shared, Reduction, Texture, Constant };

/// Which attributes of a pair are counted.
enum class CountedAttributes {
    Differing,         ///< the paper's: symbols are different
    DifferingPresent,  ///< symbols are different and both are there
    Opposite,          ///< one symbol is 0, the other 2
    Present,           ///< both are there
};

/// Stands for a missing entry among symbols.
inline constexpr int kMissingValue = 255;

// --- Layout
// ---------------------------------------------------------------------------------------------------

/// Bytes, instance by instance, become integers in the same order.
void launchWidenSymbols(const Launch& launch, MatrixOnDevice<const std::uint8_t> source,
                        std::size_t instances, std::size_t attributes, MatrixOnDevice<int> target);
/// The same, attribute by attribute: target(k, i) = source(i, k).
void launchTransposeSymbols(const Launch& launch, MatrixOnDevice<const std::uint8_t> source,
                            std::size_t instances, std::size_t attributes, MatrixOnDevice<int> target);

// --- Population counts
// -----------------------------------------------------------------------------------------

/// Counts with XOR, OR and population counts, for any format.
void launchBitplane(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                    const PlaneFormat& format, Accumulate accumulate, const CountsOnDevice& counts);

// --- One-bit matrix products
// -----------------------------------------------------------------------------------------

/// Counts by products of bit matrices on tensor cores (AND, population count). format.planes ≤ 2; needs
/// compute capability 8.0.
void launchBitTensor(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                     const PlaneFormat& format, Accumulate accumulate, const CountsOnDevice& counts);

// --- Eight-bit matrix products
// -----------------------------------------------------------------------------------------

/// Values that stand for a symbol in one slice of an operand: byte c of `low` for the code c of the (at most
/// two) planes. Formats with missing entries take `high` for entries that are there and `low` for those that
/// are not.
struct SliceTable {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};
inline constexpr unsigned kMostSlices = 8;
struct SliceTables {
    SliceTable table[kMostSlices];
    unsigned count = 0;
};

/// Writes the operand of an int8 product: target row i holds, slice by slice, 32·words values of instance i.
/// Every slice keeps the same order of attributes, which is not that of the bits. Rows `targetStride` bytes
/// apart (multiple of 32). `source` points at the first instance and first word.
void launchExpand(const Launch& launch, MatrixOnDevice<const std::uint32_t> source, std::size_t instances,
                  std::size_t words, const PlaneFormat& format, const SliceTables& tables,
                  std::int8_t* target, std::size_t targetStride);

/// result[i] = number of attributes in which instance i has equal bits in both planes (padding included).
void launchCountEqualPlanes(const Launch& launch, MatrixOnDevice<const std::uint32_t> source,
                            std::size_t instances, std::size_t words, std::uint32_t* result);

/// Products of a tile, and what each count is made of:
/// (attributes · padded + margin · (rowMargin[i] + columnMargin[j]) + Σ_p weight[p] · product[p](i, j)) /
/// divisor.
inline constexpr unsigned kMostProducts = 4;
struct Combination {
    int attributes = 0;
    int margin = 0;
    int weight[kMostProducts] = {};
    int divisor = 0;  ///< 0: this count is not wanted
};
struct CombineTask {
    const std::int32_t* product[kMostProducts] = {};
    std::size_t stride = 0;  ///< of the products
    unsigned products = 0;
    const std::uint32_t* rowMargin = nullptr;
    const std::uint32_t* columnMargin = nullptr;
    std::size_t attributes = 0;
    Combination differing, opposite, valid;
};
void launchCombine(const Launch& launch, const CombineTask& task, std::size_t rows, std::size_t columns,
                   Accumulate accumulate, const CountsOnDevice& counts);

// --- Coordinates
// ---------------------------------------------------------------------------------------------------

/// sums(i, j) = sums of the term over words that are floats (float32 within a block of attributes,
/// double from block to block), or pairs of words that are doubles, the low word first.
void launchDirect(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                  const SummedNumbers& summed, Accumulate accumulate, MatrixOnDevice<double> sums);

// --- The published kernels
// -----------------------------------------------------------------------------------------

/// Part of a grid of one block of threads a pair.
struct PublishedTask {
    const void* data = nullptr;  ///< int for Naive and Coalesced, bytes for the others
    /// Naive: distance from attribute to attribute; others: from instance to instance (bytes: a multiple of
    /// 4).
    std::size_t stride = 0;
    unsigned attributes = 0;
    unsigned firstRow = 0;
    unsigned rows = 0;  ///< ≤ 65535, what a grid holds
    unsigned firstColumn = 0;
    unsigned columns = 0;
    MatrixOnDevice<int> counts{};    ///< rows × columns; zero beforehand, but for Shared
    unsigned long long texture = 0;  ///< Texture: of the bytes, four a texel
};
void launchPublished(const Launch& launch, PublishedKernel kernel, CountedAttributes counted,
                     const PublishedTask& task);

}  // namespace glycine::cuda
