#pragma once

#include <cstdint>
#include <vector>

#include "engine/structure/cpu/neighbour_kernel.hpp"
#include "engine/structure/energy.hpp"

namespace glycine::structure {

/// Kinds of atoms that van der Waals terms distinguish, and the distances below which two kinds repel.
struct ContactTable {
    explicit ContactTable(const FoldProblem& problem);
    std::vector<std::size_t> kind;  ///< of each atom
    std::vector<AtomIndex> kinds;   ///< one atom of each kind
    std::vector<double> distances;  ///< Å, kinds × kinds
    double longest = 0;
};

/// Builds neighbour lists for the models of a problem. A list reaches beyond contacts by a skin, and is valid
/// until an atom has moved half as far.
class NeighbourLists {
  public:
    explicit NeighbourLists(const FoldProblem& problem, InstructionSet instructions = detectInstructionSet());

    /// The first `count` pairs count; they are padded to whole fours by pairs without contact.
    struct Model {
        std::vector<AtomPair> pairs;       ///< first < second
        std::vector<std::uint32_t> kinds;  ///< place of their contact in ContactTable::distances
        std::vector<float> contacts;       ///< Å², a little above the square of their contact
        std::size_t count = 0;
        std::vector<Vector> listedAt;
        bool heavyOnly = false;
        double skin = 0;                    ///< Å
        int uses = 0;                       ///< evaluations since the list was made
        std::vector<float> reach, longest;  ///< Å², squared list distance of two kinds; of one, the longest
        std::vector<std::uint32_t> cell, start;  ///< cell of each atom; first place of each cell
        // By cell, then candidates of one cell.
        std::vector<float> x, y, z, square;
        std::vector<AtomIndex> atom;
        std::vector<std::uint32_t> kind, found, sortedCell;
    };
    /// Rebuilds the list if necessary; returns whether it did.
    bool update(Model& model, const Vector* r, bool heavyOnly) const;
    const ContactTable& contacts() const { return contacts_; }

  private:
    void make(Model& model, const Vector* r, bool heavyOnly) const;

    NeighbourKernel kernel_;
    ContactTable contacts_;
    std::vector<float> contactSquares_;  ///< Å², of two kinds, with room for rounding
    std::vector<std::uint64_t> near_;    ///< of each atom; bit k: atom + k is excluded
    std::vector<std::uint8_t> hasFar_;   ///< whether an atom excludes atoms 64 places on or more
    std::vector<AtomPair> far_;          ///< these pairs
    std::vector<char> isHydrogen_;
};

}  // namespace glycine::structure
