#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/structure/molecule.hpp"

namespace glycine::structure {

struct AtomPair {
    AtomIndex first = 0;
    AtomIndex second = 0;
};

/// lower ≤ (Σ d⁻⁶)^(−1/6) ≤ upper, over all pairs that the restraint may mean.
struct DistanceRestraint {
    std::vector<AtomPair> pairs;
    double lower = 0;  ///< Å; 0: none
    double upper = 0;  ///< Å
    double weight = 1;
    std::string id;        ///< in the file
    std::size_t line = 0;  ///< in the file, from 1; 0: unknown
};

/// The dihedral angle of four atoms lies in the window that runs upward from `lower` to `upper`, through
/// ±180° where lower > upper.
struct DihedralRestraint {
    std::array<AtomIndex, 4> atoms{};
    double lower = 0;  ///< degrees
    double upper = 0;  ///< degrees
    double weight = 1;
    std::string id;
    std::size_t line = 0;
};

/// Two groups of atoms that a file does not distinguish (NEF's x and y). In the listed restraints, either all
/// names stay or every `exchanged` pair is swapped.
struct SwappableGroup {
    std::vector<AtomPair> exchanged;
    std::vector<std::size_t> restraints;  ///< indices in RestraintSet::distances
};

/// Restraints of files, mapped to the atoms of a molecule (io::mapToMolecule).
struct RestraintSet {
    std::vector<DistanceRestraint> distances;
    std::vector<DihedralRestraint> dihedrals;
    std::vector<SwappableGroup> swappable;
    std::vector<std::string> warnings;  ///< omissions, one line each
};

}  // namespace glycine::structure
