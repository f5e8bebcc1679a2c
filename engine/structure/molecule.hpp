#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Proteins with all hydrogens, built from their sequences with standard geometry (resources/residues).
namespace glycine::structure {

/// In radians.
inline constexpr double kDegree = std::numbers::pi / 180;

struct Vector {
    double x = 0, y = 0, z = 0;
    Vector& operator+=(const Vector& b) { return *this = {x + b.x, y + b.y, z + b.z}; }
    Vector& operator-=(const Vector& b) { return *this = {x - b.x, y - b.y, z - b.z}; }
    friend Vector operator+(Vector a, const Vector& b) { return a += b; }
    friend Vector operator-(Vector a, const Vector& b) { return a -= b; }
    friend Vector operator-(const Vector& a) { return {-a.x, -a.y, -a.z}; }
    friend Vector operator*(double s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
};

inline double dot(const Vector& a, const Vector& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(const Vector& a) {
    return std::sqrt(dot(a, a));
}
inline Vector unit(const Vector& a) {
    return (1 / length(a)) * a;
}
/// The dihedral angle a-b-c-d in radians, −π … π (IUPAC's sign).
double dihedralAngle(const Vector& a, const Vector& b, const Vector& c, const Vector& d);
/// Where an atom lies: `length` Å from a, with `angle` to a-b and `dihedral` to a-b-c, both in degrees.
Vector placeAtom(const Vector& a, const Vector& b, const Vector& c, double length, double angle,
                 double dihedral);

using AtomIndex = std::uint32_t;

/// What van der Waals terms tell apart.
enum class AtomClass : std::uint8_t { Plain, Donor, Acceptor, DonorAndAcceptor, PolarHydrogen };

struct Atom {
    std::string name;  ///< IUPAC, as in the PDB since version 3: "HB2"
    std::string element;
    std::size_t residue = 0;  ///< index in Molecule::residues
    double radius = 0;        ///< van der Waals, Å
    AtomClass kind = AtomClass::Plain;
    bool isHydrogen() const { return element == "H"; }
};

struct Residue {
    std::string name;  ///< "LYS"
    int number = 0;
    std::string chain;
    AtomIndex firstAtom = 0;
    AtomIndex atomCount = 0;
    bool startsChain = false;
    bool cisPeptide = false;  ///< the bond to the residue before is cis
    /// "A/LYS52"; without the chain where that has no name.
    std::string label() const;
};

enum class TorsionKind : std::uint8_t { Phi, Psi, Chi };

/// A bond that turns: the angle is that of the four atoms, the bond between the middle ones.
struct Torsion {
    std::array<AtomIndex, 4> atoms{};
    TorsionKind kind = TorsionKind::Chi;
    std::size_t residue = 0;
    bool isThreefold = false;  ///< about a bond between two sp3 atoms: staggered angles are preferred
};

/// A residue as a molecule is built from.
struct ResidueName {
    std::string name;  ///< three letters
    int number = 0;
    std::string chain;
    bool cisPeptide = false;
};

struct CovalentBound {
    AtomIndex first = 0;
    AtomIndex second = 0;
    double lower = 0;  ///< Å
    double upper = 0;  ///< Å
};

/// A right-handed centre: the triple product of (b − a), (c − a), (d − a) is positive.
struct ChiralCentre {
    std::array<AtomIndex, 4> atoms{};
};

/// Proteins of one or more chains. Omega is fixed, proline's ring is open between CG and CD.
class Molecule {
  public:
    /// Consecutive residues of a chain are linked; `disulfideBonds`: pairs of indices of cysteines. Throws
    /// InputError for unknown names of residues (naming the nearest), and bonds of others than two cysteines
    /// each.
    explicit Molecule(const std::vector<ResidueName>& sequence,
                      std::vector<std::array<std::size_t, 2>> disulfideBonds = {});

    std::vector<Atom> atoms;
    std::vector<Residue> residues;
    std::vector<std::array<AtomIndex, 2>> bonds;         ///< all covalent ones
    std::vector<std::array<AtomIndex, 2>> ringClosures;  ///< bonds that torsion angles do not keep: CG-CD
                                                         ///< of prolines, SG-SG of disulfides
    std::vector<std::array<std::size_t, 2>> disulfides;  ///< pairs of residues
    std::vector<Torsion> torsions;
    std::vector<ChiralCentre> chirality;
    std::vector<std::vector<AtomIndex>> planes;  ///< peptides, rings, guanidinium, amides, carboxylates
    std::vector<Vector> ideal;                   ///< standard geometry, extended

    std::optional<AtomIndex> find(std::size_t residue, std::string_view name) const;
    /// The index of a residue; any chain where `chain` is empty and only one has the number.
    std::optional<std::size_t> findResidue(std::string_view chain, int number) const;
    /// "A/LYS52/CA".
    std::string label(AtomIndex atom) const;
    /// Bounds of pairs one and two bonds apart (± 0.01 and ± 0.03 Å), and three: from cis to trans about
    /// bonds that turn, else ± 0.05 Å.
    std::vector<CovalentBound> covalentBounds() const;
    /// For each atom those at most three bonds away, itself included, ascending.
    std::vector<std::vector<AtomIndex>> nearAtoms() const;
};

/// The three-letter name, of any case, "" where there is none ("X").
std::string residueNameOf(char letter);
/// One residue a letter, numbered from `firstNumber`. Throws InputError naming letter and position.
std::vector<ResidueName> residuesOf(std::string_view letters, const std::string& chain = "A",
                                    int firstNumber = 1);

}  // namespace glycine::structure
