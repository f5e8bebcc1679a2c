#pragma once

#include <cstdint>

#include "engine/core/instruction_set.hpp"
#include "engine/structure/restraint.hpp"

namespace glycine::structure {

/// Atoms in the cells of a grid, and what their neighbours are.
struct CellGrid {
    static constexpr std::size_t kAround = 2;  ///< cells that a list reaches beyond an atom's own
    static constexpr std::size_t kPadding = 32;

    // By cell; room for kPadding more.
    const float *x, *y, *z;  ///< Å
    const AtomIndex* atom;
    const std::uint32_t* kind;
    const std::uint32_t* cell;
    std::size_t count;
    const std::uint32_t* begin;  ///< first atom of each cell
    const std::size_t* rows;     ///< middle cells of later rows of cells, counted from an atom's own cell
    std::size_t rowCount;
    std::uint32_t kinds;
    const float* reach;          ///< Å², of two kinds: squared distance of neighbours
    const float* contact;        ///< Å², of two kinds: above the square of their contact
    const float* longest;        ///< Å², of a kind: its longest reach
    const std::uint64_t* near;   ///< of each atom; bit k: atom + k is excluded
    const std::uint8_t* hasFar;  ///< of each atom: whether it is the first one of a pair in `far`
    const AtomPair* far;         ///< excluded pairs that `near` does not reach
    std::size_t farCount;
};

/// Room for all atoms and kPadding more.
struct CellCandidates {
    float *x, *y, *z, *square;
    AtomIndex* atom;
    std::uint32_t *kind, *found;
};

/// Neighbours by pair: atoms (first < second), kinds (first × kinds + second), and CellGrid::contact.
struct NeighbourPairs {
    AtomPair* pairs;
    std::uint32_t* kinds;
    float* contact;
    std::size_t count, room;
};

/// Lists neighbours (cpu/neighbour_kernel.cpp). All instruction sets give the same lists.
struct NeighbourKernel {
    /// Compares atoms, from `first` in the order of cells, with every later one near them: in their own cell,
    /// in the next two, and in the rows. Returns the atom that it stopped at for lack of room, or the count.
    std::size_t (*list)(CellGrid grid, std::size_t first, CellCandidates candidates,
                        NeighbourPairs& found) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static NeighbourKernel compiled();
};

}  // namespace glycine::structure
