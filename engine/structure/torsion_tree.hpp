#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "engine/structure/molecule.hpp"

namespace glycine::structure {

struct Rotation {
    Vector x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};  ///< columns
    Vector operator*(const Vector& v) const { return v.x * x + v.y * y + v.z * z; }
    /// About a unit axis, in radians.
    static Rotation about(const Vector& axis, double angle);
};
inline Rotation operator*(const Rotation& a, const Rotation& b) {
    return {a * b.x, a * b.y, a * b.z};
}

/// A molecule as rigid bodies that turn about the bonds between them. Each chain is a tree, whose root, the
/// body in its middle, moves freely.
class TorsionTree {
  public:
    explicit TorsionTree(const Molecule& molecule);

    struct Body {
        int parent = -1;   ///< an earlier body; −1: a root
        int torsion = -1;  ///< of Molecule::torsions; −1: a root
        Vector origin;     ///< at rest: on the axis
        Vector axis;       ///< at rest, unit
        Vector centre;     ///< at rest: of its atoms
        std::vector<AtomIndex> atoms;
        /// In u, made up: see ArticulatedBodies.
        double mass() const { return 10 * std::sqrt(static_cast<double>(atoms.size())); }
    };
    std::vector<Body> bodies;  ///< parents first
    std::vector<int> bodyOf;   ///< of each atom
    std::vector<int> roots;
    std::vector<int> bodyOfTorsion;

    /// Variables of a step: one a torsion (its body's index) …
    std::size_t torsionCount() const { return bodies.size() - roots.size(); }
    /// Numbers of a TorsionMotion: one a body, unused for roots, and six more a root.
    std::size_t variables() const { return bodies.size() + 6 * roots.size(); }
    /// Degrees of freedom, but those of the whole.
    std::size_t freedom() const { return torsionCount() + 6 * (roots.size() - 1); }
};

/// The degrees of freedom of one model: for each body an angle in radians from the molecule's ideal geometry,
/// and for roots a rotation and a translation.
struct TorsionState {
    std::vector<double> angle;
    std::vector<Rotation> rotation;  ///< of each body, in space
    std::vector<Vector> place;       ///< of each body's origin
};

/// A motion: along each body's torsion; for a root its angular and linear velocity, at its origin.
struct TorsionMotion {
    std::vector<double> torsion;
    std::vector<Vector> turn;
    std::vector<Vector> shift;
};

/// At rest, with chains side by side.
TorsionState restState(const TorsionTree& tree);
TorsionMotion noMotion(const TorsionTree& tree);
/// Moves by `scale` times a motion. Roots turn as by a rotation vector.
void advance(const TorsionTree& tree, TorsionState& state, const TorsionMotion& motion, double scale);
/// Rotations and places of all bodies from the angles and the roots, then all atoms.
void placeAtoms(const TorsionTree& tree, const Molecule& molecule, TorsionState& state,
                std::span<Vector> positions);
/// The gradient of an energy along each degree of freedom, from that along the atoms' coordinates.
void gradientAlongTorsions(const TorsionTree& tree, const TorsionState& state,
                           std::span<const Vector> positions, std::span<const Vector> gradient,
                           TorsionMotion& result);

/// The dynamics of articulated bodies (R. Featherstone's recursion; A. Jain, N. Vaidehi, G. Rodriguez, J.
/// Comput. Phys. 106 (1993), 258-268). Masses are made up, as P. Güntert, C. Mumenthaler, K. Wüthrich, J.
/// Mol. Biol. 273 (1997), 283-298 do: 10 √n u for n atoms, a sphere of 5 Å.
class ArticulatedBodies {
  public:
    explicit ArticulatedBodies(const TorsionTree& tree);
    /// Accelerations for the given velocities, and a gradient along the atoms in u Å/t². Returns the kinetic
    /// energy in u Å²/t².
    double accelerate(const TorsionState& state, const TorsionMotion& velocity,
                      std::span<const Vector> positions, std::span<const Vector> gradient,
                      TorsionMotion& acceleration);
    double kineticEnergy(const TorsionState& state, const TorsionMotion& velocity);

  private:
    struct Spatial {
        std::array<double, 6> v{};  ///< angular, then linear, at the coordinates' origin
    };
    struct Inertia {
        std::array<std::array<double, 6>, 6> m{};
    };
    void findVelocities(const TorsionState& state, const TorsionMotion& velocity);
    Inertia inertiaOf(std::size_t body) const;

    const TorsionTree& tree_;
    std::vector<double> mass_;
    std::vector<Vector> centre_;
    std::vector<Spatial> axis_, velocity_, bias_, force_, push_;
    std::vector<Inertia> inertia_;
    std::vector<double> rest_, scale_;
};

}  // namespace glycine::structure
