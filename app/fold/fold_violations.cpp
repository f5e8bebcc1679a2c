#include "app/fold/fold_violations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/io/text/text_output.hpp"

namespace glycine::structure {

ModelViolations listViolations(const FoldProblem& problem, const FoldedModel& model) {
    const Molecule& molecule = *problem.molecule;
    ModelViolations all;
    for (const RestraintViolation& found : violations(problem, model, kListedDistance)) {
        const DistanceRestraint& one = problem.restraints.distances[found.restraint];
        const auto distanceOf = [&](const AtomPair& pair) {
            return length(model.positions[model.names[pair.first]] -
                          model.positions[model.names[pair.second]]);
        };
        const AtomPair closest = *std::min_element(
            one.pairs.begin(), one.pairs.end(),
            [&](const AtomPair& a, const AtomPair& b) { return distanceOf(a) < distanceOf(b); });
        all.push_back({false, one.id, one.line,
                       fmt::format("{} - {}", molecule.label(model.names[closest.first]),
                                   molecule.label(model.names[closest.second])),
                       one.pairs.size(), one.lower, one.upper, found.distance, found.violation});
    }
    for (const AngleViolation& found : angleViolations(problem, model, kListedAngle)) {
        const DihedralRestraint& one = problem.restraints.dihedrals[found.restraint];
        std::string atoms;
        for (const AtomIndex a : one.atoms) atoms += (atoms.empty() ? "" : " - ") + molecule.label(a);
        all.push_back({true, one.id, one.line, std::move(atoms), 1, one.lower, one.upper, found.angle,
                       found.violation});
    }
    return all;
}

std::string describe(const ViolatedRestraint& one) {
    return fmt::format("{}{}: {} by {:.2f} {}", one.id,
                       one.line > 0 ? fmt::format(" (line {})", one.line) : "", one.atoms, one.violation,
                       one.isAngle ? "°" : "Å");
}

Json toJson(const ViolatedRestraint& one) {
    return {{"kind", one.isAngle ? "angle" : "distance"},
            {"restraint", one.id},
            {"line", one.line},
            {"atoms", one.atoms},
            {"pairs", one.pairs},
            {"lower", one.lower},
            {"upper", one.upper},
            {"value", one.value},
            {"violation", one.violation}};
}

void writeViolations(const std::filesystem::path& tsv, std::span<const ModelViolations> models) {
    io::BufferedText table(tsv);
    table.text() = "model\tkind\trestraint\tline\tatoms\tpairs\tlower\tupper\tvalue\tviolation";
    table.endLine();
    for (std::size_t m = 0; m < models.size(); ++m)
        for (const ViolatedRestraint& one : models[m]) {
            fmt::format_to(std::back_inserter(table.text()), "{}\t{}\t", m + 1,
                           one.isAngle ? "angle" : "distance");
            io::appendTsvField(table.text(), one.id);
            fmt::format_to(std::back_inserter(table.text()), "\t{}\t{}\t{}\t{:.6g}\t{:.6g}\t{:.4f}\t{:.4f}",
                           one.line, one.atoms, one.pairs, one.lower, one.upper, one.value, one.violation);
            table.endLine();
        }
    table.commit();
}

}  // namespace glycine::structure
