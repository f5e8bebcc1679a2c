#pragma once

#include <cmath>
#include <numbers>

#include "engine/structure/energy.hpp"

/// Each function returns a term's energy and adds its gradient to the atoms'.
namespace glycine::structure::terms {

/// Square to 2 Å of violation, then linear.
inline double violation(double v, double weight, double& slope) {
    slope = weight * 2 * std::min(v, 2.0);
    return weight * (v <= 2 ? v * v : 4 * v - 4);
}

/// The dihedral angle of four atoms, by its cosine and sine, and its gradient (A. Blondel, M. Karplus, J.
/// Comput. Chem. 17 (1996), 1132-1141).
class Dihedral {
  public:
    Dihedral(const std::array<AtomIndex, 4>& atoms, const Vector* r) : atoms_(atoms) {
        const Vector f = r[atoms[0]] - r[atoms[1]];
        const Vector g = r[atoms[1]] - r[atoms[2]];
        const Vector h = r[atoms[3]] - r[atoms[2]];
        a_ = cross(f, g);
        b_ = cross(h, g);
        // Collinear atoms have no dihedral angle.
        aa_ = std::max(dot(a_, a_), 1e-6);
        bb_ = std::max(dot(b_, b_), 1e-6);
        gLength_ = length(g);
        fg_ = dot(f, g);
        hg_ = dot(h, g);
        const double scale = 1 / std::sqrt(aa_ * bb_);
        cosine = scale * dot(a_, b_);
        sine = scale / gLength_ * dot(cross(b_, a_), g);
    }
    /// Adds slope · ∂φ/∂r.
    void addGradient(double slope, Vector* gradient) const {
        const Vector first = (-slope * gLength_ / aa_) * a_;
        const Vector last = (slope * gLength_ / bb_) * b_;
        const Vector shared = (slope * fg_ / (aa_ * gLength_)) * a_ - (slope * hg_ / (bb_ * gLength_)) * b_;
        gradient[atoms_[0]] += first;
        gradient[atoms_[1]] += shared - first;
        gradient[atoms_[2]] -= shared + last;
        gradient[atoms_[3]] += last;
    }
    double cosine, sine;

  private:
    const std::array<AtomIndex, 4>& atoms_;
    Vector a_, b_;
    double aa_, bb_, gLength_, fg_, hg_;
};

/// A direction on the circle; yields differences of angles without computing the angles.
struct Direction {
    explicit Direction(double degrees)
        : cosine(std::cos(degrees * kDegree)), sine(std::sin(degrees * kDegree)) {}
    double cosine, sine;
    /// Cosine and sine of the angle relative to this direction.
    double cosineTo(const Dihedral& angle) const { return angle.cosine * cosine + angle.sine * sine; }
    double sineTo(const Dihedral& angle) const { return angle.sine * cosine - angle.cosine * sine; }
};

/// A window of angles, prepared for its term.
struct Window {
    explicit Window(const DihedralRestraint& one)
        : atoms(one.atoms),
          half(0.5 * kDegree * windowWidth(one.lower, one.upper)),
          centre(one.lower + half / kDegree),
          weight(one.weight) {}
    std::array<AtomIndex, 4> atoms;
    double half;  ///< rad
    Direction centre;
    double weight;
    double halfCosine = std::cos(half);
};

inline double window(const Window& one, const Vector* r, double weight, Vector* gradient) {
    const Dihedral angle(one.atoms, r);
    const double cosine = one.centre.cosineTo(angle);
    if (cosine >= one.halfCosine || one.half >= std::numbers::pi) return 0;
    const double from = std::atan2(one.centre.sineTo(angle), cosine);
    const double delta = std::copysign(std::max(std::abs(from) - one.half, 0.0), from);
    const double free = std::numbers::pi - one.half;
    const double share = delta * delta / (free * free);
    weight *= one.weight;
    angle.addGradient(weight * 10 * delta * (1 - share), gradient);
    return weight * 5 * (1 - 0.5 * share) * delta * delta;
}

/// −w ln(four wells + 0.02), w = kRamachandranWeight.
inline double ramachandran(const FoldProblem::Backbone& one, const Vector* r, Vector* gradient) {
    struct Well {
        Direction phi, psi;
        double share, shareOfGlycine;
    };
    // Glycine is achiral: mirror images count the same.
    static const Well kWells[] = {
        {Direction(-63), Direction(-43), 1, 1}, {Direction(-120), Direction(135), 1, 1},
        {Direction(-68), Direction(145), 1, 1}, {Direction(57), Direction(43), 0.15, 1},
        {Direction(63), Direction(43), 0, 1},   {Direction(120), Direction(-135), 0, 1},
        {Direction(68), Direction(-145), 0, 1}, {Direction(-57), Direction(-43), 0, 1}};
    constexpr double kNarrow = 5;
    const Dihedral phi(one.phi, r);
    const Dihedral psi(one.psi, r);
    double sum = 0.02;
    double alongPhi = 0;
    double alongPsi = 0;
    for (const Well& well : kWells) {
        const double share = one.isGlycine ? well.shareOfGlycine : well.share;
        if (share == 0) break;
        const double value =
            share * std::exp(kNarrow * (well.phi.cosineTo(phi) + well.psi.cosineTo(psi) - 2));
        sum += value;
        alongPhi -= kNarrow * value * well.phi.sineTo(phi);
        alongPsi -= kNarrow * value * well.psi.sineTo(psi);
    }
    phi.addGradient(-kRamachandranWeight * alongPhi / sum, gradient);
    psi.addGradient(-kRamachandranWeight * alongPsi / sum, gradient);
    return -kRamachandranWeight * std::log(sum);
}

/// w (1 + cos 3χ), w = kThreefoldWeight.
inline double threefold(const std::array<AtomIndex, 4>& atoms, const Vector* r, Vector* gradient) {
    const Dihedral angle(atoms, r);
    const double c = angle.cosine;
    const double s = angle.sine;
    angle.addGradient(-3 * kThreefoldWeight * s * (3 - 4 * s * s), gradient);
    return kThreefoldWeight * (1 + c * (4 * c * c - 3));
}

/// (b² − d²)²/4b² within the contact distance b, and again within its core; `square`: d².
inline double repulsion(AtomIndex i, AtomIndex j, const Vector& between, double square, double contact,
                        const EnergyWeights& weights, Vector* gradient) {
    const double left = contact * contact - square;
    if (left <= 0) return 0;
    const double scale = weights.vanDerWaals / (contact * contact);
    double slope = scale * left;
    double energy = 0.25 * scale * left * left;
    const double core = kCoreShare * contact;
    const double within = core * core - square;
    if (weights.core > 0 && within > 0 && contact >= kLeastCore) {
        const double hard = weights.core / (core * core);
        slope += hard * within;
        energy += 0.25 * hard * within * within;
    }
    const Vector along = -slope * between;
    gradient[i] += along;
    gradient[j] -= along;
    return energy;
}

}  // namespace glycine::structure::terms
