#pragma once

#include <cmath>
#include <numbers>
#include <span>

#include "engine/structure/energy.hpp"

/// One term each, with its gradient added to the atoms'. All return the energy.
namespace glycine::structure::terms {

/// Square to 2 Å of violation, then linear.
inline double violation(double v, double weight, double& slope) {
    slope = weight * 2 * std::min(v, 2.0);
    return weight * (v <= 2 ? v * v : 4 * v - 4);
}

/// Adds slope · ∂φ/∂r (A. Blondel, M. Karplus, J. Comput. Chem. 17 (1996), 1132-1141).
inline void addDihedralGradient(const std::array<AtomIndex, 4>& atoms, const Vector* r, double slope,
                                Vector* gradient) {
    const Vector f = r[atoms[0]] - r[atoms[1]];
    const Vector g = r[atoms[1]] - r[atoms[2]];
    const Vector h = r[atoms[3]] - r[atoms[2]];
    const Vector a = cross(f, g);
    const Vector b = cross(h, g);
    const double gLength = length(g);
    // Atoms in line have no dihedral angle.
    const double aa = std::max(dot(a, a), 1e-6);
    const double bb = std::max(dot(b, b), 1e-6);
    const Vector first = (-slope * gLength / aa) * a;
    const Vector last = (slope * gLength / bb) * b;
    const Vector shared = (slope * dot(f, g) / (aa * gLength)) * a - (slope * dot(h, g) / (bb * gLength)) * b;
    gradient[atoms[0]] += first;
    gradient[atoms[1]] += shared - first;
    gradient[atoms[2]] -= shared + last;
    gradient[atoms[3]] += last;
}

inline double dihedralOf(const std::array<AtomIndex, 4>& atoms, const Vector* r) {
    return dihedralAngle(r[atoms[0]], r[atoms[1]], r[atoms[2]], r[atoms[3]]);
}

inline double window(const DihedralRestraint& one, const Vector* r, double weight, Vector* gradient) {
    const double delta = kDegree * outsideWindow(dihedralOf(one.atoms, r) / kDegree, one.lower, one.upper);
    if (delta == 0) return 0;
    double width = std::fmod(one.upper - one.lower, 360);
    if (width < 0) width += 360;
    const double free = std::numbers::pi - 0.5 * width * kDegree;
    const double share = delta * delta / (free * free);
    addDihedralGradient(one.atoms, r, weight * 10 * delta * (1 - share), gradient);
    return weight * 5 * (1 - 0.5 * share) * delta * delta;
}

/// −0.3 ln(four wells + 0.02).
inline double ramachandran(const FoldProblem::Backbone& one, const Vector* r, Vector* gradient) {
    struct Well {
        double phi, psi, share;
    };
    constexpr Well kWells[] = {{-63, -43, 1}, {-120, 135, 1}, {-68, 145, 1}, {57, 43, 0.15}};
    constexpr double kNarrow = 5;
    const double phi = dihedralOf(one.phi, r);
    const double psi = dihedralOf(one.psi, r);
    double sum = 0.02;
    double alongPhi = 0;
    double alongPsi = 0;
    const auto add = [&](double phi0, double psi0, double share) {
        const double x = phi - phi0 * kDegree;
        const double y = psi - psi0 * kDegree;
        const double value = share * std::exp(kNarrow * (std::cos(x) + std::cos(y) - 2));
        sum += value;
        alongPhi -= kNarrow * value * std::sin(x);
        alongPsi -= kNarrow * value * std::sin(y);
    };
    for (const Well& well : kWells) {
        add(well.phi, well.psi, one.isGlycine ? 1 : well.share);
        // Glycine has no side.
        if (one.isGlycine) add(-well.phi, -well.psi, 1);
    }
    addDihedralGradient(one.phi, r, -0.3 * alongPhi / sum, gradient);
    addDihedralGradient(one.psi, r, -0.3 * alongPsi / sum, gradient);
    return -0.3 * std::log(sum);
}

/// 0.2 (1 + cos 3χ)
inline double threefold(const std::array<AtomIndex, 4>& atoms, const Vector* r, Vector* gradient) {
    const double angle = dihedralOf(atoms, r);
    addDihedralGradient(atoms, r, -0.6 * std::sin(3 * angle), gradient);
    return 0.2 * (1 + std::cos(3 * angle));
}

/// (b² − d²)²/4b² within the contact distance b; `square`: d².
inline double repulsion(AtomIndex i, AtomIndex j, const Vector& between, double square, double contact,
                        double weight, Vector* gradient) {
    const double left = contact * contact - square;
    if (left <= 0) return 0;
    const double scale = weight / (contact * contact);
    const Vector along = (-scale * left) * between;
    gradient[i] += along;
    gradient[j] -= along;
    return 0.25 * scale * left * left;
}

}  // namespace glycine::structure::terms
