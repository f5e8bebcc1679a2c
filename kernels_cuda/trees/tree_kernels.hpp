#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/trees/joining_types.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernels that join and merge clusters (engine/trees/tree_engine.hpp).
namespace glycine::cuda {

using trees::JoinedPair;
using trees::kNoRowChoice;
using trees::MergedPair;
using trees::RowChoice;

// ---- neighbour joining

/// The clusters at all places. Rows of distances are packed below the diagonal: row j begins at j (j − 1)
/// / 2. Distances to empty places are infinite in rows of clusters; rows of empty places are not read.
struct JoiningTable {
    double* distances;
    double* sums;
    double* behind;  ///< ClustalW's sums; null: not requested
    double* before;
    std::uint8_t* isPresent;
    double* totals;  ///< of all pairs; of `behind`
    double* leastOfRows;
    RowChoice* choices;
    std::uint32_t places;
};

/// A number as an unsigned integer with the same order.
inline constexpr unsigned long long kLargestOrdered = ~0ULL;
GLYCINE_HOST_DEVICE inline unsigned long long ordered(unsigned long long bits) {
    return bits >> 63 ? ~bits : bits | 1ULL << 63;
}
GLYCINE_HOST_DEVICE inline unsigned long long bitsOfOrdered(unsigned long long number) {
    return number >> 63 ? number & ~(1ULL << 63) : ~number;
}

/// Finds the smallest criterion of each row with `left` clusters. `*least` must be kLargestOrdered before,
/// and is the smallest of all afterwards, ordered.
void launchJoiningSearch(const Launch& launch, const JoiningTable& table, std::uint32_t left,
                         unsigned long long* least);
/// Finds each row's choice, after launchJoiningSearch.
void launchJoiningChoices(const Launch& launch, const JoiningTable& table, std::uint32_t left,
                          const unsigned long long* least);
/// Joins the best of the rows' choices and updates distances and sums. Without any choice, `*found` has two
/// equal places and nothing changes.
void launchJoiningUpdate(const Launch& launch, const JoiningTable& table, JoinedPair* found);
/// Moves the clusters at places `kept`, `to.places` of them, ascending.
void launchJoiningCompaction(const Launch& launch, const JoiningTable& from, const std::uint32_t* kept,
                             const JoiningTable& to);

// ---- average linkage

/// The clusters and the nearest-neighbour chain. Each cluster has the name of its smallest instance.
template <class T>
struct LinkageTable {
    T* distances;  ///< instances × instances, symmetric; its diagonal is not read
    std::uint8_t* isPresent;
    std::uint32_t* sizes;
    std::uint32_t* chain;   ///< room for all instances
    std::uint32_t* length;  ///< of the chain
    std::uint32_t instances;
};

/// Fills the symmetric matrix from the packed distances below the diagonal.
void launchLinkageSquare(const Launch& launch, const float* packed, const LinkageTable<float>& table);
void launchLinkageSquare(const Launch& launch, const double* packed, const LinkageTable<double>& table);
/// Makes `count` merges; requires at least `count` + 1 clusters.
void launchLinkageMerges(const Launch& launch, const LinkageTable<float>& table, std::uint32_t count,
                         MergedPair* found);
void launchLinkageMerges(const Launch& launch, const LinkageTable<double>& table, std::uint32_t count,
                         MergedPair* found);

}  // namespace glycine::cuda
