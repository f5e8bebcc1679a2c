#include "engine/view/input/molecule_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/core/error.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/structure/ensemble.hpp"

namespace glycine::view {

namespace {

constexpr std::size_t kSeveral = std::numeric_limits<std::size_t>::max();

struct Element {
    std::string_view symbol;
    double covalent;     ///< Å: B. Cordero et al., Dalton Trans. 2008, 2832-2838
    double vanDerWaals;  ///< Å: A. Bondi, J. Phys. Chem. 68 (1964), 441-451
    Rgb color;           ///< after Corey, Pauling and Koltun
};
/// The first entry stands for all elements not listed.
constexpr std::array<Element, 19> kElements{{{"", 1.40, 1.80, {200, 110, 190}},
                                             {"H", 0.31, 1.20, {235, 235, 235}},
                                             {"D", 0.31, 1.20, {235, 235, 235}},
                                             {"C", 0.76, 1.70, {128, 132, 138}},
                                             {"N", 0.71, 1.55, {52, 92, 218}},
                                             {"O", 0.66, 1.52, {222, 48, 40}},
                                             {"F", 0.57, 1.47, {120, 200, 90}},
                                             {"Na", 1.66, 2.27, {150, 90, 210}},
                                             {"Mg", 1.41, 1.73, {60, 150, 50}},
                                             {"P", 1.07, 1.80, {235, 135, 30}},
                                             {"S", 1.05, 1.80, {225, 190, 40}},
                                             {"Cl", 1.02, 1.75, {60, 180, 60}},
                                             {"K", 2.03, 2.75, {140, 70, 190}},
                                             {"Ca", 1.76, 2.31, {80, 150, 60}},
                                             {"Mn", 1.50, 2.00, {150, 110, 190}},
                                             {"Fe", 1.32, 2.00, {200, 100, 40}},
                                             {"Zn", 1.22, 1.39, {120, 120, 170}},
                                             {"Se", 1.20, 1.90, {225, 150, 40}},
                                             {"Br", 1.20, 1.85, {150, 60, 40}}}};

/// Å by which a bond may exceed the sum of both radii.
constexpr double kBondTolerance = 0.4;
/// Longest possible bond of the listed elements, in Å.
constexpr double kLongestBond = 4.5;

std::size_t elementOf(std::string_view symbol) {
    const auto found = std::ranges::find(kElements, symbol, &Element::symbol);
    return found == kElements.end() ? 0 : static_cast<std::size_t>(found - kElements.begin());
}

bool isWater(std::string_view residue) {
    return residue == "HOH" || residue == "DOD" || residue == "WAT";
}

Rgb rgb(picture::Color color) {
    return {color.red, color.green, color.blue};
}

Rgb mixed(const Rgb& a, const Rgb& b, double share) {
    Rgb result{};
    for (std::size_t c = 0; c < 3; ++c)
        result[c] = static_cast<std::uint8_t>(std::lround(a[c] + share * (b[c] - a[c])));
    return result;
}

/// Blue, green, yellow, red from the beginning to the end of a chain, as is usual for structures.
Rgb spectrum(double share) {
    constexpr std::array<Rgb, 6> kStops{
        {{44, 78, 190}, {38, 150, 205}, {60, 170, 100}, {190, 195, 60}, {238, 150, 45}, {205, 45, 45}}};
    const double place = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
    const auto k = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
    return mixed(kStops[k], kStops[k + 1], place - static_cast<double>(k));
}

double distance(const Vector& a, const Vector& b) {
    return structure::length(a - b);
}

/// Catmull-Rom curve between b and c.
Vector curve(const Vector& a, const Vector& b, const Vector& c, const Vector& d, double t) {
    const double t2 = t * t;
    const double t3 = t2 * t;
    return 0.5 * (2.0 * b + t * (c - a) + t2 * (2.0 * a - 5.0 * b + 4.0 * c - d) +
                  t3 * (3.0 * b - a - 3.0 * c + d));
}

/// Hash of cells of kLongestBond Å, used to find neighbours.
using Cell = std::array<int, 3>;
struct CellHash {
    std::size_t operator()(const Cell& c) const {
        return static_cast<std::size_t>(c[0]) * 73856093U ^ static_cast<std::size_t>(c[1]) * 19349663U ^
               static_cast<std::size_t>(c[2]) * 83492791U;
    }
};
Cell cellOf(const Vector& at) {
    const auto index = [](double x) { return static_cast<int>(std::floor(x / kLongestBond)); };
    return {index(at.x), index(at.y), index(at.z)};
}

}  // namespace
struct MoleculeScenes::Colors {
    const Model& model;
    std::size_t number = 0;  ///< index of the model
    std::size_t models = 1, chains = 1;
    ColoredBy by = ColoredBy::Residue;

    Rgb ofResidue(double residue) const {
        switch (by) {
            case ColoredBy::Chain:
                return rgb(picture::groupColor(model.residues[static_cast<std::size_t>(residue + 0.5)].chain,
                                               chains));
            case ColoredBy::Model:
                return rgb(picture::groupColor(number, models));
            case ColoredBy::Element:
                return kElements[elementOf("C")].color;
            case ColoredBy::Residue:
                break;
        }
        return spectrum(residue / std::max(1.0, static_cast<double>(model.residues.size()) - 1));
    }
    Rgb ofAtom(const Atom& atom) const {
        const bool isCarbon = kElements[atom.element].symbol == "C";
        if (by == ColoredBy::Element && !isCarbon) return kElements[atom.element].color;
        return ofResidue(static_cast<double>(atom.residue));
    }
};

MoleculeScenes::MoleculeScenes(const io::Structure& structure) {
    for (const std::vector<io::StructureAtom>& atoms : structure.ensemble) models_.push_back(modelOf(atoms));
    if (structure.ensemble.empty()) models_.push_back(modelOf(structure.atoms));
    if (models_[0].atoms.empty()) throw InputError(fmt::format("{}: no atoms but water", structure.name));
}

MoleculeScenes::Model MoleculeScenes::modelOf(const std::vector<io::StructureAtom>& atoms) {
    const bool isFirst = models_.empty();
    Model model;
    const io::StructureAtom* last = nullptr;
    for (const io::StructureAtom& atom : atoms) {
        if (isWater(atom.residueName)) continue;
        if (last == nullptr || last->chain != atom.chain || last->residueNumber != atom.residueNumber ||
            last->residueName != atom.residueName) {
            auto chain = std::ranges::find(chains_, atom.chain);
            if (chain == chains_.end()) chain = chains_.insert(chain, atom.chain);
            model.residues.push_back({static_cast<std::size_t>(chain - chains_.begin()), {}, 0});
        }
        last = &atom;
        const std::size_t index = model.atoms.size();
        const auto& [x, y, z] = atom.position;
        model.atoms.push_back(
            {{x, y, z}, elementOf(atom.element), model.residues.size() - 1, atom.isHydrogen()});
        const bool isCa = atom.name == "CA" && atom.element == "C";
        if (isCa || atom.name == "P") {
            model.residues.back().backbone = index;
            model.residues.back().reach = isCa ? 4.5 : 9;
            hasBackbone_ = true;
        }
        hasHydrogens_ = hasHydrogens_ || atom.isHydrogen();
        if (!isFirst) continue;
        labels_.emplace(atom.label(), index);
        if (atom.chain.empty()) continue;
        const auto [place, isNew] = labels_.emplace(atom.label().substr(atom.chain.size() + 1), index);
        if (!isNew) place->second = kSeveral;
    }

    std::unordered_map<Cell, std::vector<std::size_t>, CellHash> cells;
    for (std::size_t i = 0; i < model.atoms.size(); ++i) {
        const Atom& a = model.atoms[i];
        const Cell own = cellOf(a.position);
        for (int k = 0; k < 27; ++k) {
            const auto there = cells.find({own[0] + k % 3 - 1, own[1] + k / 3 % 3 - 1, own[2] + k / 9 - 1});
            if (there == cells.end()) continue;
            for (const std::size_t j : there->second) {
                const Atom& b = model.atoms[j];
                if (a.isHydrogen && b.isHydrogen) continue;
                const double longest =
                    kElements[a.element].covalent + kElements[b.element].covalent + kBondTolerance;
                if (distance(a.position, b.position) <= longest) model.bonds.emplace_back(j, i);
            }
        }
        cells[own].push_back(i);
    }
    return model;
}

std::optional<std::size_t> MoleculeScenes::find(std::string_view label) const {
    const auto found = labels_.find(std::string(label));
    if (found == labels_.end() || found->second == kSeveral) return {};
    return found->second;
}

bool MoleculeScenes::areNeighbours(std::size_t i, std::size_t j) const {
    const Model& model = models_[0];
    const std::size_t a = std::min(model.atoms[i].residue, model.atoms[j].residue);
    const std::size_t b = std::max(model.atoms[i].residue, model.atoms[j].residue);
    return a == b || (b == a + 1 && model.residues[a].chain == model.residues[b].chain);
}

std::vector<structure::AtomIndex> MoleculeScenes::backbone(const Model& model) const {
    std::vector<structure::AtomIndex> atoms;
    for (const Residue& residue : model.residues)
        if (residue.backbone) atoms.push_back(static_cast<structure::AtomIndex>(*residue.backbone));
    return atoms;
}

double MoleculeScenes::superpose() {
    const auto positionsOf = [](const Model& model, const std::vector<structure::AtomIndex>& which) {
        std::vector<Vector> positions;
        for (const structure::AtomIndex a : which) positions.push_back(model.atoms[a].position);
        return positions;
    };
    const std::vector<Vector> onto = positionsOf(models_[0], backbone(models_[0]));
    std::vector<structure::AtomIndex> all(onto.size());
    std::iota(all.begin(), all.end(), structure::AtomIndex{0});
    double largest = 0;
    for (std::size_t m = 1; m < models_.size(); ++m) {
        // The backbone determines the superposition and comes first; the other atoms follow it.
        std::vector<Vector> points = positionsOf(models_[m], backbone(models_[m]));
        if (points.size() != onto.size())
            throw InputError(
                fmt::format("the models cannot be superposed: the first has {} residues with CA or P, "
                            "number {} has {}",
                            onto.size(), m + 1, points.size()));
        const std::size_t first = points.size();
        for (const Atom& atom : models_[m].atoms) points.push_back(atom.position);
        largest = std::max(largest, structure::superpose(points, onto, all));
        for (std::size_t a = 0; a < models_[m].atoms.size(); ++a)
            models_[m].atoms[a].position = points[first + a];
    }
    return largest;
}

void MoleculeScenes::addTrace(Scene& scene, const Model& model, double radius, const Colors& colors) const {
    constexpr int kSteps = 6;
    const std::size_t n = model.residues.size();
    const auto at = [&](std::size_t r) { return model.atoms[*model.residues[r].backbone].position; };
    const auto joined = [&](std::size_t r) {
        if (r + 1 >= n) return false;
        const Residue& a = model.residues[r];
        const Residue& b = model.residues[r + 1];
        return a.backbone && b.backbone && a.chain == b.chain && distance(at(r), at(r + 1)) <= a.reach;
    };
    for (std::size_t r = 0; r < n; ++r) {
        if (!joined(r)) {
            // An isolated residue.
            const bool isAlone = model.residues[r].backbone && !(r > 0 && joined(r - 1));
            if (isAlone)
                scene.capsules.push_back(
                    {at(r), at(r), 1.5 * radius, colors.ofResidue(double(r)), colors.ofResidue(double(r))});
            continue;
        }
        const Vector b = at(r);
        const Vector c = at(r + 1);
        const Vector a = r > 0 && joined(r - 1) ? at(r - 1) : 2.0 * b - c;
        const Vector d = joined(r + 1) ? at(r + 2) : 2.0 * c - b;
        Vector from = b;
        for (int k = 1; k <= kSteps; ++k) {
            const double t = double(k) / kSteps;
            const Vector to = curve(a, b, c, d, t);
            const Rgb color = colors.ofResidue(std::min(double(r) + t - 0.5 / kSteps, double(n - 1)));
            scene.capsules.push_back({from, to, radius, color, color});
            from = to;
        }
    }
}

void MoleculeScenes::addBonds(Scene& scene, const Model& model, const Look& look, double radius,
                              const Colors& colors, bool ofChains) const {
    const auto isShown = [&](const Atom& atom) {
        return (look.hydrogens || !atom.isHydrogen) && (ofChains || !model.residues[atom.residue].backbone);
    };
    std::vector<bool> isBonded(model.atoms.size(), false);
    for (const auto& [i, j] : model.bonds) {
        const Atom& a = model.atoms[i];
        const Atom& b = model.atoms[j];
        if (!isShown(a) || !isShown(b)) continue;
        isBonded[i] = isBonded[j] = true;
        scene.capsules.push_back({a.position, b.position, radius, colors.ofAtom(a), colors.ofAtom(b)});
    }
    for (std::size_t i = 0; i < model.atoms.size(); ++i) {
        const Atom& atom = model.atoms[i];
        if (isBonded[i] || !isShown(atom)) continue;
        scene.capsules.push_back(
            {atom.position, atom.position, 2.5 * radius, colors.ofAtom(atom), colors.ofAtom(atom)});
    }
}

void MoleculeScenes::addSpheres(Scene& scene, const Model& model, const Look& look,
                                const Colors& colors) const {
    for (const Atom& atom : model.atoms)
        if (look.hydrogens || !atom.isHydrogen)
            scene.capsules.push_back({atom.position, atom.position, kElements[atom.element].vanDerWaals,
                                      colors.ofAtom(atom), colors.ofAtom(atom)});
}

void MoleculeScenes::addBounds(Scene& scene, const Look& look) const {
    const std::size_t shown = std::min(look.bounds, bounds_.size());
    if (shown == 0) return;
    const double least = bounds_[0].slack();
    const double extent = std::max(bounds_[shown - 1].slack() - least, 1e-6);
    for (std::size_t k = 0; k < shown; ++k) {
        const BoundLine& line = bounds_[k];
        // Leave out the palest colours of the map, which are invisible on white.
        const auto step = static_cast<std::size_t>(
            std::lround(220 * std::clamp((line.slack() - least) / extent, 0.0, 1.0)));
        const Rgb color = rgb(picture::colorMap()[step]);
        scene.capsules.push_back(
            {models_[0].atoms[line.i].position, models_[0].atoms[line.j].position, 0.09, color, color});
    }
}

Scene MoleculeScenes::scene(const Look& look, bool ownAxes) const {
    std::vector<Vector> points;
    for (const Model& model : models_) {
        const std::vector<structure::AtomIndex> chain = backbone(model);
        if (chain.size() >= 3)
            for (const structure::AtomIndex a : chain) points.push_back(model.atoms[a].position);
        else
            for (const Atom& atom : model.atoms) points.push_back(atom.position);
    }
    std::vector<structure::AtomIndex> all(points.size());
    std::iota(all.begin(), all.end(), structure::AtomIndex{0});
    const structure::PrincipalAxes axes = structure::principalAxes(points, all);
    Scene scene;
    scene.centre = axes.centre;
    if (!ownAxes) scene.axes = {axes.axes.x, axes.axes.y, axes.axes.z};

    const bool isEnsemble = models_.size() > 1 && look.model == 0;
    for (std::size_t m = 0; m < models_.size(); ++m) {
        if (look.model != 0 && look.model != m + 1) continue;
        const Model& model = models_[m];
        const Colors colors{model, m, models_.size(), chains_.size(), look.color};
        if (look.style == Style::Spheres) {
            addSpheres(scene, model, look, colors);
        } else {
            if (look.style == Style::Trace) addTrace(scene, model, isEnsemble ? 0.18 : 0.45, colors);
            addBonds(scene, model, look, isEnsemble ? 0.07 : 0.17, colors, look.style == Style::Sticks);
        }
    }
    addBounds(scene, look);
    return scene;
}

}  // namespace glycine::view
