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

/// lower ≤ (Σ d⁻⁶)^(−1/6) ≤ upper over all pairs that may be meant.
struct DistanceRestraint {
    std::vector<AtomPair> pairs;
    double lower = 0;  ///< Å; 0: none
    double upper = 0;  ///< Å
    double weight = 1;
    std::string id;        ///< the file's name of it
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

/// Two groups of atoms whose names a file does not tell apart (NEF's x and y): either all names stand as they
/// are, or each `exchanged` pair is swapped, in the restraints listed.
struct SwappableGroup {
    std::vector<AtomPair> exchanged;
    std::vector<std::size_t> restraints;  ///< indices in RestraintSet::distances
};

/// What a file of restraints says of a molecule: io::mapToMolecule.
struct RestraintSet {
    std::vector<DistanceRestraint> distances;
    std::vector<DihedralRestraint> dihedrals;
    std::vector<SwappableGroup> swappable;
    std::vector<std::string> warnings;  ///< what was left out, a line each
};

}  // namespace glycine::structure
