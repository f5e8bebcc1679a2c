#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// The arithmetic core of the `cpu` backend: one register-blocked matrix product over the semirings (min, +)
/// and (max, +).
namespace glycine::bounds::cpu {

/// One product C ← min(C, A ⊗ B), where (A ⊗ B)_ij = min over k of A_ik + B_kj; or the same with max for min.
///
/// A and B are packed in strips. Strip s of A holds rows s·r … s·r + r − 1 of A, r = MinPlusKernel::rows, as
/// `depth` consecutive groups of r numbers, one group for each k; strip s of B holds columns s·c … s·c + c −
/// 1 likewise, c = MinPlusKernel::columns.
template <class T>
struct MinPlusProduct {
    const T* a = nullptr;
    std::size_t aStripStride = 0;  ///< elements from one strip of A to the next
    const T* b = nullptr;
    std::size_t bStripStride = 0;
    std::size_t depth = 0;  ///< number of k
    /// Takes group selection[k] of each strip of B instead of group k; null: group k itself. `depth` numbers.
    const std::uint32_t* selection = nullptr;
    T* c = nullptr;  ///< row-major, `rows` × `columns`
    std::size_t cRowStride = 0;
    std::size_t rows = 0;     ///< a multiple of MinPlusKernel::rows
    std::size_t columns = 0;  ///< a multiple of MinPlusKernel::columns
    /// Skips blocks of C that lie wholly below its diagonal: half the work where C is symmetric.
    bool onAndAboveDiagonal = false;
};

/// Number of sources that one search handles together.
inline constexpr std::size_t kSearchSources = 16;

/// Follows the edges of one node: d_e ← min(d_e, d + length_e) for each of its neighbours e and every source.
template <class T>
struct EdgeRelaxation {
    std::size_t edges = 0;
    const std::uint32_t* neighbours = nullptr;  ///< `edges` node indices
    const T* lengths = nullptr;                 ///< `edges` numbers ≥ 0
    const T* from = nullptr;           ///< kSearchSources distances of the node; not among `distances`
    T* distances = nullptr;            ///< kSearchSources distances ≥ 0 of each node
    std::uint8_t* improved = nullptr;  ///< out: for each edge, whether a distance became smaller
};

/// The products for one instruction set. All of them take the same sums, one rounding each, and neither
/// minimum nor maximum rounds: their results are equal to the bit.
///
/// Floating-point numbers of positive sign order as their bit patterns do when read as signed integers, and
/// every negative one lies below them. Processors compare integers on more ports than floating-point numbers,
/// so the kernels compare integers where the instruction exists. This requires the conditions on the sign and
/// excludes −0. T: float, double or std::int32_t.
template <class T>
struct MinPlusKernel {
    std::size_t rows = 0;  ///< height of the block of C that is held in registers; ≥ 4, divides kMinPlusBlock
    std::size_t columns = 0;  ///< its width; ≥ 4, divides kMinPlusBlock
    /// C ← min(C, A ⊗ B) for A, B, C ≥ 0.
    void (*minPlus)(const MinPlusProduct<T>& product) = nullptr;
    /// C ← max(C, A ⊗ B) for C ≥ 0 and sums of either sign.
    void (*maxPlus)(const MinPlusProduct<T>& product) = nullptr;
    /// One step of a shortest-path search from kSearchSources sources at once.
    void (*relax)(const EdgeRelaxation<T>& step) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static MinPlusKernel compiled();
};

/// Every kernel's register block divides a square of this side.
inline constexpr std::size_t kMinPlusBlock = 32;

}  // namespace glycine::bounds::cpu
