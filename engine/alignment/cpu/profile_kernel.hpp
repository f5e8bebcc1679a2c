#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/alignment/posterior/device_types.hpp"
#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"

/// Posteriors of the columns of two profiles, by the recurrences for pairs of sequences (PairModel). Each
/// step computes one anti-diagonal, whose cells do not depend on each other, with adjacent cells in a
/// register. Each anti-diagonal has its own power of two, so that its largest sum stays near 2^60 (float32;
/// 2^500 in float64); sums 2^180 (2^1500) times smaller are lost.
namespace glycine::align::cpu {

/// One model's numbers for both profiles. Row i = 1 … rows is at index i; column j = 1 … columns is at index
/// columns − j. All arrays are padded by `kProfilePadding` numbers at both ends.
template <class Number>
struct ProfileModel {
    std::size_t gapKinds = 1;
    Number match = 1;
    std::array<Number, kMaxGapKinds> close{};
    /// For each component of the product and each row. The odds of a row and a column are the sum over the
    /// components of this times `JoinedProfiles::shares`. 0 in the padding.
    const Number* odds = nullptr;
    /// The weight of opening a gap at this row (column), and of extending a gap over it.
    std::array<const Number*, kMaxGapKinds> rowOpen{}, rowExtend{}, columnOpen{}, columnExtend{};
    /// The weight of leaving the first or the last d = 0 … rows (columns) unpaired.
    std::vector<ScaledNumber> rowLeads, columnLeads, rowTrails, columnTrails;
};

inline constexpr std::size_t kProfilePadding = 64;

template <class Number>
struct JoinedProfiles {
    std::size_t rows = 0, columns = 0, components = 0;
    std::size_t rowStride = 0;       ///< between components of `odds`
    const Number* shares = nullptr;  ///< for each component and each column; 0 in the padding
    std::size_t columnStride = 0;
    std::array<ProfileModel<Number>, 2> models;
    Number cutoff = 0;
    /// If not empty, only pairs near a path are computed: row and column i, j with |i − path[i + j]| ≤ reach;
    /// all others count as impossible. path[d] ascends from 0 by steps of at most 1 to `rows` at d = rows +
    /// columns. `reach` is at least 2.
    std::span<const std::uint32_t> path{};
    std::size_t reach = 0;
    /// The most cells whose sums are kept at once; if there are more, some are computed twice.
    std::size_t cellsAtOnce = 0;
};

/// Entries from the last anti-diagonal to the first; within one, by ascending rows. Rows and columns count
/// from 0.
struct ProfileEntries {
    std::vector<std::uint32_t> rowOf;
    std::vector<PosteriorEntry> entries;
    /// Whether both directions found the same sum over all alignments; if not, numbers were lost.
    bool isSound = true;
};

/// Consecutive anti-diagonals whose odds are computed together. In the arrays of cells, each takes `length`
/// numbers, the first from `offset` on; the first number is that of the row `row`.
struct DiagonalBlock {
    std::size_t number, row, length, offset;
};

/// Memory reused from pair to pair.
template <class Number>
struct ProfileMemory {
    Matrix<Number> states, cells, kept;
    std::vector<int> exponents;
    std::vector<DiagonalBlock> blocks;
};

/// Number: float, double.
template <class Number>
struct ProfileKernel {
    void (*compute)(const JoinedProfiles<Number>& pair, ProfileMemory<Number>& memory,
                    ProfileEntries& found) = nullptr;

    static constexpr KernelNeeds kNeeds{.fusedProducts = true, .bytesAndWords = true};
    template <InstructionSet set>
    static ProfileKernel compiled();
};

}  // namespace glycine::align::cpu
