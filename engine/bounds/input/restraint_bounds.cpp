#include "engine/bounds/input/restraint_bounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::bounds {

namespace {

using structure::Atom;
using structure::AtomClass;
using structure::AtomIndex;
using structure::Molecule;

constexpr double kPlanarTolerance = 0.05;
/// Of the outer atoms of a torsion angle: bond angles vary by some degrees.
constexpr double kTorsionTolerance = 0.1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Bounds from geometry, not from restraints of the file.
constexpr std::size_t kNoText = std::numeric_limits<std::size_t>::max();

struct SparseBound {
    std::size_t i = 0, j = 0;
    double lower = 0, upper = kInfinity;
    std::size_t text = kNoText;
};

/// Covalent bounds replace what is there (contacts), restraints tighten it.
template <class T>
class Matrices {
  public:
    Matrices(std::size_t atoms, Rounding rounding, BoundSources& sources)
        : bounds_{Matrix<T>(atoms, atoms), Matrix<T>(atoms, atoms)}, rounding_(rounding), sources_(sources) {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < atoms; ++i) {
            std::fill_n(bounds_.upper.row(i), atoms, kUnknownUpper<T>);
            std::fill_n(bounds_.lower.row(i), atoms, T(0));
            bounds_.upper.row(i)[i] = 0;
        }
    }
    void setLower(std::size_t i, std::size_t j, double lower) {
        bounds_.lower.row(i)[j] = bounds_.lower.row(j)[i] = lowerFromAngstrom<T>(lower, rounding_);
    }
    void apply(const SparseBound& bound) {
        if (bound.i == bound.j) return;
        if (std::is_integral_v<T> &&
            std::max(bound.lower, std::isinf(bound.upper) ? 0 : bound.upper) >= kFixedLimitAngstrom)
            throw InputError(fmt::format("a bound is {:g} Å; the fixed format holds less than {:.0f}",
                                         std::max(bound.lower, bound.upper), kFixedLimitAngstrom));
        const std::pair pair = std::minmax(bound.i, bound.j);
        const T upper = upperFromAngstrom<T>(bound.upper, rounding_);
        const T lower = lowerFromAngstrom<T>(bound.lower, rounding_);
        T& presentUpper = bounds_.upper.row(pair.first)[pair.second];
        T& presentLower = bounds_.lower.row(pair.first)[pair.second];
        if (upper < presentUpper) {
            presentUpper = bounds_.upper.row(pair.second)[pair.first] = upper;
            if (bound.text != kNoText) sources_.upper[pair] = bound.text;
        }
        if (lower > presentLower || bound.text == kNoText) {
            presentLower = bounds_.lower.row(pair.second)[pair.first] = lower;
            if (bound.text != kNoText) sources_.lower[pair] = bound.text;
        }
    }
    OwnedBounds<T>& bounds() {
        return bounds_;
    }

  private:
    OwnedBounds<T> bounds_;
    Rounding rounding_;
    BoundSources& sources_;
};

double leastDistance(const Atom& a, const Atom& b, double scale) {
    const auto isAcceptor = [](const Atom& atom) {
        return atom.kind == AtomClass::Acceptor || atom.kind == AtomClass::DonorAndAcceptor;
    };
    const auto isDonor = [](const Atom& atom) {
        return atom.kind == AtomClass::Donor || atom.kind == AtomClass::DonorAndAcceptor;
    };
    const auto either = [&](const auto& first, const auto& second) {
        return (first(a) && second(b)) || (first(b) && second(a));
    };
    const double sum = scale * (a.radius + b.radius);
    if (either([](const Atom& atom) { return atom.kind == AtomClass::PolarHydrogen; }, isAcceptor))
        return std::min(sum, 1.7);
    if (either(isDonor, isAcceptor)) return std::min(sum, 2.4);
    if (a.name == "SG" && b.name == "SG") return std::min(sum, 1.9);
    return sum;
}

double distance(const structure::Vector& a, const structure::Vector& b) {
    return structure::length(a - b);
}

/// How far apart atoms of a residue can be at most, by bonds and planes alone.
class ResidueDiameters {
  public:
    ResidueDiameters(const Molecule& molecule, const std::vector<SparseBound>& covalent)
        : molecule_(molecule), spans_(molecule.residues.size()), bounds_(molecule.residues.size()) {
        for (const SparseBound& bound : covalent)
            if (residueOf(bound.i) == residueOf(bound.j)) bounds_[residueOf(bound.i)].push_back(&bound);
    }
    /// Of two atoms of one residue.
    double operator()(std::size_t a, std::size_t b) {
        const structure::Residue& residue = molecule_.residues[residueOf(a)];
        const std::size_t n = residue.atomCount;
        std::vector<double>& span = spans_[residueOf(a)];
        if (span.empty()) {
            span.assign(n * n, kInfinity);
            for (std::size_t i = 0; i < n; ++i) span[i * n + i] = 0;
            for (const SparseBound* bound : bounds_[residueOf(a)]) {
                const std::size_t i = bound->i - residue.firstAtom, j = bound->j - residue.firstAtom;
                span[i * n + j] = span[j * n + i] = std::min(span[i * n + j], bound->upper);
            }
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < n; ++j)
                        span[i * n + j] = std::min(span[i * n + j], span[i * n + k] + span[k * n + j]);
        }
        return span[(a - residue.firstAtom) * n + (b - residue.firstAtom)];
    }
    std::size_t residueOf(std::size_t atom) const { return molecule_.atoms[atom].residue; }

  private:
    const Molecule& molecule_;
    std::vector<std::vector<double>> spans_;
    std::vector<std::vector<const SparseBound*>> bounds_;
};

/// How far apart the outer of four atoms in a row are, by the angle between: d² = mean + half the difference
/// of cis and trans · cos.
class OuterDistance {
  public:
    OuterDistance(const Molecule& molecule, const std::array<AtomIndex, 4>& atoms) {
        const auto& [a, b, c, d] = atoms;
        const auto& ideal = molecule.ideal;
        const auto angle = [&ideal](AtomIndex left, AtomIndex middle, AtomIndex right) {
            return std::acos(structure::dot(structure::unit(ideal[left] - ideal[middle]),
                                            structure::unit(ideal[right] - ideal[middle])));
        };
        const double first = angle(a, b, c), second = angle(b, c, d);
        const double ab = distance(ideal[a], ideal[b]), cd = distance(ideal[c], ideal[d]);
        along_ = distance(ideal[b], ideal[c]) - ab * std::cos(first) - cd * std::cos(second);
        up_ = ab * std::sin(first);
        down_ = cd * std::sin(second);
    }
    double at(double cosine) const {
        return std::sqrt(along_ * along_ + up_ * up_ + down_ * down_ - 2 * up_ * down_ * cosine);
    }

  private:
    double along_ = 0, up_ = 0, down_ = 0;
};

/// Bonds that molecules are built with at one angle, and that turn all the same: those of methyls and NH3,
/// and the peptide bond before proline, which may be cis.
class TurningBonds {
  public:
    explicit TurningBonds(const Molecule& molecule) : molecule_(molecule), bonded_(molecule.atoms.size()) {
        for (const auto& [a, b] : molecule.bonds) {
            bonded_[a].push_back(b);
            bonded_[b].push_back(a);
        }
    }
    /// The four atoms from a to d, where they are three bonds apart about such a bond.
    std::optional<std::array<AtomIndex, 4>> find(AtomIndex a, AtomIndex d) const {
        std::optional<std::array<AtomIndex, 4>> found;
        for (const AtomIndex b : bonded_[a]) {
            if (b == d) return {};
            for (const AtomIndex c : bonded_[b]) {
                if (c == d) return {};
                if (c != a && std::find(bonded_[c].begin(), bonded_[c].end(), d) != bonded_[c].end() &&
                    (hasThreeHydrogens(b) || hasThreeHydrogens(c) || isBeforeProline(b, c)))
                    found = {a, b, c, d};
            }
        }
        return found;
    }

  private:
    bool hasThreeHydrogens(AtomIndex atom) const {
        return std::count_if(bonded_[atom].begin(), bonded_[atom].end(),
                             [this](AtomIndex other) { return molecule_.atoms[other].isHydrogen(); }) >= 3;
    }
    bool isBeforeProline(AtomIndex b, AtomIndex c) const {
        const Atom &first = molecule_.atoms[std::min(b, c)], &second = molecule_.atoms[std::max(b, c)];
        return first.residue != second.residue && second.name == "N" &&
               molecule_.residues[second.residue].name == "PRO";
    }
    const Molecule& molecule_;
    std::vector<std::vector<AtomIndex>> bonded_;
};

std::vector<SparseBound> covalentBounds(const Molecule& molecule, RestraintReport& report) {
    std::vector<SparseBound> bounds;
    std::set<std::pair<std::size_t, std::size_t>> known;
    const TurningBonds turning(molecule);
    for (const structure::CovalentBound& bound : molecule.covalentBounds()) {
        SparseBound& added =
            bounds.emplace_back(SparseBound{bound.first, bound.second, bound.lower, bound.upper});
        known.insert(std::minmax<std::size_t>(bound.first, bound.second));
        if (const auto atoms = turning.find(bound.first, bound.second)) {
            const OuterDistance outer(molecule, *atoms);
            added.lower = std::min(bound.lower, outer.at(1) - kTorsionTolerance);
            added.upper = std::max(bound.upper, outer.at(-1) + kTorsionTolerance);
        }
    }
    report.covalentPairs = known.size();
    for (const std::vector<AtomIndex>& plane : molecule.planes)
        for (std::size_t a = 0; a < plane.size(); ++a)
            for (std::size_t b = a + 1; b < plane.size(); ++b) {
                if (!known.insert(std::minmax<std::size_t>(plane[a], plane[b])).second) continue;
                const double standard = distance(molecule.ideal[plane[a]], molecule.ideal[plane[b]]);
                bounds.push_back(
                    {plane[a], plane[b], standard - kPlanarTolerance, standard + kPlanarTolerance});
            }
    report.planarPairs = known.size() - report.covalentPairs;
    return bounds;
}

/// Bounds of one distance restraint.
void addDistance(const structure::DistanceRestraint& restraint,
                 const std::map<std::size_t, std::size_t>& exchanged, ResidueDiameters& diameter,
                 std::size_t text, std::vector<SparseBound>& bounds, RestraintReport& report) {
    std::set<std::size_t> first, second;
    const auto start = diameter.residueOf(restraint.pairs.front().first);
    bool areTwoResidues = true, isExchanged = false;
    std::optional<std::size_t> other;
    for (auto [i, j] : restraint.pairs) {
        if (diameter.residueOf(i) != start || (other && diameter.residueOf(j) != *other)) std::swap(i, j);
        if (!other) other = diameter.residueOf(j);
        areTwoResidues = areTwoResidues && diameter.residueOf(i) == start && diameter.residueOf(j) == *other;
        first.insert(i);
        second.insert(j);
        for (std::set<std::size_t>* ends : {&first, &second})
            for (const std::size_t atom : std::vector<std::size_t>(ends->begin(), ends->end()))
                if (const auto swapped = exchanged.find(atom); swapped != exchanged.end()) {
                    ends->insert(swapped->second);
                    isExchanged = true;
                }
    }
    // Either atom of an exchanged pair may be meant, so the other one has no lower bound.
    if (restraint.lower > 0 && !isExchanged)
        for (const auto& [i, j] : restraint.pairs) bounds.push_back({i, j, restraint.lower, kInfinity, text});
    if (std::isinf(restraint.upper)) return;
    if (!areTwoResidues) {
        ++report.scattered;
        return;
    }
    ++report.bounded;
    if (restraint.pairs.size() > 1 || isExchanged) ++report.groups;
    const double nearest = restraint.upper * std::pow(static_cast<double>(restraint.pairs.size()), 1.0 / 6);
    const auto span = [&diameter](const std::set<std::size_t>& group, std::size_t from) {
        double largest = 0;
        for (const std::size_t to : group) largest = std::max(largest, diameter(from, to));
        return largest;
    };
    for (const std::size_t i : first)
        for (const std::size_t j : second)
            if (i != j) bounds.push_back({i, j, 0, nearest + span(first, i) + span(second, j), text});
}

/// Bounds of the outer atoms over the window of the angle.
void addTorsion(const structure::DihedralRestraint& restraint, const Molecule& molecule,
                const std::set<std::pair<AtomIndex, AtomIndex>>& bonds, std::size_t text,
                std::vector<SparseBound>& bounds, RestraintReport& report) {
    const auto& [a, b, c, d] = restraint.atoms;
    for (const auto& bond : {std::minmax(a, b), std::minmax(b, c), std::minmax(c, d)})
        if (!bonds.contains(bond)) return;
    const double lower = restraint.lower;
    const double upper = restraint.upper < lower
                             ? restraint.upper + 360 * std::ceil((lower - restraint.upper) / 360)
                             : restraint.upper;
    const auto holds = [&](double degrees) {
        return degrees + 360 * std::ceil((lower - degrees) / 360) <= upper;
    };
    constexpr double kDegree = 3.14159265358979323846 / 180;
    double least = std::min(std::cos(lower * kDegree), std::cos(upper * kDegree));
    double most = std::max(std::cos(lower * kDegree), std::cos(upper * kDegree));
    if (holds(0)) most = 1;
    if (holds(180)) least = -1;
    const OuterDistance outer(molecule, restraint.atoms);
    bounds.push_back(
        {a, d, std::max(0.0, outer.at(most) - kTorsionTolerance), outer.at(least) + kTorsionTolerance, text});
    ++report.torsions;
}

template <class T>
AnyOwnedBounds moleculeBounds(const Molecule& molecule, const structure::RestraintSet& restraints,
                              const RestraintBoundsOptions& options, RestraintReport& report) {
    const std::size_t n = molecule.atoms.size();
    Matrices<T> matrices(n, options.rounding, report.sources);
    const std::vector<std::vector<AtomIndex>> near = molecule.nearAtoms();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
            if (!std::binary_search(near[i].begin(), near[i].end(), static_cast<AtomIndex>(j)))
                matrices.setLower(i, j,
                                  leastDistance(molecule.atoms[i], molecule.atoms[j], options.radiiScale));
    const std::vector<SparseBound> covalent = covalentBounds(molecule, report);
    for (const SparseBound& bound : covalent) matrices.apply(bound);

    std::map<std::size_t, std::size_t> exchanged;
    for (const structure::SwappableGroup& group : restraints.swappable)
        for (const structure::AtomPair& pair : group.exchanged) {
            exchanged[pair.first] = pair.second;
            exchanged[pair.second] = pair.first;
        }
    ResidueDiameters diameter(molecule, covalent);
    std::vector<SparseBound> bounds;
    const auto text = [&report](const char* what, const auto& restraint) {
        report.sources.texts.push_back(fmt::format("{} {}, line {}", what, restraint.id, restraint.line));
        return report.sources.texts.size() - 1;
    };
    for (const structure::DistanceRestraint& restraint : restraints.distances)
        addDistance(restraint, exchanged, diameter, text("restraint", restraint), bounds, report);
    std::set<std::pair<AtomIndex, AtomIndex>> bonds;
    for (const auto& [a, b] : molecule.bonds) bonds.insert(std::minmax(a, b));
    for (const structure::DihedralRestraint& restraint : restraints.dihedrals)
        addTorsion(restraint, molecule, bonds, text("torsion restraint", restraint), bounds, report);
    for (const SparseBound& bound : bounds) matrices.apply(bound);
    return std::move(matrices.bounds());
}

std::size_t countKnown(const AnyOwnedBounds& bounds) {
    return std::visit(
        [](const auto& owned) {
            std::size_t known = 0;
#pragma omp parallel for schedule(static, 16) reduction(+ : known)
            for (std::size_t i = 0; i < owned.upper.rows(); ++i)
                for (std::size_t j = i + 1; j < owned.upper.rows(); ++j)
                    known += isUnknownUpper(owned.upper.row(i)[j]) ? 0 : 1;
            return known;
        },
        bounds);
}

/// Atoms of tables alone.
BoundSet tableBounds(std::span<const io::RestraintFile> files, const RestraintBoundsOptions& options) {
    BoundSet set;
    std::map<std::string, std::size_t> places;
    std::size_t atoms = 0, statements = 0;
    bool areNumbers = true;
    for (const io::RestraintFile& file : files)
        for (const io::StatedDistance& stated : file.distances)
            areNumbers = areNumbers && stated.alternatives[0].first[0].number &&
                         stated.alternatives[0].second[0].number;
    std::vector<SparseBound> bounds;
    BoundSources sources;
    for (const io::RestraintFile& file : files)
        for (const io::StatedDistance& stated : file.distances) {
            const auto place = [&](const io::AtomSelection& atom) {
                if (!areNumbers) {
                    const auto [found, isNew] = places.emplace(io::describe(atom), places.size());
                    if (isNew) set.atomNames.push_back(found->first);
                    atoms = places.size();
                    return found->second;
                }
                atoms = std::max(atoms, *atom.number);
                return *atom.number - 1;
            };
            const std::size_t i = place(stated.alternatives[0].first[0]);
            const std::size_t j = place(stated.alternatives[0].second[0]);
            if (i == j)
                throw InputError(fmt::format("{}: line {}: both atoms are {}", file.name, stated.line,
                                             io::describe(stated.alternatives[0].first[0])));
            bounds.push_back({i, j, stated.lower, stated.upper, 0});
            ++statements;
        }
    requireSmoothingMemory(files[0].name, options, atoms);
    set.bounds = withNumberOf(options.format, [&]<class T>(T) {
        Matrices<T> matrices(atoms, options.rounding, sources);
        for (const SparseBound& bound : bounds) matrices.apply(bound);
        return AnyOwnedBounds(std::move(matrices.bounds()));
    });
    set.knownPairs = countKnown(set.bounds);
    set.description = fmt::format("{} of {}: {}", formatCount(atoms, "atom"), files[0].name,
                                  formatCount(statements, "stated pair"));
    return set;
}

}  // namespace

std::string BoundSources::describe(std::size_t i, std::size_t j, bool isUpper) const {
    const auto& known = isUpper ? upper : lower;
    const auto found = known.find(std::minmax(i, j));
    if (found != known.end()) return texts[found->second];
    return isUpper ? "covalent geometry" : "contact or covalent geometry";
}

bool BoundSources::isStated(std::size_t i, std::size_t j, bool isUpper) const {
    return (isUpper ? upper : lower).contains(std::minmax(i, j));
}

RestraintBounds boundsOfMolecule(const structure::Molecule& molecule,
                                 const structure::RestraintSet& restraints,
                                 const RestraintBoundsOptions& options) {
    RestraintBounds result;
    RestraintReport& report = result.report.emplace();
    result.set.bounds = withNumberOf(
        options.format, [&]<class T>(T) { return moleculeBounds<T>(molecule, restraints, options, report); });
    result.set.knownPairs = countKnown(result.set.bounds);
    for (std::size_t a = 0; a < molecule.atoms.size(); ++a)
        result.set.atomNames.push_back(molecule.label(static_cast<structure::AtomIndex>(a)));
    result.set.warnings = restraints.warnings;
    return result;
}

RestraintBounds boundsFromRestraints(std::span<const std::filesystem::path> paths,
                                     const RestraintBoundsOptions& options, Progress& progress) {
    std::vector<io::RestraintFile> files;
    for (const std::filesystem::path& path : paths) files.push_back(io::readRestraintFile(path));
    progress.throwIfCancelled();
    const bool areTables = std::all_of(files.begin(), files.end(), [](const io::RestraintFile& file) {
        return file.format == io::RestraintFormat::Table;
    });
    if (areTables && options.sequence.empty() && options.topology.empty())
        return {tableBounds(files, options), {}};
    const structure::Molecule molecule = io::readMolecule(options.sequence, options.topology, files);
    requireSmoothingMemory(files[0].name, options, molecule.atoms.size());
    io::RestraintCounts counts;
    const structure::RestraintSet set = io::mapToMolecule(files, molecule, options.mapping, counts);
    RestraintBounds result = boundsOfMolecule(molecule, set, options);
    RestraintReport& report = *result.report;
    report.counts = std::move(counts);
    for (const io::RestraintFile& file : files)
        report.files.push_back(fmt::format("{}, {}: {}, {}", file.name, io::describe(file.format),
                                           formatCount(file.distances.size(), "distance"),
                                           formatCount(file.dihedrals.size(), "torsion angle")));
    result.set.description =
        fmt::format("{} of {} in {}", formatCount(molecule.atoms.size(), "atom"),
                    formatCount(molecule.residues.size(), "residue"), fmt::join(report.files, "; "));
    return result;
}

std::vector<Violation> loosestPairs(const AnyBoundMatrices& matrices, std::span<const std::string> atomNames,
                                    std::size_t count) {
    const std::size_t atoms = atomCount(matrices);
    std::map<std::string, std::size_t> numbers;
    std::vector<std::size_t> residues(atoms);
    for (std::size_t a = 0; a < atoms; ++a)
        residues[a] = atomNames.empty()
                          ? a
                          : numbers.emplace(atomNames[a].substr(0, atomNames[a].rfind('/')), numbers.size())
                                .first->second;
    // The loosest first, each of other residues.
    const auto take = [&](std::vector<Violation>& loosest, const Violation& pair) {
        if (loosest.size() == count && pair.excess() >= loosest.back().excess()) return;
        const auto place = std::ranges::upper_bound(loosest, pair.excess(), {}, &Violation::excess);
        const auto same = std::ranges::find_if(loosest, [&](const Violation& one) {
            return std::minmax(residues[one.i], residues[one.j]) ==
                   std::minmax(residues[pair.i], residues[pair.j]);
        });
        if (same < place) return;
        const auto position = place - loosest.begin();
        if (same != loosest.end())
            loosest.erase(same);
        else if (loosest.size() == count)
            loosest.pop_back();
        loosest.insert(loosest.begin() + position, pair);
    };
    if (count == 0) return {};
    // Blocks of rows, whose lists are joined in their order: of equal pairs the first stays.
    constexpr std::size_t kRows = 64;
    std::vector<std::vector<Violation>> ofBlocks((atoms + kRows - 1) / kRows);
    std::visit(
        [&](const auto& typed) {
#pragma omp parallel for schedule(dynamic)
            for (std::size_t block = 0; block < ofBlocks.size(); ++block)
                for (std::size_t i = block * kRows; i < std::min(atoms, (block + 1) * kRows); ++i)
                    for (std::size_t j = i + 1; j < atoms; ++j) {
                        const double lower = typed.hasLower() ? toAngstrom(typed.lower(i, j)) : 0;
                        take(ofBlocks[block], {i, j, angstromOrInfinity(typed.upper(i, j)), lower});
                    }
        },
        matrices);
    std::vector<Violation> loosest;
    for (const std::vector<Violation>& block : ofBlocks)
        for (const Violation& pair : block) take(loosest, pair);
    return loosest;
}

}  // namespace glycine::bounds
