#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"

/// The arithmetic core of `cpu products`: sums of products of all pairs of rows of two small blocks.
namespace glycine::mutualinfo::cpu {

/// Genes are packed in strips of 16: value of sample s of gene i is strip[s · 16 + i].
inline constexpr std::size_t kProductStrip = 16;

struct ProductBlock {
    const double* rows = nullptr;     ///< on 64-byte boundaries, one strip behind the other
    const double* columns = nullptr;  ///< likewise
    std::size_t samples = 0;
    MatrixView<double> sums{};  ///< added to; whole strips on both sides
};

struct ProductKernel {
    void (*addProducts)(const ProductBlock& block) = nullptr;

    static constexpr KernelNeeds kNeeds{.fusedProducts = true};
    template <InstructionSet set>
    static ProductKernel compiled();
};

}  // namespace glycine::mutualinfo::cpu
