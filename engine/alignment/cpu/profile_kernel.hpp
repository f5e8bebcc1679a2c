#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"

/// Posteriors of the columns of two profiles, by the recurrences of pairs of sequences (PairModel), an
/// anti-diagonal at a time with its cells side by side in registers: on it no cell needs another one. Each
/// anti-diagonal has a power of two of its own, so that its largest sum stays near 2^60 (float32; 2^500 in
/// float64): what is 2^180 (2^1500) times smaller is lost.
namespace glycine::align::cpu {

/// Of one model, what it needs of both profiles. Rows are numbered 1 … rows at their places; column j =
/// 1 … columns stands at columns − j. All arrays have `kProfilePadding` numbers more at both ends.
template <class Number>
struct ProfileModel {
    std::size_t gapKinds = 1;
    Number match = 1;
    std::array<Number, kMostGapKinds> close{};
    /// Of each component of the product and each row; the odds of a row and a column are the sum over the
    /// components of this times `JoinedProfiles::shares`. 0 in the padding.
    const Number* odds = nullptr;
    /// What a gap costs that begins with this row (column), and that goes on with it.
    std::array<const Number*, kMostGapKinds> rowOpen{}, rowExtend{}, columnOpen{}, columnExtend{};
    /// What the first and the last d = 0 … rows (columns) weigh without a partner.
    std::vector<ScaledNumber> rowLeads, columnLeads, rowTrails, columnTrails;
};

inline constexpr std::size_t kProfilePadding = 32;

template <class Number>
struct JoinedProfiles {
    std::size_t rows = 0, columns = 0, components = 0;
    std::size_t rowStride = 0;       ///< between the components of `odds`
    const Number* shares = nullptr;  ///< of each component and each column; 0 in the padding
    std::size_t columnStride = 0;
    std::array<ProfileModel<Number>, 2> models;
    Number cutoff = 0;
    /// Cells whose sums are kept at once; of more, some are computed twice.
    std::size_t cellsAtOnce = 0;
};

/// Entries from the last anti-diagonal to the first, within one by ascending rows; rows and columns from 0.
struct ProfileEntries {
    std::vector<std::uint32_t> rowOf;
    std::vector<PosteriorEntry> entries;
    /// Whether both directions found the same sum over all alignments; if not, numbers were lost.
    bool isSound = true;
};

/// Memory that is kept from pair to pair.
template <class Number>
struct ProfileMemory {
    Matrix<Number> states, cells, kept;
    std::vector<int> exponents;
    std::vector<std::size_t> begins;
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
