#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "engine/core/instruction_set.hpp"
#include "engine/structure/molecule.hpp"

namespace glycine::structure {

struct Rotation {
    Vector x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};  ///< columns
    Vector operator*(const Vector& v) const { return v.x * x + v.y * y + v.z * z; }
    /// Rotates about a unit axis; `angle` in radians.
    static Rotation about(const Vector& axis, double angle);
};
inline Rotation operator*(const Rotation& a, const Rotation& b) {
    return {a * b.x, a * b.y, a * b.z};
}

/// A molecule as rigid bodies that turn about the bonds between them. Each chain is a tree; its root, the
/// body in the middle, moves freely.
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
        /// Fictitious mass in u (ArticulatedBodies).
        double mass() const { return 10 * std::sqrt(static_cast<double>(atoms.size())); }
    };
    std::vector<Body> bodies;  ///< parents first
    std::vector<int> bodyOf;   ///< of each atom
    std::vector<int> roots;
    std::vector<int> bodyOfTorsion;

    std::size_t torsionCount() const { return bodies.size() - roots.size(); }
    /// Numbers of a TorsionMotion: one per body, 0 for roots, and six more per root.
    std::size_t variables() const { return bodies.size() + 6 * roots.size(); }
    /// Internal degrees of freedom: rigid motion of the whole is excluded.
    std::size_t freedom() const { return torsionCount() + 6 * (roots.size() - 1); }
};

/// The degrees of freedom of one model: per body an angle in radians from the ideal geometry, per root a
/// rotation and a translation.
struct TorsionState {
    std::vector<double> angle;
    std::vector<Rotation> rotation;  ///< of each body, in space
    std::vector<Vector> place;       ///< of each body's origin
};

/// Rates per body's torsion, and per root angular and linear velocity at its origin.
struct TorsionMotion {
    std::vector<double> torsion;
    std::vector<Vector> turn;
    std::vector<Vector> shift;
};

/// Returns the ideal geometry, with chains 40 Å apart.
TorsionState restState(const TorsionTree& tree);
TorsionMotion noMotion(const TorsionTree& tree);
/// Moves the state by `scale` times a motion. A root's turn is a rotation vector.
void advance(const TorsionTree& tree, TorsionState& state, const TorsionMotion& motion, double scale);
/// Computes rotations and places of all bodies from angles and roots, then the positions of all atoms in Å.
void placeAtoms(const TorsionTree& tree, const Molecule& molecule, TorsionState& state,
                std::span<Vector> positions);
/// Converts a gradient along the atoms' coordinates to one along each degree of freedom.
void gradientAlongTorsions(const TorsionTree& tree, const TorsionState& state,
                           std::span<const Vector> positions, std::span<const Vector> gradient,
                           TorsionMotion& result);

/// A body in the recursion. Spatial vectors are angular, then linear, about the origin of coordinates, each
/// of three numbers and a 0.
struct ArticulatedBody {
    using Spatial = double[8];
    alignas(32) Spatial inertia[6];  ///< columns
    Spatial axis, velocity, bias, force, push;
    double rest, scale, mass;
    Vector centre;
    Vector axisAtRest, centreAtRest;  ///< the latter from the body's origin
    int parent;                       ///< an earlier body; −1: a root
    std::uint32_t firstAtom, atoms;   ///< the first one's place in an order by bodies; how many
};

/// States and rates as arrays over bodies, and over roots.
struct MovingBodies {
    const Rotation* rotation;
    const Vector* place;
    const double* torsion;
    const Vector *turn, *shift;
};

/// The recursion (cpu/bodies_kernel.cpp). All instruction sets give the same bits.
struct BodiesKernel {
    /// Returns the kinetic energy.
    double (*findVelocities)(ArticulatedBody* bodies, std::size_t count, const MovingBodies& at) = nullptr;
    /// Requires velocities. `atoms`: in the order of bodies.
    void (*accelerate)(ArticulatedBody* bodies, std::size_t count, const MovingBodies& at,
                       const AtomIndex* atoms, const Vector* positions, const Vector* gradient,
                       double* torsion, Vector* turn, Vector* shift) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static BodiesKernel compiled();
};

/// Articulated-body dynamics (R. Featherstone's recursion; A. Jain, N. Vaidehi, G. Rodriguez, J. Comput.
/// Phys. 106 (1993), 258-268). Masses are fictitious, as in P. Güntert, C. Mumenthaler, K. Wüthrich, J. Mol.
/// Biol. 273 (1997), 283-298: 10 √n u for n atoms, as a sphere of 5 Å.
class ArticulatedBodies {
  public:
    explicit ArticulatedBodies(const TorsionTree& tree, InstructionSet instructions = detectInstructionSet());
    /// Computes accelerations from velocities and the atoms' gradient in u Å/t². Returns the kinetic energy
    /// in u Å²/t².
    double accelerate(const TorsionState& state, const TorsionMotion& velocity,
                      std::span<const Vector> positions, std::span<const Vector> gradient,
                      TorsionMotion& acceleration);
    double kineticEnergy(const TorsionState& state, const TorsionMotion& velocity);

  private:
    BodiesKernel kernel_;
    std::vector<ArticulatedBody> bodies_;
    std::vector<AtomIndex> atoms_;
};

}  // namespace glycine::structure
