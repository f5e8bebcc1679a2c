#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels_cuda/alignment/join_kernels.hpp"

/// What a thread of the sums of joins computes; plain C++, too, so that it is tested without a device.
namespace glycine::cuda {

GLYCINE_HOST_DEVICE inline void addTo(unsigned long long* sum, long long value) {
#ifdef __CUDA_ARCH__
    atomicAdd(sum, static_cast<unsigned long long>(value));
#else
    *sum += static_cast<unsigned long long>(value);
#endif
}

/// A posterior with its weight as an integer, by rounding to the nearest one.
GLYCINE_HOST_DEVICE inline long long scaledPosterior(float weight, float value, float scale) {
#ifdef __CUDA_ARCH__
    return __float2ll_rn(weight * value * scale);
#else
    return std::llrint(weight * value * scale);
#endif
}

/// Every `lanes`th row of a pair, from number `lane` on.
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
    const auto weight = static_cast<float>(work.weights[pair.first] * work.weights[pair.second]);
    const std::uint32_t* const rows = work.columns + work.begins[pair.first];
    const std::uint32_t* const columns = work.columns + work.begins[pair.second];
    for (std::uint32_t row = lane; row < pair.rows; row += lanes) {
        const std::uint32_t end = pair.places[row + 1];
        for (std::uint32_t k = pair.places[row]; k < end; ++k) {
            const PosteriorEntry entry = pair.entries[k];
            if (columns[entry.column] == rows[row])
                addTo(sums + rows[row], scaledPosterior(weight, entry.value, scale));
        }
    }
}

}  // namespace glycine::cuda
