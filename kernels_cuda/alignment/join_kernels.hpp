#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/alignment/posterior/device_types.hpp"
#include "kernels_cuda/alignment/posterior_kernels.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Launches of alignments by maximum expected accuracy: posteriors between groups of sequences summed up, and
/// the heaviest chains of pairs of columns. Sums are integers, a power of two times what they stand for, so
/// that they do not depend on the order in which they are added.
namespace glycine::cuda {

using align::ChainStep;

/// A pair of sequences whose posteriors are there; of both directions, rows of `first`.
struct PlacedPosterior {
    const std::uint32_t* places;    ///< of each row, where its entries begin, and behind the last one
    const PosteriorEntry* entries;  ///< columns: residues of `second`
    std::uint32_t first, second;    ///< sequences
    std::uint32_t rows, columns;    ///< their residues
};

/// Where a sequence takes part.
struct JoinMember {
    std::uint32_t join;  ///< kNoJoin: nowhere
    std::uint32_t side;  ///< 0: the first group, whose columns are rows of the sums; 1: the second
};
inline constexpr std::uint32_t kNoJoin = 0xffffffffU;

/// One join.
struct JoinTable {
    unsigned long long* sums;  ///< rows × columns
    std::byte* steps;          ///< rows × stepBytes: two bits a column (ChainStep), from the lowest on
    std::uint32_t rows, columns;
    float scale;  ///< a power of two
};

/// All posteriors, and where residues stand.
struct JoinWork {
    const PlacedPosterior* pairs;
    std::uint32_t pairCount;
    const double* weights;         ///< of each sequence
    const std::uint64_t* begins;   ///< of each sequence's residues
    const std::uint32_t* columns;  ///< of each residue, in its group
};

/// Sets sums to 0.
void clearJoinSums(const Launch& launch, unsigned long long* sums, std::size_t count);
/// Adds to the sums of all joins what pairs between their groups have.
void launchJoinSums(const Launch& launch, const JoinWork& work, const JoinMember* members,
                    const JoinTable* joins);

/// Columns that launchJoinChains takes at most.
inline constexpr std::uint32_t kMostJoinColumns = 8192;
/// Bytes of steps of a row, where no join of a launch has more columns.
std::uint32_t stepBytesOf(std::uint32_t mostColumns);
/// The steps of all joins, of which none has more than `mostColumns`.
void launchJoinChains(const Launch& launch, const JoinTable* joins, std::uint32_t joinCount,
                      std::uint32_t mostColumns);

/// Adds what pairs have whose residues stand in one column: `sums`, one a column.
void launchSumsWithin(const Launch& launch, const JoinWork& work, float scale, unsigned long long* sums);

/// Columns of a pair that launchAccuracies takes at most, and what a multiprocessor must have for them.
std::uint32_t mostAccuracyColumns();
/// Of each pair x > y, at x (x − 1) / 2 + y, the largest sum of posteriors that an alignment can have.
/// `columns` of no pair are more than mostColumns.
void launchAccuracies(const Launch& launch, const PlacedPosterior* pairs, std::uint32_t pairCount,
                      std::uint32_t mostColumns, double* accuracies);

}  // namespace glycine::cuda
