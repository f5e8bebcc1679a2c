#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/alignment/posterior/device_types.hpp"
#include "kernels_cuda/alignment/posterior_kernels.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernels for alignments by maximum expected accuracy: sums of posteriors between groups of sequences, and
/// the heaviest chains of column pairs. Sums are integers, scaled by a power of two, so that they do not
/// depend on the order of additions.
namespace glycine::cuda {

using align::ChainStep;

/// The posteriors of a pair of sequences on the device, in one direction: with rows of `first`.
struct PlacedPosterior {
    const std::uint32_t* places;    ///< offset of each row's entries, and the end
    const PosteriorEntry* entries;  ///< columns: residues of `second`
    std::uint32_t first, second;    ///< sequences
    std::uint32_t rows, columns;    ///< numbers of their residues
};

/// The role of a sequence in the joins.
struct JoinMember {
    std::uint32_t join;  ///< kNoJoin: none
    std::uint32_t side;  ///< 0: the first group, whose columns are rows of the sums; 1: the second
};
inline constexpr std::uint32_t kNoJoin = 0xffffffffU;

/// One join.
struct JoinTable {
    unsigned long long* sums;  ///< rows × columns
    std::byte* steps;          ///< rows × stepBytes: two bits per column (ChainStep), lowest first
    std::uint32_t rows, columns;
    float scale;  ///< a power of two
};

/// All posteriors, and the columns of residues.
struct JoinWork {
    const PlacedPosterior* pairs;
    std::uint32_t pairCount;
    const double* weights;         ///< one per sequence
    const std::uint64_t* begins;   ///< offset of each sequence's residues
    const std::uint32_t* columns;  ///< of each residue, in its group
};

/// Sets sums to 0.
void clearJoinSums(const Launch& launch, unsigned long long* sums, std::size_t count);
/// Adds the posteriors of pairs between the groups of each join to its sums.
void launchJoinSums(const Launch& launch, const JoinWork& work, const JoinMember* members,
                    const JoinTable* joins);

/// The most columns that launchJoinChains can take.
inline constexpr std::uint32_t kMaxJoinColumns = 8192;
/// Bytes of steps per row, if no join of a launch has more columns than this.
std::uint32_t stepBytesOf(std::uint32_t mostColumns);
/// Computes the steps of all joins, none of which has more than `mostColumns`.
void launchJoinChains(const Launch& launch, const JoinTable* joins, std::uint32_t joinCount,
                      std::uint32_t mostColumns);

/// Adds posteriors of residues in the same column, times the weight of the other residue's sequence. `sums`
/// has one element per residue, one sequence after another.
void launchSumsWithin(const Launch& launch, const JoinWork& work, float scale, unsigned long long* sums);

/// The most columns of a pair that launchAccuracies can take, limited by shared memory per block.
std::uint32_t mostAccuracyColumns();
/// For each pair x > y, at x (x − 1) / 2 + y: the largest sum of posteriors of an alignment. No pair may have
/// more `columns` than mostColumns.
void launchAccuracies(const Launch& launch, const PlacedPosterior* pairs, std::uint32_t pairCount,
                      std::uint32_t mostColumns, double* accuracies);

// ---- the work of a thread

// The per-thread computations of the sums of joins. They also compile as plain C++, so that they can be
// tested without a device.

GLYCINE_HOST_DEVICE inline void addTo(unsigned long long* sum, long long value) {
#ifdef __CUDA_ARCH__
    atomicAdd(sum, static_cast<unsigned long long>(value));
#else
    *sum += static_cast<unsigned long long>(value);
#endif
}

/// A weighted posterior as an integer, rounded to nearest.
GLYCINE_HOST_DEVICE inline long long scaledPosterior(float weight, float value, float scale) {
#ifdef __CUDA_ARCH__
    return __float2ll_rn(weight * value * scale);
#else
    return std::llrint(weight * value * scale);
#endif
}

/// Adds every `lanes`-th row of a pair, from row `lane`.
GLYCINE_HOST_DEVICE inline void addPairToJoin(const JoinWork& work, const JoinMember* members,
                                              const JoinTable* joins, std::uint32_t pairNumber,
                                              std::uint32_t lane, std::uint32_t lanes) {
    const PlacedPosterior pair = work.pairs[pairNumber];
    const JoinMember first = members[pair.first], second = members[pair.second];
    if (first.join == kNoJoin || first.join != second.join || first.side == second.side) return;
    const JoinTable join = joins[first.join];
    const auto weight = static_cast<float>(work.weights[pair.first] * work.weights[pair.second]);
    const std::uint32_t* const rows = work.columns + work.begins[pair.first];
    const std::uint32_t* const columns = work.columns + work.begins[pair.second];
    const bool isTurned = first.side == 1;
    const std::size_t ofRow = isTurned ? 1 : join.columns, ofColumn = isTurned ? join.columns : 1;
    for (std::uint32_t row = lane; row < pair.rows; row += lanes) {
        unsigned long long* const sums = join.sums + rows[row] * ofRow;
        const std::uint32_t end = pair.places[row + 1];
        for (std::uint32_t k = pair.places[row]; k < end; ++k) {
            const PosteriorEntry entry = pair.entries[k];
            addTo(sums + columns[entry.column] * ofColumn, scaledPosterior(weight, entry.value, join.scale));
        }
    }
}

GLYCINE_HOST_DEVICE inline void addPairWithin(const JoinWork& work, float scale, unsigned long long* sums,
                                              std::uint32_t pairNumber, std::uint32_t lane,
                                              std::uint32_t lanes) {
    const PlacedPosterior pair = work.pairs[pairNumber];
    const auto ofFirst = static_cast<float>(work.weights[pair.first]);
    const auto ofSecond = static_cast<float>(work.weights[pair.second]);
    const std::uint64_t first = work.begins[pair.first], second = work.begins[pair.second];
    for (std::uint32_t row = lane; row < pair.rows; row += lanes) {
        const std::uint32_t end = pair.places[row + 1];
        for (std::uint32_t k = pair.places[row]; k < end; ++k) {
            const PosteriorEntry entry = pair.entries[k];
            if (work.columns[second + entry.column] != work.columns[first + row]) continue;
            addTo(sums + first + row, scaledPosterior(ofSecond, entry.value, scale));
            addTo(sums + second + entry.column, scaledPosterior(ofFirst, entry.value, scale));
        }
    }
}

}  // namespace glycine::cuda
