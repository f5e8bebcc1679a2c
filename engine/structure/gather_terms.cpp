#include "engine/structure/gather_terms.hpp"

#include <cmath>
#include <limits>

#include "engine/structure/energy.hpp"

namespace glycine::structure {

namespace {

/// Sorts the entries that `each(key, entry)` receives into `entries` by ascending key.
template <class ForEach>
void sortByKey(std::size_t keys, std::vector<std::uint32_t>& first, std::vector<GatherPair>& entries,
               const ForEach& forEach) {
    first.assign(keys + 1, 0);
    forEach([&](std::size_t key, GatherPair) { ++first[key + 1]; });
    for (std::size_t key = 0; key < keys; ++key) first[key + 1] += first[key];
    entries.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    forEach([&](std::size_t key, GatherPair entry) { entries[next[key]++] = entry; });
}

}  // namespace

GatherTerms::GatherTerms(const FoldProblem& problem)
    : atoms(static_cast<std::uint32_t>(problem.molecule->atoms.size())) {
    // Not every device computes with infinity (0⁻⁶).
    constexpr double kNoLimit = std::numeric_limits<float>::max();
    const auto inverse6 = [&](double d) { return d > 0 ? std::min(std::pow(d, -6), kNoLimit) : kNoLimit; };
    const auto addDistance = [&](double lower, double upper, double weight, const auto& ofPairs) {
        GatherDistance one{inverse6(upper),
                           inverse6(lower),
                           std::min(upper, kNoLimit),
                           lower,
                           weight,
                           static_cast<std::uint32_t>(pairs.size()),
                           0};
        for (const GatherPair& pair : ofPairs) pairs.push_back(pair);
        one.end = static_cast<std::uint32_t>(pairs.size());
        distances.push_back(one);
    };
    for (const DistanceRestraint& one : problem.restraints.distances) {
        std::vector<GatherPair> own;
        for (const AtomPair& pair : one.pairs) own.push_back({pair.first, pair.second});
        addDistance(one.lower, one.upper, one.weight, own);
    }
    restraints = static_cast<std::uint32_t>(distances.size());
    for (const CovalentBound& ring : problem.rings)
        addDistance(ring.lower, ring.upper, kRingWeight,
                    std::vector<GatherPair>{{ring.first + atoms, ring.second + atoms}});
    sortByKey(2 * std::size_t{atoms}, firstOfAlias, ofAlias, [&](const auto& add) {
        for (std::uint32_t k = 0; k < distances.size(); ++k)
            for (std::uint32_t p = distances[k].first; p < distances[k].end; ++p) {
                add(pairs[p].first, {k, pairs[p].second});
                add(pairs[p].second, {k, pairs[p].first});
            }
    });

    const auto addWindow = [&](const DihedralRestraint& one, double weight) {
        const double width = windowWidth(one.lower, one.upper);
        dihedrals.push_back({DihedralKind::Window,
                             0,
                             {one.atoms[0], one.atoms[1], one.atoms[2], one.atoms[3]},
                             {},
                             kDegree * std::remainder(one.lower + 0.5 * width, 360.0),
                             kDegree * 0.5 * width,
                             weight});
    };
    const auto add = [&](DihedralKind kind, bool isGlycine, const std::array<AtomIndex, 4>& own,
                         const std::array<AtomIndex, 4>& partner, double weight) {
        dihedrals.push_back({kind,
                             isGlycine ? 1U : 0U,
                             {own[0], own[1], own[2], own[3]},
                             {partner[0], partner[1], partner[2], partner[3]},
                             0,
                             0,
                             weight});
    };
    for (const DihedralRestraint& one : problem.restraints.dihedrals) addWindow(one, one.weight);
    windows = static_cast<std::uint32_t>(dihedrals.size());
    for (const DihedralRestraint& one : problem.ringWindows) addWindow(one, kWindowWeight);
    ringWindows = static_cast<std::uint32_t>(dihedrals.size());
    for (const FoldProblem::Backbone& one : problem.backbones) {
        add(DihedralKind::Phi, one.isGlycine, one.phi, one.psi, kRamachandranWeight);
        add(DihedralKind::Psi, one.isGlycine, one.psi, one.phi, kRamachandranWeight);
    }
    for (const auto& one : problem.threefold) add(DihedralKind::Threefold, false, one, {}, kThreefoldWeight);
    sortByKey(atoms, firstOfAtom, ofAtom, [&](const auto& addEntry) {
        for (std::uint32_t d = 0; d < dihedrals.size(); ++d)
            for (std::uint32_t place = 0; place < 4; ++place)
                addEntry(dihedrals[d].atoms[place], GatherPair{d, place});
    });
}

}  // namespace glycine::structure
