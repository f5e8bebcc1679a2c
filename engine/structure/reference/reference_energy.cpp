#include <algorithm>
#include <cmath>

#include "engine/structure/energy.hpp"

// The specification: each term as published, with its derivative by the chain rule. It shares with cpu only
// the lists of terms (FoldProblem).

namespace glycine::structure {

namespace {

/// A quantity and its derivative along one variable.
struct Slope {
    double value = 0;
    double derivative = 0;
};

/// v² to 2 Å of violation and its tangent from there on, for a distance d outside lower … upper.
Slope violationOf(double d, double lower, double upper) {
    const double v = d > upper ? d - upper : d < lower ? lower - d : 0;
    const double direction = d > upper ? 1 : -1;
    if (v <= 2) return {v * v, direction * 2 * v};
    return {4 + 4 * (v - 2), direction * 4};
}

/// Adds derivative · ∂|r_i − r_j|/∂r.
void addAlongDistance(std::span<const Vector> r, AtomIndex i, AtomIndex j, double derivative,
                      std::span<Vector> gradient) {
    const Vector direction = unit(r[i] - r[j]);
    gradient[i] += derivative * direction;
    gradient[j] -= derivative * direction;
}

/// Σ over the pairs of an ambiguous restraint (M. Nilges, J. Mol. Biol. 245 (1995), 645-660): D = (Σ
/// d⁻⁶)^(−1/6), ∂D/∂d = (D/d)⁷.
double addRestraint(const DistanceRestraint& restraint, std::span<const Vector> r,
                    std::span<const AtomIndex> name, double weight, std::span<Vector> gradient) {
    double sum = 0;
    for (const AtomPair& pair : restraint.pairs)
        sum += std::pow(length(r[name[pair.first]] - r[name[pair.second]]), -6);
    const double effective = std::pow(sum, -1.0 / 6);
    const Slope violation = violationOf(effective, restraint.lower, restraint.upper);
    for (const AtomPair& pair : restraint.pairs) {
        const AtomIndex i = name[pair.first];
        const AtomIndex j = name[pair.second];
        const double share = std::pow(effective / length(r[i] - r[j]), 7);
        addAlongDistance(r, i, j, weight * violation.derivative * share, gradient);
    }
    return weight * violation.value;
}

/// ((b² − d²)/2b)² where d < b (P. Güntert, C. Mumenthaler, K. Wüthrich, J. Mol. Biol. 273 (1997), 283-298).
double addRepulsion(AtomIndex i, AtomIndex j, double b, std::span<const Vector> r, double weight,
                    std::span<Vector> gradient) {
    const double d = length(r[i] - r[j]);
    if (d >= b) return 0;
    const double overlap = (b * b - d * d) / (2 * b);
    addAlongDistance(r, i, j, weight * 2 * overlap * (-d / b), gradient);
    return weight * overlap * overlap;
}

using FourAtoms = std::array<AtomIndex, 4>;

/// Adds derivative · ∂φ/∂r (H. Bekker, H. J. C. Berendsen, W. F. van Gunsteren, J. Comput. Chem. 16 (1995),
/// 527-533).
void addAlongAngle(const FourAtoms& atoms, std::span<const Vector> r, double derivative,
                   std::span<Vector> gradient) {
    const auto& [i, j, k, l] = atoms;
    const Vector ij = r[i] - r[j];
    const Vector kj = r[k] - r[j];
    const Vector kl = r[k] - r[l];
    const Vector m = cross(ij, kj);
    const Vector n = cross(kj, kl);
    const double axis = length(kj);
    const Vector first = (axis / dot(m, m)) * m;
    const Vector last = (-axis / dot(n, n)) * n;
    const double a = dot(ij, kj) / dot(kj, kj);
    const double b = dot(kl, kj) / dot(kj, kj);
    gradient[i] += derivative * first;
    gradient[j] += derivative * ((a - 1) * first - b * last);
    gradient[k] += derivative * ((b - 1) * last - a * first);
    gradient[l] += derivative * last;
}

/// 5 (1 − ½ (Δ/Γ)²) Δ² for an angle Δ outside its window; Γ is half the width of the outside, in radians
/// (Güntert et al. 1997).
double addWindow(const DihedralRestraint& window, std::span<const Vector> r, double weight,
                 std::span<Vector> gradient) {
    const double delta =
        kDegree * outsideWindow(dihedralAngle(window.atoms, r) / kDegree, window.lower, window.upper);
    if (delta == 0) return 0;
    const double width = window.upper - window.lower - 360 * std::floor((window.upper - window.lower) / 360);
    const double gamma = kDegree * 0.5 * (360 - width);
    const double squares = delta * delta / (gamma * gamma);
    addAlongAngle(window.atoms, r, weight * (10 * delta - 10 * delta * squares), gradient);
    return weight * 5 * (1 - 0.5 * squares) * delta * delta;
}

/// −w ln(Σ p exp(5 cos(φ − φ₀) + 5 cos(ψ − ψ₀) − 10) + 0.02) over the wells of docs/fold.md, w = 0.4.
/// For glycine, all wells have p = 1, and mirrored wells at (−φ₀, −ψ₀) are added.
double addRamachandran(const FoldProblem::Backbone& residue, std::span<const Vector> r,
                       std::span<Vector> gradient) {
    constexpr double kWells[4][3] = {{-63, -43, 1}, {-120, 135, 1}, {-68, 145, 1}, {57, 43, 0.15}};
    const double phi = dihedralAngle(residue.phi, r);
    const double psi = dihedralAngle(residue.psi, r);
    double sum = 0.02, alongPhi = 0, alongPsi = 0;
    for (const auto& [phi0, psi0, p] : kWells)
        for (const double side : {1.0, -1.0}) {
            if (side < 0 && !residue.isGlycine) continue;
            const double x = phi - side * phi0 * kDegree;
            const double y = psi - side * psi0 * kDegree;
            const double term =
                (residue.isGlycine ? 1 : p) * std::exp(5 * std::cos(x) + 5 * std::cos(y) - 10);
            sum += term;
            alongPhi += term * -5 * std::sin(x);
            alongPsi += term * -5 * std::sin(y);
        }
    addAlongAngle(residue.phi, r, -kRamachandranWeight / sum * alongPhi, gradient);
    addAlongAngle(residue.psi, r, -kRamachandranWeight / sum * alongPsi, gradient);
    return -kRamachandranWeight * std::log(sum);
}

/// w (1 + cos 3χ), w = 0.2
double addThreefold(const FourAtoms& atoms, std::span<const Vector> r, std::span<Vector> gradient) {
    const double chi = dihedralAngle(atoms, r);
    addAlongAngle(atoms, r, -kThreefoldWeight * 3 * std::sin(3 * chi), gradient);
    return kThreefoldWeight * (1 + std::cos(3 * chi));
}

class ReferenceEnergyRun final : public EnergyRun {
  public:
    ReferenceEnergyRun(const FoldProblem& problem, std::size_t models) : problem_(problem), models_(models) {}

    void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                  const EnergyWeights& weights, std::span<Energy> energies,
                  std::span<Vector> gradients) override {
        const std::size_t n = problem_.molecule->atoms.size();
        std::fill(gradients.begin(), gradients.end(), Vector{});
        for (std::size_t model = 0; model < models_; ++model)
            energies[model] = evaluateModel(positions.subspan(model * n, n), names.subspan(model * n, n),
                                            weights, gradients.subspan(model * n, n));
    }

  private:
    Energy evaluateModel(std::span<const Vector> r, std::span<const AtomIndex> name,
                         const EnergyWeights& weights, std::span<Vector> gradient) const {
        Energy energy;
        for (const DistanceRestraint& one : problem_.restraints.distances)
            energy.restraints += addRestraint(one, r, name, weights.restraints * one.weight, gradient);
        for (const DihedralRestraint& one : problem_.restraints.dihedrals)
            energy.dihedrals += addWindow(one, r, one.weight, gradient);
        const std::vector<Atom>& atoms = problem_.molecule->atoms;
        for (AtomIndex i = 0; i < atoms.size(); ++i)
            for (AtomIndex j = i + 1; j < atoms.size(); ++j) {
                if (weights.heavyAtomsOnly && (atoms[i].isHydrogen() || atoms[j].isHydrogen())) continue;
                const std::vector<AtomIndex>& near = problem_.excluded[i];
                if (std::binary_search(near.begin(), near.end(), j)) continue;
                const double contact = problem_.contact(i, j);
                energy.vanDerWaals += addRepulsion(i, j, contact, r, weights.vanDerWaals, gradient);
                if (contact >= kLeastCore)
                    energy.vanDerWaals += addRepulsion(i, j, kCoreShare * contact, r, weights.core, gradient);
            }
        for (const CovalentBound& ring : problem_.rings) {
            const double d = length(r[ring.first] - r[ring.second]);
            const Slope violation = violationOf(d, ring.lower, ring.upper);
            addAlongDistance(r, ring.first, ring.second, kRingWeight * violation.derivative, gradient);
            energy.rings += kRingWeight * violation.value;
        }
        for (const DihedralRestraint& one : problem_.ringWindows)
            energy.rings += addWindow(one, r, kWindowWeight, gradient);
        for (const FoldProblem::Backbone& one : problem_.backbones)
            energy.torsions += addRamachandran(one, r, gradient);
        for (const FourAtoms& one : problem_.threefold) energy.torsions += addThreefold(one, r, gradient);
        return energy;
    }

    const FoldProblem& problem_;
    std::size_t models_;
};

}  // namespace

std::unique_ptr<EnergyRun> makeReferenceEnergy(const FoldProblem& problem, std::size_t models) {
    return std::make_unique<ReferenceEnergyRun>(problem, models);
}

}  // namespace glycine::structure
