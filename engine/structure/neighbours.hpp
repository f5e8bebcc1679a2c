#pragma once

#include <cstdint>
#include <vector>

#include "engine/structure/energy.hpp"

namespace glycine::structure {

/// Atoms by what van der Waals terms tell apart, and the distances below which two kinds repel each other.
struct ContactTable {
    explicit ContactTable(const FoldProblem& problem);
    double between(AtomIndex i, AtomIndex j) const { return distances[kind[i] * kinds.size() + kind[j]]; }

    std::vector<std::size_t> kind;  ///< of each atom
    std::vector<AtomIndex> kinds;   ///< an atom of each
    std::vector<double> distances;  ///< Å, kinds × kinds
    double longest = 0;
};

/// What lists of neighbours reach further than contacts, in Å: they hold until an atom has moved by half.
inline constexpr double kNeighbourSkin = 1;

/// Makes the lists of all models of a problem.
class NeighbourLists {
  public:
    explicit NeighbourLists(const FoldProblem& problem);

    struct Pair {
        AtomIndex i, j;  ///< i < j
        double contact;  ///< Å
    };
    struct Near {  ///< an atom, single precision, by its cell
        float x, y, z;
        AtomIndex atom;
    };
    struct Model {
        std::vector<Pair> pairs;
        std::vector<Vector> listedAt;
        bool heavyOnly = false;
        std::vector<std::size_t> cell, start;  ///< of each atom; of each cell, in `sorted`
        std::vector<Near> sorted;
        std::vector<AtomIndex> found;
    };
    /// Whether a list had to be made anew.
    bool update(Model& model, const Vector* r, bool heavyOnly) const;
    const ContactTable& contacts() const { return contacts_; }

  private:
    void make(Model& model, const Vector* r, bool heavyOnly) const;

    const FoldProblem& problem_;
    ContactTable contacts_;
    std::vector<std::uint64_t> near_;
    std::vector<char> hasFar_;  ///< atoms excluded that are further on
    std::vector<char> isHydrogen_;
    std::vector<float> reach_;  ///< Å², of a pair in the list
};

}  // namespace glycine::structure
