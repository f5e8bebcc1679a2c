#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"

/// The arithmetic kernel of `cpu` paths: a (max, min) product of panels.
namespace glycine::mutualinfo::cpu {

/// c(i, j) = max(c(i, j), max_k min(a(i, k), b(j, k))) for `rows` × `columns` elements in registers. Operands
/// are panels, mediator by mediator: a[k · rows + i], b[k · columns + j]; b is 64-byte aligned.
struct PathBlock {
    const double* a = nullptr;
    const double* b = nullptr;
    std::size_t depth = 0;
    double* c = nullptr;  ///< rows × columns, row by row
};
struct PathKernel {
    std::size_t rows = 0;
    std::size_t columns = 0;
    void (*raise)(const PathBlock& block) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static PathKernel compiled();
};

}  // namespace glycine::mutualinfo::cpu
