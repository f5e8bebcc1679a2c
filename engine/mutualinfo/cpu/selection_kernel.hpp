#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// The arithmetic kernel of the `cpu` selection: bounds and sums of redundancy.
namespace glycine::mutualinfo::cpu {

/// Candidates whose bounds are raised together.
struct SelectionBounds {
    std::int32_t* bounds = nullptr;
    const std::uint16_t* relevance = nullptr;
    const std::uint16_t* redundancy = nullptr;
    std::size_t count = 0;
};

/// Sums over the rows of `SelectionKernel::kColumns` candidates.
struct SelectionSums {
    const double* columns = nullptr;      ///< gene by gene: information with each of the candidates
    const std::uint32_t* rows = nullptr;  ///< genes selected, in this order
    std::size_t count = 0;
    const double* relevance = nullptr;
    double unknown = 0;  ///< information where `columns` has NaN
    double* sums = nullptr;
};

struct SelectionKernel {
    /// 128 bytes of a row, so that 8,192 of these pieces fit a cache of 1 MiB.
    static constexpr std::size_t kColumns = 16;

    /// bounds[j] += relevance[j] − redundancy[j]. Returns the largest.
    std::int32_t (*raise)(const SelectionBounds& some) = nullptr;
    /// sums[j] = Σ_s (relevance[j] − columns[rows[s]][j]), added in the order of s.
    void (*sum)(const SelectionSums& some) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static SelectionKernel compiled();
};

}  // namespace glycine::mutualinfo::cpu
