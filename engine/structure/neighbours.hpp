#pragma once

#include <cstdint>
#include <vector>

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
    explicit NeighbourLists(const FoldProblem& problem);

    struct Pair {
        AtomIndex i, j;  ///< i < j
        double contact;  ///< Å
    };
    struct Near {  ///< an atom in single precision, sorted by cell
        float x, y, z;
        AtomIndex atom;
        std::uint32_t kind;
    };
    struct Model {
        std::vector<Pair> pairs;
        std::vector<Vector> listedAt;
        bool heavyOnly = false;
        double skin = 0;                         ///< Å
        int uses = 0;                            ///< evaluations since the list was made
        std::vector<float> reach;                ///< Å², squared list distance of two kinds
        std::vector<std::uint32_t> cell, start;  ///< cell of each atom; first place of each cell in `sorted`
        std::vector<Near> sorted;
        std::vector<std::uint32_t> found;  ///< places in `sorted`
    };
    /// Rebuilds the list if necessary; returns whether it did.
    bool update(Model& model, const Vector* r, bool heavyOnly) const;
    const ContactTable& contacts() const { return contacts_; }

  private:
    void make(Model& model, const Vector* r, bool heavyOnly) const;

    const FoldProblem& problem_;
    ContactTable contacts_;
    std::vector<std::uint64_t> near_;
    std::vector<char> hasFar_;  ///< whether an atom excludes atoms 64 places on or more
    std::vector<char> isHydrogen_;
};

}  // namespace glycine::structure
