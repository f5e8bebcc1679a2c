// Vectors wider than registers stay within this file. They have 256 bits, because 512 were slower
// (docs/results/fold.md).
#pragma GCC diagnostic ignored "-Wpsabi"

#include "engine/structure/cpu/energy_kernel.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

#include "engine/structure/cpu/kernel_vectors.hpp"

namespace glycine::structure {

namespace {

using Four [[gnu::vector_size(32), gnu::may_alias]] = double;
using Lanes [[gnu::vector_size(32)]] = double;
constexpr std::size_t kLanes = 4;

const Four& four(const Quad& q) {
    return reinterpret_cast<const Four&>(q);
}
Four& four(Quad& q) {
    return reinterpret_cast<Four&>(q);
}
double squareOf(const Four& v) {
    const Four p = v * v;
    return p[0] + p[1] + p[2];
}
Lanes rootOf(const Lanes& x) {
    Lanes root;
    for (std::size_t l = 0; l < kLanes; ++l) root[l] = std::sqrt(x[l]);
    return root;
}

/// Square to 2 Å of violation, then linear.
double violation(double v, double weight, double& slope) {
    slope = weight * 2 * (2 < v ? 2 : v);
    return weight * (v <= 2 ? v * v : 4 * v - 4);
}

// Arrays by local names: what is stored in quads could change others.
void addDistances(const EnergyTerms& terms, const EnergyWork& work, double weight, double& energy) {
    const DistanceSum* const sums = terms.sums.data;
    const std::size_t count = terms.sums.size;
    const AtomPair* const named = work.named;
    const Quad* const r = work.r;
    Quad* const gradient = work.gradient;
    double* const square = work.square;
    double* const inverse = work.inverse;
    double* const total = work.sum;
    double* const distance = work.distance;
    const std::size_t pairs = count == 0 ? 0 : sums[count - 1].end;
    for (std::size_t p = 0; p < pairs; ++p)
        square[p] = squareOf(four(r[named[p].first]) - four(r[named[p].second]));
    for (std::size_t p = 0; p < pairs; ++p) {
        inverse[p] = 1 / square[p];
        square[p] = inverse[p] * inverse[p] * inverse[p];
    }
    for (std::size_t s = 0; s < count; ++s) {
        double sum = 0;
        for (std::size_t p = sums[s].first; p < sums[s].end; ++p) sum += square[p];
        total[s] = sum;
        distance[s] = 0;
    }
    double found = 0;
    for (std::size_t k = 0; k < terms.limits.size; ++k) {
        const DistanceLimits& limit = terms.limits.data[k];
        const double sum = total[limit.sum];
        if (sum >= limit.upper6 && sum <= limit.lower6) continue;
        double d = distance[limit.sum];
        if (d == 0) distance[limit.sum] = d = 1 / std::sqrt(std::cbrt(sum));
        const bool isLong = d > limit.upper;
        const double out = isLong ? d - limit.upper : limit.lower - d;
        double slope = 0;
        found += violation(out < 0 ? 0 : out, weight * limit.weight, slope);
        const double scale = (isLong ? slope : -slope) * d / sum;
        const std::size_t end = sums[limit.sum].end;
        for (std::size_t p = sums[limit.sum].first; p < end; ++p) {
            const AtomPair pair = named[p];
            const double one = inverse[p];
            const Four along = (scale * one * one * one * one) * (four(r[pair.first]) - four(r[pair.second]));
            four(gradient[pair.first]) += along;
            four(gradient[pair.second]) -= along;
        }
    }
    energy = found;
}

/// Lists pairs within reach in single precision, four at a time; beyond the end at most three.
std::size_t findClose(const TermList<AtomPair> near, const SingleQuad* positions, const float* reach,
                      std::uint32_t* close) {
    const auto at = [&](AtomIndex a) -> const FourFloats& {
        return reinterpret_cast<const FourFloats&>(positions[a]);
    };
    std::size_t count = 0;
    for (std::size_t k = 0; k < near.size; k += 4) {
        const AtomPair* const pair = near.data + k;
        FourFloats d[4];
        for (int l = 0; l < 4; ++l) {
            const FourFloats between = at(pair[l].first) - at(pair[l].second);
            d[l] = between * between;
        }
        const FourFloats xy0 = __builtin_shufflevector(d[0], d[1], 0, 4, 1, 5);
        const FourFloats xy1 = __builtin_shufflevector(d[2], d[3], 0, 4, 1, 5);
        const FourFloats z0 = __builtin_shufflevector(d[0], d[1], 2, 6, 3, 7);
        const FourFloats z1 = __builtin_shufflevector(d[2], d[3], 2, 6, 3, 7);
        const FourFloats square = __builtin_shufflevector(xy0, xy1, 0, 1, 4, 5) +
                                  __builtin_shufflevector(xy0, xy1, 2, 3, 6, 7) +
                                  __builtin_shufflevector(z0, z1, 0, 1, 4, 5);
        FourFloats within;
        std::memcpy(&within, reach + k, sizeof(within));
        count += appendPlaces(bitsOf(square < within), static_cast<std::uint32_t>(k), close + count);
    }
    return count;
}

/// (b² − d²)²/4b² within the contact distance b, and again within its core.
void addContacts(const EnergyWork& work, double& energy) {
    const std::size_t count = findClose(work.near, work.at, work.reach, work.close);
    const Quad* const r = work.r;
    Quad* const gradient = work.gradient;
    const AtomPair* const near = work.near.data;
    const std::uint32_t* const kinds = work.kinds;
    const Repulsion* const repulsions = work.repulsions;
    const std::uint32_t* const close = work.close;
    double found = 0;
    for (std::size_t c = 0; c < count; ++c) {
        const AtomPair pair = near[close[c]];
        const Repulsion repulsion = repulsions[kinds[close[c]]];
        const Four between = four(r[pair.first]) - four(r[pair.second]);
        const double square = squareOf(between);
        const double left = repulsion.square - square;
        if (left <= 0) continue;
        double slope = repulsion.scale * left;
        double one = 0.25 * repulsion.scale * left * left;
        const double within = repulsion.core - square;
        if (within > 0) {
            slope += repulsion.hard * within;
            one += 0.25 * repulsion.hard * within * within;
        }
        found += one;
        const Four along = -slope * between;
        four(gradient[pair.first]) += along;
        four(gradient[pair.second]) -= along;
    }
    energy = found;
}

/// Dihedral angles by their cosines and sines, and their gradients (A. Blondel, M. Karplus, J. Comput. Chem.
/// 17 (1996), 1132-1141).
class Dihedrals {
  public:
    /// Of atomsOf(lane); lanes from `count` on repeat the last one.
    template <class AtomsOf>
    Dihedrals(const EnergyWork& work, std::size_t count, const AtomsOf& atomsOf) : work_(work) {
        Three<Lanes> f, g, h;
        for (std::size_t l = 0; l < kLanes; ++l) {
            atoms_[l] = atomsOf(l < count ? l : count - 1).data();
            const auto at = [&](int k) { return four(work.r[atoms_[l][k]]); };
            const auto set = [&](Three<Lanes>& to, const Four& v) {
                to.x[l] = v[0];
                to.y[l] = v[1];
                to.z[l] = v[2];
            };
            set(f, at(0) - at(1));
            set(g, at(1) - at(2));
            set(h, at(3) - at(2));
        }
        a_ = crossOf(f, g);
        b_ = crossOf(h, g);
        // Collinear atoms have no dihedral angle.
        const Lanes least = Lanes{} + 1e-6;
        aa_ = dotOf(a_, a_);
        aa_ = aa_ < least ? least : aa_;
        bb_ = dotOf(b_, b_);
        bb_ = bb_ < least ? least : bb_;
        gLength_ = rootOf(dotOf(g, g));
        fg_ = dotOf(f, g);
        hg_ = dotOf(h, g);
        const Lanes scale = 1 / rootOf(aa_ * bb_);
        cosine = scale * dotOf(a_, b_);
        sine = scale / gLength_ * dotOf(crossOf(b_, a_), g);
    }

    /// slope · ∂φ/∂r at the four atoms.
    struct Gradient {
        Three<Lanes> first, shared, last;
    };
    Gradient gradient(const Lanes& slope) const {
        return {(-slope * gLength_ / aa_) * a_,
                (slope * fg_ / (aa_ * gLength_)) * a_ - (slope * hg_ / (bb_ * gLength_)) * b_,
                (slope * gLength_ / bb_) * b_};
    }
    void add(const Gradient& all, std::size_t lane) const {
        const auto of = [&](const Three<Lanes>& v) { return Four{v.x[lane], v.y[lane], v.z[lane], 0}; };
        const Four first = of(all.first);
        const Four shared = of(all.shared);
        const Four last = of(all.last);
        const auto at = [&](int k) -> Four& { return four(work_.gradient[atoms_[lane][k]]); };
        at(0) += first;
        at(1) += shared - first;
        at(2) -= shared + last;
        at(3) += last;
    }
    Lanes cosine, sine;

  private:
    const EnergyWork& work_;
    const AtomIndex* atoms_[kLanes];
    Three<Lanes> a_, b_;
    Lanes aa_, bb_, gLength_, fg_, hg_;
};

/// Calls body(first, count) for terms in groups of at most kLanes.
template <class Body>
void inLanes(std::size_t terms, const Body& body) {
    for (std::size_t first = 0; first < terms; first += kLanes)
        body(first, terms - first < kLanes ? terms - first : kLanes);
}

void addWindows(const TermList<AngleWindow>& windows, const EnergyWork& work, double commonWeight,
                double& energy) {
    inLanes(windows.size, [&](std::size_t first, std::size_t count) {
        const AngleWindow* const all = windows.data + first;
        const Dihedrals angles(
            work, count, [&](std::size_t l) -> const auto& { return all[l].atoms; });
        Lanes slope{};
        unsigned outside = 0;
        for (std::size_t l = 0; l < count; ++l) {
            const AngleWindow& one = all[l];
            const double cosine = one.centre.cosineTo(angles.cosine[l], angles.sine[l]);
            if (cosine >= one.halfCosine || one.half >= std::numbers::pi) continue;
            const double from = std::atan2(one.centre.sineTo(angles.cosine[l], angles.sine[l]), cosine);
            const double out = std::fabs(from) - one.half;
            const double delta = std::copysign(out < 0 ? 0 : out, from);
            const double free = std::numbers::pi - one.half;
            const double share = delta * delta / (free * free);
            const double weight = commonWeight * one.weight;
            slope[l] = weight * 10 * delta * (1 - share);
            energy += weight * 5 * (1 - 0.5 * share) * delta * delta;
            outside |= 1U << l;
        }
        if (outside == 0) return;
        const Dihedrals::Gradient gradient = angles.gradient(slope);
        for (std::size_t l = 0; l < count; ++l)
            if ((outside >> l & 1U) != 0) angles.add(gradient, l);
    });
}

/// Distances that close proline's ring.
void addRings(const TermList<CovalentBound>& rings, const EnergyWork& work, double& energy) {
    for (std::size_t k = 0; k < rings.size; ++k) {
        const CovalentBound& ring = rings.data[k];
        const Four between = four(work.r[ring.first]) - four(work.r[ring.second]);
        const double d = std::sqrt(squareOf(between));
        double slope = 0;
        energy += violation(std::fabs(d - ring.upper), kRingWeight, slope);
        const Four along = ((d < ring.upper ? -slope : slope) / d) * between;
        four(work.gradient[ring.first]) += along;
        four(work.gradient[ring.second]) -= along;
    }
}

/// −w ln(wells + 0.02), w = kRamachandranWeight.
void addBackbones(const EnergyTerms& terms, const EnergyWork& work, double& energy) {
    constexpr double kNarrow = 5;
    inLanes(terms.backbones.size, [&](std::size_t first, std::size_t count) {
        const FoldProblem::Backbone* const all = terms.backbones.data + first;
        const Dihedrals phi(
            work, count, [&](std::size_t l) -> const auto& { return all[l].phi; });
        const Dihedrals psi(
            work, count, [&](std::size_t l) -> const auto& { return all[l].psi; });
        Lanes alongPhi{}, alongPsi{};
        Lanes sum = Lanes{} + 0.02;
        for (std::size_t l = 0; l < count; ++l) {
            for (std::size_t w = 0; w < terms.wells.size; ++w) {
                const Well& well = terms.wells.data[w];
                const double share = all[l].isGlycine ? well.shareOfGlycine : well.share;
                if (share == 0) break;
                const double value =
                    share * std::exp(kNarrow * (well.phi.cosineTo(phi.cosine[l], phi.sine[l]) +
                                                well.psi.cosineTo(psi.cosine[l], psi.sine[l]) - 2));
                sum[l] += value;
                alongPhi[l] -= kNarrow * value * well.phi.sineTo(phi.cosine[l], phi.sine[l]);
                alongPsi[l] -= kNarrow * value * well.psi.sineTo(psi.cosine[l], psi.sine[l]);
            }
            energy += -kRamachandranWeight * std::log(sum[l]);
        }
        const Dihedrals::Gradient ofPhi = phi.gradient(-kRamachandranWeight * alongPhi / sum);
        const Dihedrals::Gradient ofPsi = psi.gradient(-kRamachandranWeight * alongPsi / sum);
        for (std::size_t l = 0; l < count; ++l) {
            phi.add(ofPhi, l);
            psi.add(ofPsi, l);
        }
    });
}

/// w (1 + cos 3χ), w = kThreefoldWeight.
void addThreefold(const TermList<std::array<AtomIndex, 4>>& all, const EnergyWork& work, double& energy) {
    inLanes(all.size, [&](std::size_t first, std::size_t count) {
        const Dihedrals angles(
            work, count, [&](std::size_t l) -> const auto& { return all.data[first + l]; });
        const Lanes& c = angles.cosine;
        const Lanes& s = angles.sine;
        const Lanes term = kThreefoldWeight * (1 + c * (4 * c * c - 3));
        const Dihedrals::Gradient gradient = angles.gradient(-3 * kThreefoldWeight * s * (3 - 4 * s * s));
        for (std::size_t l = 0; l < count; ++l) {
            energy += term[l];
            angles.add(gradient, l);
        }
    });
}

Energy evaluateModel(const EnergyTerms& terms, const EnergyWork& work, double restraintWeight) {
    Energy energy;
    addDistances(terms, work, restraintWeight, energy.restraints);
    addContacts(work, energy.vanDerWaals);
    addWindows(terms.windows, work, 1, energy.dihedrals);
    addWindows(terms.ringWindows, work, kWindowWeight, energy.rings);
    addRings(terms.rings, work, energy.rings);
    addBackbones(terms, work, energy.torsions);
    addThreefold(terms.threefold, work, energy.torsions);
    return energy;
}

}  // namespace

template <InstructionSet set>
EnergyKernel EnergyKernel::compiled() {
    return {&evaluateModel};
}

template EnergyKernel EnergyKernel::compiled<kCompiledSet>();

}  // namespace glycine::structure
