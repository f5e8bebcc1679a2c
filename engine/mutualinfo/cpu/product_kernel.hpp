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

/// The kernel for one instruction set, which this processor must have.
using ProductFunction = void (*)(const ProductBlock& block);
ProductFunction productFunction(InstructionSet set);

// One a translation unit, each compiled for its instruction set.
ProductFunction productFunctionGeneric();
ProductFunction productFunctionAvx2();
ProductFunction productFunctionAvx512();

}  // namespace glycine::mutualinfo::cpu
