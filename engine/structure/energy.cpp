#include "engine/structure/energy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "engine/core/parallel.hpp"
#include "engine/structure/cpu/energy_kernel.hpp"
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

/// The wells of the Ramachandran plot. Glycine is achiral: mirror images count the same.
const Well kRamachandranWells[] = {
    {Direction(-63), Direction(-43), 1, 1}, {Direction(-120), Direction(135), 1, 1},
    {Direction(-68), Direction(145), 1, 1}, {Direction(57), Direction(43), 0.15, 1},
    {Direction(63), Direction(43), 0, 1},   {Direction(120), Direction(-135), 0, 1},
    {Direction(68), Direction(-145), 0, 1}, {Direction(-57), Direction(-43), 0, 1}};

/// Keeps each model's neighbour list until an atom has moved by half the skin.
class CpuEnergyRun final : public EnergyRun {
  public:
    CpuEnergyRun(const FoldProblem& problem, std::size_t models, int threads, InstructionSet instructions)
        : problem_(problem),
          kernel_(kernelFor<EnergyKernel>(instructions)),
          threads_(threads),
          models_(models),
          windows_(problem.restraints.dihedrals.begin(), problem.restraints.dihedrals.end()),
          ringWindows_(problem.ringWindows.begin(), problem.ringWindows.end()),
          neighbours_(problem, instructions) {
        std::map<std::vector<std::pair<AtomIndex, AtomIndex>>, std::uint32_t> known;
        for (const DistanceRestraint& one : problem.restraints.distances) {
            std::vector<std::pair<AtomIndex, AtomIndex>> own;
            for (const AtomPair& pair : one.pairs) own.push_back({pair.first, pair.second});
            const auto [sum, isNew] = known.insert({own, static_cast<std::uint32_t>(sums_.size())});
            if (isNew) {
                const std::size_t first = pairs_.size();
                pairs_.insert(pairs_.end(), one.pairs.begin(), one.pairs.end());
                sums_.push_back(
                    {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(pairs_.size())});
            }
            const double upper = one.upper * one.upper;
            const double lower = one.lower * one.lower;
            limits_.push_back({1 / (upper * upper * upper),
                               lower > 0 ? 1 / (lower * lower * lower) : HUGE_VAL, one.upper, one.lower,
                               one.weight, sum->second});
        }
    }

    void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                  const EnergyWeights& weights, std::span<Energy> energies,
                  std::span<Vector> gradients) override {
        const std::size_t n = problem_.molecule->atoms.size();
        parallelFor(threads_, models_.size(), [&](std::size_t model, std::size_t) {
            evaluateAlone(model, positions.subspan(model * n, n), names.subspan(model * n, n), weights,
                          energies[model], gradients.subspan(model * n, n));
        });
    }
    bool evaluatesAlone() const override { return true; }
    void evaluateAlone(std::size_t which, std::span<const Vector> positions, std::span<const AtomIndex> names,
                       const EnergyWeights& weights, Energy& energy, std::span<Vector> gradient) override {
        Model& model = models_[which];
        const std::size_t n = positions.size();
        model.r.resize(n);
        model.at.resize(n);
        model.gradient.assign(n, {});
        const Vector& origin = positions[n / 2];
        for (std::size_t a = 0; a < n; ++a) {
            const Vector& r = positions[a];
            model.r[a] = {{r.x, r.y, r.z, 0}};
            model.at[a] = {{static_cast<float>(r.x - origin.x), static_cast<float>(r.y - origin.y),
                            static_cast<float>(r.z - origin.z), 0}};
        }
        rename(model, names);
        NeighbourLists::Model& list = model.list;
        if (neighbours_.update(list, positions.data(), weights.heavyAtomsOnly))
            model.close.resize(list.count + 4);
        findRepulsions(model, weights);
        energy = kernel_.evaluate({viewOf(sums_),
                                   viewOf(limits_),
                                   viewOf(windows_),
                                   viewOf(ringWindows_),
                                   viewOf(problem_.rings),
                                   viewOf(problem_.backbones),
                                   {kRamachandranWells, std::size(kRamachandranWells)},
                                   viewOf(problem_.threefold)},
                                  {model.r.data(),
                                   model.gradient.data(),
                                   model.named.data(),
                                   model.square.data(),
                                   model.inverse.data(),
                                   model.sum.data(),
                                   model.distance.data(),
                                   model.at.data(),
                                   {list.pairs.data(), list.count},
                                   list.contacts.data(),
                                   list.kinds.data(),
                                   model.repulsions.data(),
                                   model.close.data()},
                                  weights.restraints);
        for (std::size_t a = 0; a < n; ++a) {
            const double* const v = model.gradient[a].v;
            gradient[a] = {v[0], v[1], v[2]};
        }
    }

  private:
    struct Model {
        NeighbourLists::Model list;
        std::vector<Quad> r, gradient;
        std::vector<SingleQuad> at;
        std::vector<AtomIndex> names;
        std::vector<AtomPair> named;
        std::vector<double> square, inverse, sum, distance;
        std::vector<Repulsion> repulsions;
        std::vector<std::uint32_t> close;
    };

    template <class Term>
    static TermList<Term> viewOf(const std::vector<Term>& terms) {
        return {terms.data(), terms.size()};
    }

    /// Gives the restraints' pairs the model's names.
    void rename(Model& model, std::span<const AtomIndex> names) const {
        if (std::equal(names.begin(), names.end(), model.names.begin(), model.names.end())) return;
        model.names.assign(names.begin(), names.end());
        model.named.clear();
        for (const AtomPair& pair : pairs_) model.named.push_back({names[pair.first], names[pair.second]});
        model.square.resize(pairs_.size());
        model.inverse.resize(pairs_.size());
        model.sum.resize(sums_.size());
        model.distance.resize(sums_.size());
    }

    void findRepulsions(Model& model, const EnergyWeights& weights) const {
        model.repulsions.clear();
        for (const double contact : neighbours_.contacts().distances) {
            const double core = kCoreShare * contact;
            const bool isHard = weights.core > 0 && contact >= kLeastCore;
            model.repulsions.push_back({contact * contact, weights.vanDerWaals / (contact * contact),
                                        isHard ? core * core : 0, isHard ? weights.core / (core * core) : 0});
        }
    }

    const FoldProblem& problem_;
    EnergyKernel kernel_;
    int threads_;
    std::vector<Model> models_;
    std::vector<DistanceSum> sums_;
    std::vector<DistanceLimits> limits_;
    std::vector<AtomPair> pairs_;  ///< of the sums
    std::vector<AngleWindow> windows_, ringWindows_;
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
        one.weight *= pull;
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
    if ((donates(one) && accepts(two)) || (accepts(one) && donates(two))) return 2.7;
    // The small radius of oxygen is meant for hydrogens of carbons.
    if ((one.element == "C" && two.element == "O") || (one.element == "O" && two.element == "C")) return 2.75;
    return kContactScale * (one.radius + two.radius);
}

std::unique_ptr<EnergyRun> makeCpuEnergy(const FoldProblem& problem, std::size_t models, int threads,
                                         InstructionSet instructions) {
    return std::make_unique<CpuEnergyRun>(problem, models, threads, instructions);
}

}  // namespace glycine::structure
