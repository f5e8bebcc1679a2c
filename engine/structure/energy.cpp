#include "engine/structure/energy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/parallel.hpp"
#include "engine/structure/energy_terms.hpp"
#include "engine/structure/neighbours.hpp"

namespace glycine::structure {

namespace {

constexpr double kDisulfideWeight = 3;
constexpr double kPhiWeight = 0.5;
constexpr double kPulledTo = 0.8;
constexpr double kNearestPulled = 2.6;  // Å
constexpr double kFarthestPulled = 8;
/// Multiplies the sum of two radii, which is too small for models that restraints pull together.
constexpr double kContactScale = 1.06;

/// Terms of dihedral angles and rings, few compared with pairs.
class SmallTerms {
  public:
    explicit SmallTerms(const FoldProblem& problem)
        : problem_(problem),
          windows_(problem.restraints.dihedrals.begin(), problem.restraints.dihedrals.end()),
          ringWindows_(problem.ringWindows.begin(), problem.ringWindows.end()) {}

    void add(const Vector* r, Energy& energy, Vector* gradient) const {
        for (const terms::Window& one : windows_) energy.dihedrals += terms::window(one, r, 1, gradient);
        for (const terms::Window& one : ringWindows_)
            energy.rings += terms::window(one, r, kWindowWeight, gradient);
        for (const CovalentBound& ring : problem_.rings) {
            const Vector between = r[ring.first] - r[ring.second];
            const double d = length(between);
            double slope = 0;
            energy.rings += terms::violation(std::abs(d - ring.upper), kRingWeight, slope);
            const Vector along = ((d < ring.upper ? -slope : slope) / d) * between;
            gradient[ring.first] += along;
            gradient[ring.second] -= along;
        }
        for (const FoldProblem::Backbone& one : problem_.backbones)
            energy.torsions += terms::ramachandran(one, r, gradient);
        for (const auto& atoms : problem_.threefold) energy.torsions += terms::threefold(atoms, r, gradient);
    }

  private:
    const FoldProblem& problem_;
    std::vector<terms::Window> windows_, ringWindows_;
};

/// Keeps each model's neighbour list until an atom has moved by half the skin.
class CpuEnergyRun final : public EnergyRun {
  public:
    CpuEnergyRun(const FoldProblem& problem, std::size_t models, int threads)
        : problem_(problem), small_(problem), threads_(threads), models_(models), neighbours_(problem) {
        for (const DistanceRestraint& one : problem.restraints.distances) {
            const double upper = one.upper * one.upper;
            const double lower = one.lower * one.lower;
            limits_.push_back({1 / (upper * upper * upper),
                               lower > 0 ? 1 / (lower * lower * lower) : HUGE_VAL, one.upper, one.lower,
                               one.weight, pairs_.size()});
            pairs_.insert(pairs_.end(), one.pairs.begin(), one.pairs.end());
        }
        limits_.push_back({0, 0, 0, 0, 0, pairs_.size()});
    }

    void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                  const EnergyWeights& weights, std::span<Energy> energies,
                  std::span<Vector> gradients) override {
        const std::size_t n = problem_.molecule->atoms.size();
        parallelFor(threads_, models_.size(), [&](std::size_t model, std::size_t) {
            evaluateModel(models_[model], positions.subspan(model * n, n).data(),
                          names.subspan(model * n, n).data(), weights, energies[model],
                          gradients.subspan(model * n, n));
        });
    }

  private:
    struct Limit {
        double upper6, lower6, upper, lower, weight;
        std::size_t first;  ///< in pairs_
    };
    struct Model {
        NeighbourLists::Model list;
        std::vector<std::uint32_t> close;  ///< places in the list of pairs in contact
    };

    void evaluateModel(Model& model, const Vector* r, const AtomIndex* name, const EnergyWeights& weights,
                       Energy& energy, std::span<Vector> gradients) const {
        Vector* gradient = gradients.data();
        std::fill(gradients.begin(), gradients.end(), Vector{});
        energy = {};
        for (std::size_t k = 0; k + 1 < limits_.size(); ++k) {
            const Limit& limit = limits_[k];
            const std::size_t end = limits_[k + 1].first;
            double sum = 0;
            for (std::size_t p = limit.first; p < end; ++p) {
                const Vector between = r[name[pairs_[p].first]] - r[name[pairs_[p].second]];
                const double inverse = 1 / dot(between, between);
                sum += inverse * inverse * inverse;
            }
            if (sum >= limit.upper6 && sum <= limit.lower6) continue;
            const double d = 1 / std::sqrt(std::cbrt(sum));
            const bool isLong = d > limit.upper;
            double slope = 0;
            energy.restraints += terms::violation(std::max(isLong ? d - limit.upper : limit.lower - d, 0.0),
                                                  weights.restraints * limit.weight, slope);
            const double scale = (isLong ? slope : -slope) * d / sum;
            for (std::size_t p = limit.first; p < end; ++p) {
                const AtomIndex i = name[pairs_[p].first];
                const AtomIndex j = name[pairs_[p].second];
                const Vector between = r[i] - r[j];
                const double inverse = 1 / dot(between, between);
                const Vector along = (scale * inverse * inverse * inverse * inverse) * between;
                gradient[i] += along;
                gradient[j] -= along;
            }
        }
        const std::vector<NeighbourLists::Pair>& list = model.list.pairs;
        if (neighbours_.update(model.list, r, weights.heavyAtomsOnly)) model.close.resize(list.size());
        // Few pairs are in contact: a first loop without branches finds them.
        std::size_t close = 0;
        for (std::uint32_t k = 0; k < list.size(); ++k) {
            const NeighbourLists::Pair& one = list[k];
            const Vector between = r[one.i] - r[one.j];
            model.close[close] = k;
            close += dot(between, between) < one.contact * one.contact ? 1 : 0;
        }
        for (std::size_t k = 0; k < close; ++k) {
            const NeighbourLists::Pair& one = list[model.close[k]];
            const Vector between = r[one.i] - r[one.j];
            energy.vanDerWaals += terms::repulsion(one.i, one.j, between, dot(between, between), one.contact,
                                                   weights, gradient);
        }
        small_.add(r, energy, gradient);
    }

    const FoldProblem& problem_;
    SmallTerms small_;
    int threads_;
    std::vector<Model> models_;
    std::vector<Limit> limits_;
    std::vector<AtomPair> pairs_;
    NeighbourLists neighbours_;
};

}  // namespace

double effectiveDistance(const DistanceRestraint& restraint, std::span<const Vector> positions,
                         std::span<const AtomIndex> names) {
    double sum = 0;
    for (const AtomPair& pair : restraint.pairs)
        sum += std::pow(length(positions[names[pair.first]] - positions[names[pair.second]]), -6);
    return std::pow(sum, -1.0 / 6);
}

double windowWidth(double lower, double upper) {
    if (upper - lower >= 360) return 360;
    const double width = std::fmod(upper - lower, 360);
    return width < 0 ? width + 360 : width;
}

double outsideWindow(double angle, double lower, double upper) {
    const double width = windowWidth(lower, upper);
    double from = std::fmod(angle - (lower + 0.5 * width), 360);
    if (from > 180) from -= 360;
    if (from < -180) from += 360;
    const double out = std::abs(from) - 0.5 * width;
    return out <= 0 ? 0 : std::copysign(out, from);
}

FoldProblem::FoldProblem(const Molecule& m, const RestraintSet& set, double pull)
    : molecule(&m), restraints(set), excluded(m.nearAtoms()) {
    const auto bonded = [&](AtomIndex a, AtomIndex b) {
        return std::any_of(m.bonds.begin(), m.bonds.end(), [&](const auto& bond) {
            return (bond[0] == a && bond[1] == b) || (bond[0] == b && bond[1] == a);
        });
    };
    for (const CovalentBound& bound : m.covalentBounds())
        for (const auto& [cg, cd] : m.ringClosures) {
            const bool across = (bound.first == cg && bonded(bound.second, cd)) ||
                                (bound.second == cg && bonded(bound.first, cd)) ||
                                (bound.first == cd && bonded(bound.second, cg)) ||
                                (bound.second == cd && bonded(bound.first, cg)) ||
                                (bound.first == std::min(cg, cd) && bound.second == std::max(cg, cd));
            if (!across || bound.upper - bound.lower > 0.07) continue;
            const double target = 0.5 * (bound.lower + bound.upper);
            // A disulfide closes a ring of any size, so that folding has to find it like a restraint.
            if (m.atoms[cg].element == "S")
                restraints.distances.push_back({{{bound.first, bound.second}},
                                                target - 0.05,
                                                target + 0.05,
                                                kDisulfideWeight,
                                                "disulfide",
                                                0});
            else
                rings.push_back({bound.first, bound.second, target, target});
        }
    stated = restraints.distances.size();
    statedDihedrals = restraints.dihedrals.size();
    for (std::size_t k = 0; pull > 0 && k < stated; ++k) {
        DistanceRestraint one = restraints.distances[k];
        const double limit = kPulledTo * one.upper;
        if (one.upper < kNearestPulled || one.upper > kFarthestPulled || one.lower > limit) continue;
        one.lower = 0;
        one.upper = limit;
        one.weight = pull;
        restraints.distances.push_back(std::move(one));
    }
    std::vector<const Torsion*> phi(m.residues.size());
    std::vector<const Torsion*> psi(m.residues.size());
    for (const Torsion& torsion : m.torsions) {
        if (torsion.kind == TorsionKind::Phi) phi[torsion.residue] = &torsion;
        if (torsion.kind == TorsionKind::Psi) psi[torsion.residue] = &torsion;
        if (torsion.isThreefold) threefold.push_back(torsion.atoms);
        const std::string& name = m.residues[torsion.residue].name;
        const auto isStated = [&](const DihedralRestraint& one) { return one.atoms == torsion.atoms; };
        if (torsion.kind == TorsionKind::Phi && name != "PRO" && name != "GLY" && name != "ASN" &&
            name != "ASP" && std::none_of(set.dihedrals.begin(), set.dihedrals.end(), isStated))
            restraints.dihedrals.push_back({torsion.atoms, -165, -45, kPhiWeight, "", 0});
        if (name != "PRO") continue;
        if (torsion.kind == TorsionKind::Phi) ringWindows.push_back({torsion.atoms, -90, -40, 1, "", 0});
        // The torsion that turns a chain's terminal oxygens is not of the ring.
        const bool isOfRing =
            m.atoms[torsion.atoms[3]].name == "CG" || m.atoms[torsion.atoms[3]].name == "CD";
        if (torsion.kind == TorsionKind::Chi && isOfRing)
            ringWindows.push_back({torsion.atoms, -35, 35, 1, "", 0});
    }
    for (std::size_t r = 0; r < m.residues.size(); ++r)
        if (phi[r] && psi[r])
            backbones.push_back({phi[r]->atoms, psi[r]->atoms, m.residues[r].name == "GLY"});
}

double FoldProblem::contact(AtomIndex a, AtomIndex b) const {
    const Atom& one = molecule->atoms[a];
    const Atom& two = molecule->atoms[b];
    const auto accepts = [](const Atom& atom) {
        return atom.kind == AtomClass::Acceptor || atom.kind == AtomClass::DonorAndAcceptor;
    };
    const auto donates = [](const Atom& atom) {
        return atom.kind == AtomClass::Donor || atom.kind == AtomClass::DonorAndAcceptor;
    };
    const auto isPolarHydrogen = [](const Atom& atom) { return atom.kind == AtomClass::PolarHydrogen; };
    if ((isPolarHydrogen(one) && accepts(two)) || (accepts(one) && isPolarHydrogen(two))) return 1.8;
    if (one.element == "O" && two.element == "O") return 2.8;
    if ((donates(one) && accepts(two)) || (accepts(one) && donates(two))) return 2.6;
    // The small radius of oxygen is meant for hydrogens of carbons.
    if ((one.element == "C" && two.element == "O") || (one.element == "O" && two.element == "C")) return 2.75;
    return kContactScale * (one.radius + two.radius);
}

std::unique_ptr<EnergyRun> makeCpuEnergy(const FoldProblem& problem, std::size_t models, int threads) {
    return std::make_unique<CpuEnergyRun>(problem, models, threads);
}

}  // namespace glycine::structure
