#pragma once

#include <cstddef>

#include "kernels_cuda/device/launch.hpp"

/// Sums of fuzzy memberships, for Cross-Fuzzy entropy.
namespace glycine::cuda {

/// Templates of a channel that a block of threads compares with all templates of a partner.
inline constexpr unsigned kMembershipRows = 256;
/// Largest m: a block must hold at least one template of a partner in shared memory.
inline constexpr unsigned kLongestMembership = 4095;

/// A block's contribution to the sums of a pair.
struct MembershipPart {
    double shortSum = 0;  ///< at length m; 0 for m = 1, whose templates are zero without their mean
    double longSum = 0;   ///< at length m + 1
};

/// Pairs of channels a ≤ b have the index b (b + 1) / 2 + a; within a pair, blocks of rows are numbered from
/// 0. For a channel with itself, pairs of a template with itself are left out.
template <class T>
struct MembershipProblem {
    /// Sample k of template i of channel c is in row c (m + 1) + k, column i. Templates have m + 1 samples
    /// and their mean subtracted.
    MatrixOnDevice<const T> templates{};
    unsigned channels = 0;
    unsigned templateCount = 0;       ///< per channel
    unsigned m = 0;                   ///< ≤ kLongestMembership
    T scale = 0;                      ///< −log₂ e / r
    T power = 0;                      ///< n
    MembershipPart* parts = nullptr;  ///< one per unit

    std::size_t pairs() const { return std::size_t{channels} * (channels + 1) / 2; }
    std::size_t blocks() const {
        return (std::size_t{templateCount} + kMembershipRows - 1) / kMembershipRows;
    }
    std::size_t units() const { return pairs() * blocks(); }
};

/// Writes the parts of `units` units (at most 2³¹ − 1) from `firstUnit` on. Units are blocks of rows, pair by
/// pair. T: float or double.
template <class T>
void launchMemberships(const Launch& launch, const MembershipProblem<T>& problem, std::size_t firstUnit,
                       std::size_t units);

}  // namespace glycine::cuda
