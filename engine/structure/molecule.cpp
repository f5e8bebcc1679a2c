#include "engine/structure/molecule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "engine/core/embedded_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"

namespace glycine::structure {

namespace {

struct AtomLine {
    std::string name;
    std::array<std::string, 3> from;
    double length = 0;
    double angle = 0;
    double dihedral = 0;
};

struct Template {
    char letter = '-';
    std::vector<AtomLine> atoms;
    std::vector<std::vector<std::string>> chi;
    std::vector<std::array<std::string, 2>> closures;
    std::vector<std::vector<std::string>> planes;

    void set(AtomLine line) {
        const auto place = std::find_if(atoms.begin(), atoms.end(),
                                        [&](const AtomLine& atom) { return atom.name == line.name; });
        if (place == atoms.end())
            atoms.push_back(std::move(line));
        else
            *place = std::move(line);
    }
};

using Library = std::map<std::string, Template, std::less<>>;

Library readLibrary() {
    Library library;
    std::istringstream file{std::string(embeddedResources().at("residues/amino_acids.txt"))};
    Template* current = nullptr;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::vector<std::string> word;
        for (std::string one; words >> one;) word.push_back(one);
        const std::string& kind = word[0];
        if (kind == "residue") {
            const auto backbone = library.find("BACKBONE");
            current = &library[word[1]];
            if (backbone != library.end()) *current = backbone->second;
            current->letter = word[2][0];
            if (word[1] == "GLY" || word[1] == "PRO")
                std::erase_if(current->atoms, [&](const AtomLine& atom) {
                    return atom.name == (word[1] == "GLY" ? "HA" : "H");
                });
        } else if (kind == "chi") {
            current->chi.emplace_back(word.begin() + 1, word.end());
        } else if (kind == "close") {
            current->closures.push_back({word[1], word[2]});
        } else if (kind == "plane") {
            current->planes.emplace_back(word.begin() + 1, word.end());
        } else if (kind == "methylene") {
            current->set({word[4], {word[1], word[2], word[3]}, 1.09, 109, 120.3});
            current->set({word[5], {word[1], word[2], word[3]}, 1.09, 109, -120.3});
        } else if (kind == "methyl") {
            const double length = word[1][0] == 'N' ? 1.01 : 1.09;
            for (std::size_t h = 0; h < 3; ++h)
                current->set({word[4 + h],
                              {word[1], word[2], word[3]},
                              length,
                              109.5,
                              60 + 120 * static_cast<double>(h)});
        } else {
            current->set({word[0],
                          {word[1], word[2], word[3]},
                          std::stod(word[4]),
                          std::stod(word[5]),
                          std::stod(word[6])});
        }
    }
    return library;
}

const Library& library() {
    static const Library read = readLibrary();
    return read;
}

/// Contact radius in Å, from resources/residues/contact_radii.txt. Pairs that may form hydrogen bonds have
/// smaller distances (FoldProblem::contact).
double radiusOf(const std::string& element, bool isPlanar, bool isPolarHydrogen) {
    static const std::map<std::string, double, std::less<>> radii = [] {
        std::map<std::string, double, std::less<>> read;
        std::istringstream file{std::string(embeddedResources().at("residues/contact_radii.txt"))};
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            std::string kind;
            if (line[0] != '#' && words >> kind) words >> read[kind];
        }
        return read;
    }();
    const auto special = radii.find(element + (isPolarHydrogen ? "-polar" : isPlanar ? "-planar" : ""));
    return special != radii.end() ? special->second : radii.at(element);
}

std::vector<std::vector<AtomIndex>> neighbours(const Molecule& molecule) {
    std::vector<std::vector<AtomIndex>> result(molecule.atoms.size());
    for (const auto& [a, b] : molecule.bonds) {
        result[a].push_back(b);
        result[b].push_back(a);
    }
    return result;
}

double angleAt(const Vector& a, const Vector& b, const Vector& c) {
    return std::acos(std::clamp(dot(unit(a - b), unit(c - b)), -1.0, 1.0));
}

}  // namespace

double dihedralAngle(const Vector& a, const Vector& b, const Vector& c, const Vector& d) {
    const Vector axis = c - b;
    const Vector m = cross(b - a, axis);
    const Vector n = cross(axis, d - c);
    return std::atan2(dot(cross(m, n), unit(axis)), dot(m, n));
}

Vector placeAtom(const Vector& a, const Vector& b, const Vector& c, double length, double angle,
                 double dihedral) {
    const Vector back = unit(a - b);
    const Vector normal = unit(cross(b - c, back));
    const Vector side = cross(normal, back);
    const double theta = angle * kDegree;
    const double phi = dihedral * kDegree;
    return a + length * (-std::cos(theta) * back +
                         std::sin(theta) * (std::cos(phi) * side + std::sin(phi) * normal));
}

std::string Residue::label() const {
    return fmt::format("{}{}{}{}", chain, chain.empty() ? "" : "/", name, number);
}

std::string Molecule::label(AtomIndex atom) const {
    return residues[atoms[atom].residue].label() + "/" + atoms[atom].name;
}

std::optional<AtomIndex> Molecule::find(std::size_t residue, std::string_view name) const {
    const Residue& where = residues[residue];
    for (AtomIndex atom = where.firstAtom; atom < where.firstAtom + where.atomCount; ++atom)
        if (atoms[atom].name == name) return atom;
    return std::nullopt;
}

std::optional<std::size_t> Molecule::findResidue(std::string_view chain, int number) const {
    std::optional<std::size_t> found;
    for (std::size_t r = 0; r < residues.size(); ++r) {
        if (residues[r].number != number || !(chain.empty() || residues[r].chain == chain)) continue;
        if (found) return std::nullopt;
        found = r;
    }
    return found;
}

Molecule::Molecule(const std::vector<ResidueName>& sequence,
                   std::vector<std::array<std::size_t, 2>> disulfideBonds)
    : disulfides(std::move(disulfideBonds)) {
    if (sequence.empty()) throw InputError("a molecule needs one residue at least; the sequence is empty");
    std::vector<bool> isBridged(sequence.size());
    for (const auto& pair : disulfides)
        for (const std::size_t r : pair) {
            if (sequence[r].name != "CYS" || isBridged[r])
                throw InputError(fmt::format("residue {} {} cannot have this disulfide bond: {}",
                                             sequence[r].name, sequence[r].number,
                                             isBridged[r] ? "it has one already" : "it is no cysteine"));
            isBridged[r] = true;
        }
    for (std::size_t r = 0; r < sequence.size(); ++r) {
        const ResidueName& wanted = sequence[r];
        const auto found = library().find(wanted.name);
        if (found == library().end() || wanted.name == "BACKBONE")
            throw InputError(
                fmt::format("residue {} of the sequence: '{}' is none of the twenty amino acids; {}", r + 1,
                            wanted.name, suggestNames(wanted.name, residueNames())));
        const Template& residue = found->second;
        const bool starts = r == 0 || sequence[r - 1].chain != wanted.chain;
        const bool ends = r + 1 == sequence.size() || sequence[r + 1].chain != wanted.chain;
        std::vector<AtomLine> lines = residue.atoms;
        if (isBridged[r]) std::erase_if(lines, [](const AtomLine& atom) { return atom.name == "HG"; });
        if (starts) {
            // Fixed like a methyl group, in the three remaining directions of a tetrahedral N.
            const bool isProline = wanted.name == "PRO";
            std::erase_if(lines, [](const AtomLine& atom) { return atom.name == "H"; });
            const std::array<double, 3> turns{isProline ? 120.0 : 180.0, isProline ? -120.0 : 60.0, -60.0};
            for (std::size_t h = 0; h < (isProline ? 2U : 3U); ++h)
                lines.push_back(
                    {fmt::format("H{}", h + (isProline ? 2 : 1)), {"N", "CA", "C"}, 1.01, 109.5, turns[h]});
        }
        if (ends) lines.push_back({"OXT", {"C", "CA", "O"}, 1.249, 117.0, 180});

        residues.push_back({wanted.name, wanted.number, wanted.chain, static_cast<AtomIndex>(atoms.size()),
                            static_cast<AtomIndex>(lines.size()), starts, wanted.cisPeptide && !starts});
        // Three virtual points before a chain's first residue define its first internal coordinates.
        const double shift = starts ? 1000.0 * static_cast<double>(r) : 0;
        const std::map<std::string, Vector> before{
            {"-N", {shift - 2.5, 1.8, 0}}, {"-CA", {shift - 2, 0.5, 0}}, {"-C", {shift - 0.6, 1.1, 0}}};
        const auto position = [&](const std::string& name) {
            if (name[0] != '-') return ideal[*find(r, name)];
            return starts ? before.at(name) : ideal[*find(r - 1, name.substr(1))];
        };
        const AtomIndex first = residues[r].firstAtom;
        residues[r].atomCount = 0;
        for (const AtomLine& line : lines) {
            Atom atom;
            atom.name = line.name;
            atom.element = line.name.substr(0, 1);
            atom.residue = r;
            double dihedral = line.dihedral;
            if (line.name == "CA" && residues[r].cisPeptide) dihedral = 0;
            ideal.push_back(placeAtom(position(line.from[0]), position(line.from[1]), position(line.from[2]),
                                      line.length, line.angle, dihedral));
            atoms.push_back(std::move(atom));
            residues[r].atomCount = static_cast<AtomIndex>(atoms.size()) - first;
            if (line.from[0][0] != '-')
                bonds.push_back({*find(r, line.from[0]), static_cast<AtomIndex>(atoms.size() - 1)});
            else if (!starts)
                bonds.push_back(
                    {*find(r - 1, line.from[0].substr(1)), static_cast<AtomIndex>(atoms.size() - 1)});
        }
        for (const auto& [a, b] : residue.closures) {
            bonds.push_back({*find(r, a), *find(r, b)});
            if (wanted.name == "PRO") ringClosures.push_back(bonds.back());
        }
        const auto atom = [&](const std::string& name) -> std::optional<AtomIndex> {
            if (name[0] != '-') return find(r, name);
            return starts ? std::nullopt : find(r - 1, name.substr(1));
        };
        const auto addTorsion = [&](std::array<std::string, 4> names, TorsionKind kind, bool threefold) {
            Torsion torsion{{}, kind, r, threefold};
            for (std::size_t k = 0; k < 4; ++k) torsion.atoms[k] = *atom(names[k]);
            torsions.push_back(torsion);
        };
        if (starts)
            addTorsion({wanted.name == "PRO" ? "H2" : "H1", "N", "CA", "C"}, TorsionKind::Chi, true);
        else
            addTorsion({"-C", "N", "CA", "C"}, TorsionKind::Phi, false);
        // Psi of the last residue turns its two oxygens.
        if (!starts) {
            Torsion psi{{*find(r - 1, "N"), *find(r - 1, "CA"), *find(r - 1, "C"), *find(r, "N")},
                        TorsionKind::Psi,
                        r - 1,
                        false};
            torsions.push_back(psi);
        }
        if (ends) addTorsion({"N", "CA", "C", "O"}, TorsionKind::Chi, false);
        for (const std::vector<std::string>& chi : residue.chi)
            if (!(isBridged[r] && chi[3] == "HG"))
                addTorsion({chi[0], chi[1], chi[2], chi[3]}, TorsionKind::Chi,
                           chi.size() == 4 && wanted.name != "PRO");
        for (const std::vector<std::string>& names : residue.planes) {
            std::vector<AtomIndex> flat;
            for (const std::string& name : names)
                if (const auto one = atom(name)) flat.push_back(*one);
            if (!(starts && names[0][0] == '-')) planes.push_back(std::move(flat));
        }
        if (ends) planes.push_back({*find(r, "CA"), *find(r, "C"), *find(r, "O"), *find(r, "OXT")});
    }

    for (const auto& [a, b] : disulfides) {
        bonds.push_back({*find(a, "SG"), *find(b, "SG")});
        ringClosures.push_back(bonds.back());
    }
    const std::vector<std::vector<AtomIndex>> bonded = neighbours(*this);
    std::vector<bool> isPlanar(atoms.size());
    // Only carbons with three neighbours are planar; those at the rim are tetrahedral.
    for (const std::vector<AtomIndex>& flat : planes)
        for (const AtomIndex a : flat) isPlanar[a] = bonded[a].size() == 3;
    for (AtomIndex a = 0; a < atoms.size(); ++a) {
        Atom& one = atoms[a];
        const bool isPolar = one.element == "N" || one.element == "O";
        const bool hasHydrogen = std::any_of(bonded[a].begin(), bonded[a].end(),
                                             [&](AtomIndex b) { return atoms[b].isHydrogen(); });
        if (one.isHydrogen() && atoms[bonded[a][0]].element != "C") one.kind = AtomClass::PolarHydrogen;
        if (isPolar && hasHydrogen)
            one.kind = one.element == "O" ? AtomClass::DonorAndAcceptor : AtomClass::Donor;
        if (one.element == "O" && !hasHydrogen) one.kind = AtomClass::Acceptor;
        one.radius = radiusOf(one.element, isPlanar[a], one.kind == AtomClass::PolarHydrogen);
        if (one.element == "C" && bonded[a].size() == 4) {
            ChiralCentre centre{{a, bonded[a][0], bonded[a][1], bonded[a][2]}};
            const auto at = [&](std::size_t k) { return ideal[centre.atoms[k]]; };
            if (dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) < 0)
                std::swap(centre.atoms[2], centre.atoms[3]);
            chirality.push_back(centre);
        }
    }
}

std::vector<std::vector<AtomIndex>> Molecule::nearAtoms() const {
    const std::vector<std::vector<AtomIndex>> bonded = neighbours(*this);
    std::vector<std::vector<AtomIndex>> result(atoms.size());
    for (AtomIndex a = 0; a < atoms.size(); ++a) {
        std::vector<AtomIndex>& near = result[a];
        near.push_back(a);
        std::size_t done = 0;
        for (int step = 0; step < 3; ++step)
            for (const std::size_t end = near.size(); done < end; ++done)
                for (const AtomIndex b : bonded[near[done]])
                    if (std::find(near.begin(), near.end(), b) == near.end()) near.push_back(b);
        std::sort(near.begin(), near.end());
    }
    return result;
}

std::vector<CovalentBound> Molecule::covalentBounds() const {
    const std::vector<std::vector<AtomIndex>> bonded = neighbours(*this);
    std::map<std::array<AtomIndex, 2>, CovalentBound> found;
    const auto add = [&](AtomIndex a, AtomIndex b, double lower, double upper) {
        if (a != b)
            found.try_emplace({std::min(a, b), std::max(a, b)},
                              CovalentBound{std::min(a, b), std::max(a, b), lower, upper});
    };
    // Distances in a closed ring are known although `ideal` leaves the ring open.
    const auto isOpen = [&](AtomIndex a, AtomIndex b) {
        return std::any_of(ringClosures.begin(), ringClosures.end(), [&](const auto& bond) {
            return (bond[0] == a && bond[1] == b) || (bond[0] == b && bond[1] == a);
        });
    };
    constexpr double kOpenBond = 1.503;
    constexpr double kDisulfide = 2.03;
    const auto bondLength = [&](AtomIndex a, AtomIndex b) {
        if (!isOpen(a, b)) return length(ideal[a] - ideal[b]);
        return atoms[a].element == "S" ? kDisulfide : kOpenBond;
    };
    for (const auto& [a, b] : bonds) add(a, b, bondLength(a, b) - 0.01, bondLength(a, b) + 0.01);
    const auto angle = [&](AtomIndex a, AtomIndex b, AtomIndex c) {
        // 105° in proline's ring and at a disulfide's sulphur, 111° for hydrogens.
        if (!isOpen(a, b) && !isOpen(b, c)) return angleAt(ideal[a], ideal[b], ideal[c]);
        return (atoms[a].isHydrogen() || atoms[c].isHydrogen() ? 111 : 105) * kDegree;
    };
    for (AtomIndex b = 0; b < atoms.size(); ++b)
        for (const AtomIndex a : bonded[b])
            for (const AtomIndex c : bonded[b]) {
                if (a >= c) continue;
                const double ab = bondLength(a, b);
                const double bc = bondLength(b, c);
                const double d = std::sqrt(ab * ab + bc * bc - 2 * ab * bc * std::cos(angle(a, b, c)));
                add(a, c, d - 0.03, d + 0.03);
            }
    std::map<std::array<AtomIndex, 2>, bool> turns;
    for (const Torsion& torsion : torsions)
        turns[{std::min(torsion.atoms[1], torsion.atoms[2]), std::max(torsion.atoms[1], torsion.atoms[2])}] =
            true;
    for (const auto& [b, c] : bonds) {
        const bool isFree = turns.contains({std::min(b, c), std::max(b, c)}) || isOpen(b, c);
        for (const AtomIndex a : bonded[b])
            for (const AtomIndex d : bonded[c]) {
                if (a == c || d == b || a == d) continue;
                if (!isFree && !isOpen(a, b) && !isOpen(c, d)) {
                    const double now = length(ideal[a] - ideal[d]);
                    add(a, d, now - 0.05, now + 0.05);
                    continue;
                }
                const double ab = bondLength(a, b);
                const double cd = bondLength(c, d);
                const double bc = bondLength(b, c);
                const double one = angle(a, b, c);
                const double two = angle(b, c, d);
                const double along = bc - ab * std::cos(one) - cd * std::cos(two);
                const double cis = ab * std::sin(one) - cd * std::sin(two);
                const double trans = ab * std::sin(one) + cd * std::sin(two);
                add(a, d, std::hypot(along, cis) - 0.05, std::hypot(along, trans) + 0.05);
            }
    }
    std::vector<CovalentBound> result;
    for (const auto& [pair, bound] : found) result.push_back(bound);
    return result;
}

const std::vector<std::string>& residueNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& [name, unused] : library())
            if (name != "BACKBONE") all.push_back(name);
        return all;
    }();
    return names;
}

std::string residueNameOf(char letter) {
    for (const auto& [name, residue] : library())
        if (residue.letter == std::toupper(static_cast<unsigned char>(letter)) && letter != '-') return name;
    return "";
}

std::vector<ResidueName> residuesOf(std::string_view letters, const std::string& chain, int firstNumber) {
    std::vector<ResidueName> result;
    for (const char letter : letters) {
        const std::string name = residueNameOf(letter);
        if (name.empty())
            throw InputError(fmt::format("residue {} of the sequence: '{}' is none of the twenty amino acids",
                                         result.size() + 1, letter));
        result.push_back({name, firstNumber + static_cast<int>(result.size()), chain, false});
    }
    return result;
}

}  // namespace glycine::structure
