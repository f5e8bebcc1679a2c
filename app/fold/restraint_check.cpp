#include "app/fold/restraint_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "app/bounds/bounds_report.hpp"
#include "app/bounds/recount_bounds.hpp"
#include "engine/bounds/input/run_input.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::structure {

namespace {

/// Distances between two single atoms whose upper limit exceeds the smoothed bound.
std::size_t countImplied(const RestraintSet& restraints, const bounds::OwnedBounds<float>& smoothed) {
    constexpr double kRounding = 1e-3;  // Å
    std::set<AtomIndex> exchanged;
    for (const SwappableGroup& group : restraints.swappable)
        for (const AtomPair& pair : group.exchanged) exchanged.insert({pair.first, pair.second});
    return static_cast<std::size_t>(std::count_if(
        restraints.distances.begin(), restraints.distances.end(), [&](const DistanceRestraint& one) {
            if (one.pairs.size() != 1 || std::isinf(one.upper)) return false;
            const auto& [first, second] = one.pairs[0];
            return !exchanged.contains(first) && !exchanged.contains(second) &&
                   one.upper > smoothed.upper(first, second) + kRounding;
        }));
}

}  // namespace

bool RestraintCheck::isRefused(double tolerance) const {
    return std::any_of(contradictions.begin(), contradictions.end(), [&](const bounds::Contradiction& one) {
        bool isStated = sources.isStated(one.p, one.q, false);
        for (std::size_t step = 0; step < one.upperInputs.size(); ++step)
            isStated = isStated || sources.isStated(one.upperPath[step], one.upperPath[step + 1], true);
        return isStated && one.lowerInput - one.upperSum > tolerance;
    });
}

std::string RestraintCheck::describeContradictions() const {
    constexpr std::size_t kShown = 3;
    std::string text = bounds::describeGroups(contradictions, inconsistentPairs, kShown) + ":\n";
    for (std::size_t group = 0; group < std::min(kShown, contradictions.size()); ++group)
        text += "\n" + bounds::describeContradiction(contradictions[group], atomNames, source());
    return text;
}

std::string RestraintCheck::summary() const {
    return fmt::format(
        "smoothed on {} ({}) in {}: {}; {} of {} known before; {} imply no more than others", backend,
        variant, formatSeconds(seconds),
        inconsistentPairs == 0 ? "consistent" : formatCount(inconsistentPairs, "inconsistent pair"),
        formatCount(known), formatCount(pairs, "pair"), formatCount(implied, "distance"));
}

Json RestraintCheck::json() const {
    Json json{{"backend", backend},
              {"variant", variant},
              {"seconds", seconds},
              {"pairs", pairs},
              {"knownPairs", known},
              {"inconsistentPairs", inconsistentPairs},
              {"impliedDistances", implied},
              {"contradictions",
               jsonArray(contradictions, [this](const auto& one) { return bounds::toJson(one, source()); })}};
    if (!contradictions.empty()) json["atomNames"] = atomNames;
    if (recount) json["recount"] = toJson(*recount);
    if (pairRecount) json["pairRecount"] = toJson(*pairRecount);
    return json;
}

RestraintCheck checkRestraints(Backend& backend, const BackendRequest& request, const Molecule& molecule,
                               const RestraintSet& restraints, TimeLine& times, Progress& progress) {
    bounds::RestraintBoundsOptions options;
    bounds::requireSmoothingMemory("the molecule", options, molecule.atoms.size());
    bounds::RestraintBounds made = bounds::boundsOfMolecule(molecule, restraints, options);
    const bounds::AnyBoundMatrices matrices = made.set.matrices();
    const bounds::SmoothingRequest smoothing{bounds::Variant::Default, options.format, molecule.atoms.size(),
                                             options.rounding,
                                             [&] { return bounds::smallestBound(matrices); }};
    requireSupport(bounds::supportsRequest(backend, smoothing));
    bounds::RunInput input(bounds::cloneBounds(matrices));
    times.end("prepare");
    bounds::SmoothingOptions how;
    how.maxListedViolations = std::numeric_limits<std::size_t>::max();
    const bounds::SmoothingReport report = bounds::smooth(backend, matrices, how, progress);
    const bounds::SmoothingTimes& stages = report.times;
    RestraintCheck check;
    check.seconds = times.divide({{"upload", stages.upload},
                                  {"upper", stages.upper},
                                  {"lower", stages.lower},
                                  {"download", stages.download},
                                  {"check", report.checkSeconds}});
    std::tie(check.recount, check.pairRecount) =
        bounds::recountBounds(backend, request, input, matrices, report, check.seconds);
    times.end("recount");
    check.backend = report.backend;
    check.variant = report.variant;
    check.pairs = molecule.atoms.size() * (molecule.atoms.size() - 1) / 2;
    check.known = made.set.knownPairs;
    check.inconsistentPairs = report.violationCount;
    check.implied = countImplied(restraints, std::get<bounds::OwnedBounds<float>>(made.set.bounds));
    if (report.violationCount > 0)
        check.contradictions = bounds::explainViolations(input.whole(), report.violations, progress);
    check.sources = std::move(made.report->sources);
    check.atomNames = std::move(made.set.atomNames);
    times.end("explain");
    return check;
}

}  // namespace glycine::structure
