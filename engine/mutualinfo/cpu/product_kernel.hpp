#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"

/// The arithmetic kernel of `cpu products`: sums of products for all pairs of rows of two small blocks.
namespace glycine::mutualinfo::cpu {

/// Genes are packed in strips of 16: sample s of gene i is strip[s · 16 + i].
inline constexpr std::size_t kProductStrip = 16;

struct ProductBlock {
    const double* rows = nullptr;     ///< 64-byte aligned, strip after strip
    const double* columns = nullptr;  ///< likewise
    std::size_t samples = 0;
    MatrixView<double> sums{};  ///< updated; whole strips on both sides
};

struct ProductKernel {
    void (*addProducts)(const ProductBlock& block) = nullptr;

    static constexpr KernelNeeds kNeeds{.fusedProducts = true};
    template <InstructionSet set>
    static ProductKernel compiled();
};

}  // namespace glycine::mutualinfo::cpu
