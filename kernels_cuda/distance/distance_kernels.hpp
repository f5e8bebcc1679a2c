#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/device_matrix.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/discrete_shape.hpp"
#include "engine/distance/distance_variant.hpp"
#include "engine/distance/genotype_symbol.hpp"
#include "engine/distance/terms.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

/// Operands and results of the kernels for pairs (bit planes of symbols and counts, numbers and sums), and
/// the launches of the kernels. This is the interface between the host code of this folder (distance*.cpp)
/// and the device code (distance_*.cu).
namespace glycine::cuda {

/// Counts of a window, rowCount × columnCount each, with rows `stride` elements apart (a multiple of 4); null
/// if not wanted. In a window on the diagonal, elements above it are undefined afterwards.
struct CountsOnDevice {
    std::uint32_t* differing = nullptr;
    std::uint32_t* opposite = nullptr;  ///< both planes differ
    std::uint32_t* valid = nullptr;     ///< both entries are known
    std::size_t stride = 0;
};

/// Counts the known genotypes of each row in `known`, and sets `refused` if a number is not a genotype. Both
/// must be zero before.
void launchCheckGenotypes(StreamHandle stream, const DeviceMatrix& numbers, unsigned long long* known,
                          unsigned* refused);
/// Packs genotypes: row (i − instances.begin) · planes + p of `target` receives as many words of plane p of
/// instance i as its stride, with zeros past the last attribute.
void launchPackGenotypes(StreamHandle stream, const DeviceMatrix& numbers, Range instances, Range attributes,
                         const distance::DiscreteShape& shape, MatrixOnDevice<std::uint32_t> target);

/// The term that is summed over the attributes of a pair, and the number type.
struct SummedNumbers {
    distance::SumTerm term = distance::SumTerm::AbsoluteDifference;
    bool isDouble = false;  ///< two words per number, low word first; else one float per word
};

/// Which attributes of a pair count.
enum class CountedAttributes {
    Differing,         ///< the paper's: symbols differ
    DifferingPresent,  ///< symbols differ and both are known
    Opposite,          ///< one symbol is 0, the other 2
    Present,           ///< both are known
};

// --- Layout
// ---------------------------------------------------------------------------------------------------

/// Converts bytes to integers, in instance order.
void launchWidenSymbols(const Launch& launch, MatrixOnDevice<const std::uint8_t> source,
                        std::size_t instances, std::size_t attributes, MatrixOnDevice<int> target);
/// The same in attribute order: target(k, i) = source(i, k).
void launchTransposeSymbols(const Launch& launch, MatrixOnDevice<const std::uint8_t> source,
                            std::size_t instances, std::size_t attributes, MatrixOnDevice<int> target);

// --- Population counts
// -----------------------------------------------------------------------------------------

/// Counts with XOR, OR and population counts, for any shape.
void launchBitplane(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                    const distance::DiscreteShape& shape, Accumulate accumulate,
                    const CountsOnDevice& counts);

// --- One-bit matrix products
// -----------------------------------------------------------------------------------------

/// Counts with products of bit matrices on tensor cores (AND, population count). Requires shape.planes ≤ 2
/// and compute capability 8.0.
void launchBitTensor(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                     const distance::DiscreteShape& shape, Accumulate accumulate,
                     const CountsOnDevice& counts);

// --- Eight-bit matrix products
// -----------------------------------------------------------------------------------------

/// Values of a symbol in one slice of an operand: byte c of `low` for the code c of the (at most two) planes.
/// Formats with missing entries use `high` for known entries and `low` for missing ones.
struct SliceTable {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};
inline constexpr unsigned kMaxSlices = 8;
struct SliceTables {
    SliceTable table[kMaxSlices];
    unsigned count = 0;
};

/// Writes the operand of an int8 product: target row i holds, slice by slice, 32·words values of instance i.
/// Every slice has the same order of attributes, which differs from that of the bits. Rows are `targetStride`
/// bytes apart (a multiple of 32). `source` points at the first instance and first word.
void launchExpand(const Launch& launch, MatrixOnDevice<const std::uint32_t> source, std::size_t instances,
                  std::size_t words, const distance::DiscreteShape& shape, const SliceTables& tables,
                  std::int8_t* target, std::size_t targetStride);

/// result[i] = number of attributes in which instance i has equal bits in both planes (padding included).
void launchCountEqualPlanes(const Launch& launch, MatrixOnDevice<const std::uint32_t> source,
                            std::size_t instances, std::size_t words, std::uint32_t* result);

/// The products of a tile, and how each count is composed: (attributes · padded + margin · (rowMargin[i] +
/// columnMargin[j]) + Σ_p weight[p] · product[p](i, j)) / divisor.
inline constexpr unsigned kMaxProducts = 4;
struct Combination {
    int attributes = 0;
    int margin = 0;
    int weight[kMaxProducts] = {};
    int divisor = 0;  ///< 0: this count is not wanted
};
struct CombineTask {
    const std::int32_t* product[kMaxProducts] = {};
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

/// sums(i, j) = sums of the term over words that are floats (summed in float32 within a block of attributes,
/// in double across blocks), or over pairs of words that are doubles, low word first.
void launchDirect(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                  const SummedNumbers& summed, Accumulate accumulate, MatrixOnDevice<double> sums);

// --- The published kernels
// -----------------------------------------------------------------------------------------

/// Part of a grid with one thread block per pair.
struct PublishedTask {
    const void* data = nullptr;  ///< int for Naive and Coalesced, bytes for the others
    /// Naive: stride between attributes; others: stride between instances (in bytes: a multiple of 4).
    std::size_t stride = 0;
    unsigned attributes = 0;
    unsigned firstRow = 0;
    unsigned rows = 0;  ///< ≤ 65535, the limit of a grid
    unsigned firstColumn = 0;
    unsigned columns = 0;
    MatrixOnDevice<int> counts{};    ///< rows × columns; zero beforehand, except for Shared
    unsigned long long texture = 0;  ///< Texture: of the bytes, four per texel
};
void launchPublished(const Launch& launch, distance::Variant variant, CountedAttributes counted,
                     const PublishedTask& task);

}  // namespace glycine::cuda
