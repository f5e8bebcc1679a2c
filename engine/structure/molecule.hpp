#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Proteins with all hydrogens, built from their sequences with standard geometry (resources/residues).
namespace glycine::structure {

/// Radians per degree.
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
/// Returns the position `length` Å from a, with `angle` to a-b and `dihedral` to a-b-c in degrees.
Vector placeAtom(const Vector& a, const Vector& b, const Vector& c, double length, double angle,
                 double dihedral);

using AtomIndex = std::uint32_t;

/// The same of four atoms, whose positions are in `r`.
inline double dihedralAngle(const std::array<AtomIndex, 4>& atoms, std::span<const Vector> r) {
    return dihedralAngle(r[atoms[0]], r[atoms[1]], r[atoms[2]], r[atoms[3]]);
}

/// Classes of atoms that van der Waals terms distinguish.
enum class AtomClass : std::uint8_t { Plain, Donor, Acceptor, DonorAndAcceptor, PolarHydrogen };

struct Atom {
    std::string name;  ///< IUPAC, as in the PDB since version 3: "HB2"
    std::string element;
    std::size_t residue = 0;  ///< index in Molecule::residues
    double radius = 0;        ///< of contacts, Å: resources/residues/contact_radii.txt
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
    bool cisPeptide = false;  ///< the bond to the preceding residue is cis
    /// "A/LYS52"; without the chain if it has no name.
    std::string label() const;
};

enum class TorsionKind : std::uint8_t { Phi, Psi, Chi };

/// A rotatable bond, between the middle two of the four atoms whose dihedral angle it turns.
struct Torsion {
    std::array<AtomIndex, 4> atoms{};
    TorsionKind kind = TorsionKind::Chi;
    std::size_t residue = 0;
    bool isThreefold = false;  ///< about a bond between two sp3 atoms: staggered angles are preferred
};

/// A residue from which a molecule is built.
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
    /// Links consecutive residues of a chain; `disulfideBonds`: pairs of indices of cysteines. Throws
    /// InputError for unknown residue names (suggesting the nearest) and for disulfides that do not join two
    /// free cysteines.
    explicit Molecule(const std::vector<ResidueName>& sequence,
                      std::vector<std::array<std::size_t, 2>> disulfideBonds = {});

    std::vector<Atom> atoms;
    std::vector<Residue> residues;
    std::vector<std::array<AtomIndex, 2>> bonds;         ///< all covalent ones
    std::vector<std::array<AtomIndex, 2>> ringClosures;  ///< bonds that torsion angles cannot keep: CG-CD
                                                         ///< of prolines, SG-SG of disulfides
    std::vector<std::array<std::size_t, 2>> disulfides;  ///< pairs of residues
    std::vector<Torsion> torsions;
    std::vector<ChiralCentre> chirality;
    std::vector<std::vector<AtomIndex>> planes;  ///< peptides, rings, guanidinium, amides, carboxylates
    std::vector<Vector> ideal;                   ///< standard geometry, extended

    std::optional<AtomIndex> find(std::size_t residue, std::string_view name) const;
    /// Returns the residue's index; an empty `chain` stands for any if only one chain has the number.
    std::optional<std::size_t> findResidue(std::string_view chain, int number) const;
    /// "A/LYS52/CA".
    std::string label(AtomIndex atom) const;
    /// Bounds of pairs up to three bonds apart: ± 0.01 Å for one bond, ± 0.03 Å for two; for three, from cis
    /// to trans about rotatable bonds, else ± 0.05 Å.
    std::vector<CovalentBound> covalentBounds() const;
    /// Per atom, the atoms at most three bonds away in ascending order, itself included.
    std::vector<std::vector<AtomIndex>> nearAtoms() const;
};

/// The three-letter names of the twenty amino acids.
const std::vector<std::string>& residueNames();
/// Returns the three-letter name of a letter of either case, "" if there is none ("X").
std::string residueNameOf(char letter);
/// Returns one residue per letter, numbered from `firstNumber`. Throws InputError with letter and position.
std::vector<ResidueName> residuesOf(std::string_view letters, const std::string& chain = "A",
                                    int firstNumber = 1);

}  // namespace glycine::structure
