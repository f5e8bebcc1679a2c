#include "app/fold/fold_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/command/text_table.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::structure {

namespace {

struct Summary {
    double mean = 0, least = 0, most = 0;
};
Summary summarise(const std::vector<double>& values, std::size_t count) {
    Summary result{0, values[0], values[0]};
    for (std::size_t k = 0; k < count; ++k) {
        result.mean += values[k] / static_cast<double>(count);
        result.least = std::min(result.least, values[k]);
        result.most = std::max(result.most, values[k]);
    }
    return result;
}

}  // namespace

void RunReport::print(std::ostream& out) const {
    Fields fields;
    fields.emplace_back("Input", input);
    fields.emplace_back("Molecule",
                        fmt::format("{}, {}", formatCount(residues, "residue"), formatCount(atoms, "atom")));
    fields.emplace_back(
        "Restraints",
        fmt::format("{}, {}; {} whose names may be exchanged", formatCount(distances, "distance"),
                    formatCount(dihedrals, "dihedral angle"), formatCount(swappable, "pair")));
    for (const std::string& warning : warnings) fields.emplace_back("Warning", warning);
    fields.emplace_back("Bounds", check.summary());
    if (!check.contradictions.empty()) fields.emplace_back("Contradict", check.describeContradictions());
    for (const std::string& one : cis) fields.emplace_back("Cis", one);
    for (const std::string& one : disulfides) fields.emplace_back("Disulfide", one);
    addDeviceFields(fields, *this, variant);
    addTimeField(fields, *this);
    addRecountField(fields, recount);
    addRecountField(fields, check.recount);
    addRecountField(fields, check.pairRecount);
    fields.emplace_back(
        "Converged",
        fmt::format(
            "{} of {} (rms violation at most {} Å){}", converged(), formatCount(qualities.size(), "model"),
            ModelQuality::kConvergedRms,
            startedAgain == 0 ? "" : fmt::format("; {} started again", formatCount(startedAgain, "model"))));
    fields.emplace_back(
        "Ordered",
        fmt::format("{}: {}",
                    orderedCount == 0 ? "no residue"
                                      : fmt::format("{} ({})", ordered, formatCount(orderedCount, "residue")),
                    orderedBy));
    const auto spread = [&](const std::vector<double>& values) {
        const Summary all = summarise(values, best);
        return fmt::format(
            "{:.2f} Å on average, {:.2f} to {:.2f}: backbone of the ordered residues, the {} best", all.mean,
            all.least, all.most, best);
    };
    if (!toMean.empty()) fields.emplace_back("To mean", spread(toMean));
    if (!toReference.empty()) fields.emplace_back("To " + reference, spread(toReference));
    constexpr std::size_t kShown = 5;
    std::size_t shown = 0;
    for (const ViolatedRestraint& one : violated[0])
        if (!one.isAngle && std::abs(one.violation) > 0.2 && shown < kShown)
            fields.emplace_back(shown++ == 0 ? "Violated" : "", describe(one) + " in model 1");
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
    out << '\n';
    using enum Align;
    TextTable table({{"Model", Right},
                     {"Target Å²", Right},
                     {"rms Å", Right},
                     {"Largest Å", Right},
                     {"> 0.5 Å", Right},
                     {"Angles > 5°", Right},
                     {"Close", Right},
                     {"Polar", Right},
                     {"Favoured", Right},
                     {"Outliers", Right},
                     {"To mean Å", Right},
                     {"To reference Å", Right},
                     {"TM", Right},
                     {"GDT", Right}});
    for (std::size_t m = 0; m < qualities.size(); ++m) {
        const ModelQuality& q = qualities[m];
        table.addRow({fmt::format("{}", m + 1), fmt::format("{:.2f}", energies[m].target()),
                      fmt::format("{:.4f}", q.rmsViolation), fmt::format("{:.2f}", q.largestViolation),
                      fmt::format("{}", q.above05), fmt::format("{}", q.dihedrals5),
                      fmt::format("{}", q.closePairs), fmt::format("{}", q.closePolarPairs),
                      fmt::format("{} of {}", q.favoured, q.judged), fmt::format("{}", q.outliers),
                      toMean.empty() ? "" : fmt::format("{:.2f}", toMean[m]),
                      toReference.empty() ? "" : fmt::format("{:.2f}", toReference[m]),
                      toReference.empty() ? "" : fmt::format("{:.3f}", likeReference[m].tmScore),
                      toReference.empty() ? "" : fmt::format("{:.1f}", 100 * likeReference[m].gdt)});
    }
    table.print(out);
}

Json RunReport::json() const {
    Json json = runHeadJson("fold", *this);
    json["input"] = input;
    json["variant"] = variant;
    json["atoms"] = atoms;
    json["residues"] = residues;
    json["restraints"] = {{"distances", distances},
                          {"dihedrals", dihedrals},
                          {"swappable", swappable},
                          {"leftOut", counts.skipped}};
    json["bounds"] = check.json();
    json["warnings"] = warnings;
    json["cis"] = cis;
    json["disulfides"] = disulfides;
    json["ordered"] = ordered;
    json["orderedBy"] = orderedBy;
    json["converged"] = converged();
    json["startedAgain"] = startedAgain;
    json["best"] = best;
    Json models = Json::array();
    for (std::size_t m = 0; m < qualities.size(); ++m) {
        const ModelQuality& q = qualities[m];
        const Energy& e = energies[m];
        Json model = {
            {"target", e.target()},
            {"energies",
             {{"restraints", e.restraints},
              {"dihedrals", e.dihedrals},
              {"vanDerWaals", e.vanDerWaals},
              {"rings", e.rings},
              {"torsions", e.torsions}}},
            {"rmsViolation", q.rmsViolation},
            {"largestViolation", q.largestViolation},
            {"distancesAbove0.5", q.above05},
            {"dihedralsAbove5", q.dihedrals5},
            {"closePairs", q.closePairs},
            {"closePolarPairs", q.closePolarPairs},
            {"wrongCentres", q.wrongCentres},
            {"ramachandran", {{"judged", q.judged}, {"favoured", q.favoured}, {"outliers", q.outliers}}}};
        model["violated"] = jsonArray(violated[m], [](const auto& one) { return toJson(one); });
        if (!toMean.empty()) model["rmsdToMean"] = toMean[m];
        if (!toReference.empty()) {
            model["rmsdToReference"] = toReference[m];
            model["tmScore"] = likeReference[m].tmScore;
            model["gdtTs"] = likeReference[m].gdt;
        }
        models.push_back(std::move(model));
    }
    json["models"] = std::move(models);
    json["files"] = fileNames(files);
    return json;
}

std::vector<StagePlacement> stagesOfFold(bool hasReference) {
    constexpr std::string_view kLists = "lists of any length, which passes cannot append to";
    constexpr std::string_view kShared = "the same code for gl and the processor";
    constexpr std::string_view kSeldom = "a few exchanges between long stretches";
    std::vector<StagePlacement> stages{{"bounds of the restraints", kStageWithoutKernel, kStageWithoutKernel},
                                       {"smoothing", "", ""},
                                       {"random torsion angles", kStageInDouble, kStageInDouble},
                                       {"lists of neighbours", kLists, ""},
                                       {"energies and gradients", "", ""},
                                       {"dynamics", kShared, ""},
                                       {"minimisation", kShared, ""},
                                       {"exchange of names, trials of rotamers", kSeldom, kSeldom},
                                       {"quality and superposition", kStageInDouble, kStageInDouble}};
    if (hasReference) stages.push_back({"comparison with the reference", kStageInDouble, kStageInDouble});
    return stages;
}

}  // namespace glycine::structure
