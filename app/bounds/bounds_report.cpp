#include "app/bounds/bounds_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "app/device_shares.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::bounds {

namespace {

std::string describeTightening(const Tightening& t) {
    std::string text;
    if (t.tightened > 0)
        text = fmt::format("{} of {} tightened ({}), by {} Å on average, median {}, at most {}",
                           formatCount(t.tightened), formatCount(t.pairs, "pair"),
                           formatShare(static_cast<double>(t.tightened), static_cast<double>(t.pairs)),
                           formatNumber(t.mean), formatNumber(t.median), formatNumber(t.largest));
    if (t.fromUnknown > 0)
        text += fmt::format("{}{} without a bound got one", text.empty() ? "" : "; ",
                            formatCount(t.fromUnknown, "pair"));
    return text.empty() ? "nothing to tighten: they satisfied the triangle inequality" : text;
}

/// "2⁻¹⁹ Å (1.9e-06)"; `step`: a power of two.
std::string describeStep(double step) {
    constexpr std::array kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const int exponent = std::ilogb(step);
    std::string text = exponent < 0 ? "2⁻" : "2";
    for (const char digit : fmt::format("{}", std::abs(exponent)))
        text += kDigits[static_cast<std::size_t>(digit - '0')];
    return fmt::format("{} Å ({:.2g})", text, step);
}

std::string atomName(const RunReport& report, std::size_t atom) {
    return atom < report.atomNames.size() ? report.atomNames[atom] : fmt::format("atom {}", atom + 1);
}

std::string describeViolations(const RunReport& report) {
    if (!report.lower) return "not sought: there are no lower bounds";
    const SmoothingReport& smoothing = report.smoothing;
    if (smoothing.violationCount == 0)
        return fmt::format("none: no lower bound exceeds its upper bound by more than {:g} Å",
                           report.violationTolerance);
    std::string text = fmt::format(
        "{} (lower bound above upper bound by more than {:g} Å); no structure satisfies the input",
        formatCount(smoothing.violationCount, "inconsistent pair"), report.violationTolerance);
    for (std::size_t v = 0; v < std::min(kShownViolations, smoothing.violations.size()); ++v) {
        const Violation& violation = smoothing.violations[v];
        text += fmt::format("\n{} - {}: at least {:.4f} Å, at most {:.4f} Å", atomName(report, violation.i),
                            atomName(report, violation.j), violation.lower, violation.upper);
    }
    if (smoothing.violationCount > kShownViolations)
        text += fmt::format("\n… the worst {} of {}; -o FILE.violations.tsv writes all", kShownViolations,
                            formatCount(smoothing.violationCount));
    if (!report.tetrangles.empty())
        text += "\nby the tetrangle inequality: no chain of bounds proves it";
    else if (!report.contradictions)
        text += "\n--explain shows the bounds behind them";
    return text;
}

/// Heading of the contradictions.
std::string describeGroups(const RunReport& report) {
    const std::vector<Contradiction>& all = *report.contradictions;
    std::string text = describeGroups(all, report.smoothing.violationCount, report.shownContradictions);
    if (report.shownContradictions > 0 && report.shownContradictions < all.size())
        text += "\n(--explain N shows N, -o FILE.contradictions.tsv and --json give all)";
    return text + (report.shownContradictions > 0 ? ":\n" : ".\n");
}

Json toJson(const Tightening& t) {
    return {{"pairs", t.pairs}, {"tightened", t.tightened}, {"fromUnknown", t.fromUnknown},
            {"mean", t.mean},   {"median", t.median},       {"largest", t.largest}};
}

Json toJson(const Violation& violation) {
    return {{"i", violation.i}, {"j", violation.j}, {"upper", violation.upper}, {"lower", violation.lower}};
}

std::string describeRestraints(const RestraintReport& report) {
    const io::RestraintCounts& counts = report.counts;
    return fmt::format(
        "{}, {} of them of several pairs of atoms; {}\n"
        "{} became upper bounds ({} of groups, with their diameters), {} are ambiguous between residues and "
        "give lower bounds alone; {} became bounds; {} left out\n"
        "covalent: {}, planes: {}",
        formatCount(counts.distances, "distance"), formatCount(counts.alternatives),
        formatCount(counts.dihedrals, "torsion angle"), formatCount(report.bounded),
        formatCount(report.groups), formatCount(report.scattered),
        formatCount(report.torsions, "torsion angle"), formatCount(counts.skipped.size()),
        formatCount(report.covalentPairs, "pair"), formatCount(report.planarPairs, "pair"));
}

Json toJson(const RestraintReport& report) {
    return {{"files", report.files},
            {"distances", report.counts.distances},
            {"torsionAngles", report.counts.dihedrals},
            {"ofSeveralPairs", report.counts.alternatives},
            {"upperBounds", report.bounded},
            {"ofGroups", report.groups},
            {"betweenResidues", report.scattered},
            {"torsionBounds", report.torsions},
            {"covalentPairs", report.covalentPairs},
            {"planarPairs", report.planarPairs},
            {"leftOut", report.counts.skipped}};
}

std::string describeShared(const SharedWork& shared) {
    std::string text =
        fmt::format("by {} in {} x {}{}, blocks of side {}; panels exchanged: {}, by formula {}",
                    formatCount(shared.workers, "worker"), shared.gridRows, shared.gridColumns,
                    shared.workers > shared.gridRows * shared.gridColumns ? " and a corner" : "", shared.side,
                    formatBytes(shared.exchangedBytes), formatBytes(shared.expectedBytes));
    double blocks = 0;
    for (const WorkerShare& share : shared.shares) blocks += static_cast<double>(share.blocks);
    for (const WorkerShare& share : shared.shares) {
        text += fmt::format(
            "\n{}: {}, {}", deviceText(share.device), formatCount(share.blocks, "block"),
            share.blocks == 0 && !share.reason.empty()
                ? share.reason
                : fmt::format("{} of them; at work for {} of {}",
                              formatShare(static_cast<double>(share.blocks), blocks),
                              formatShare(share.busySeconds, share.seconds), formatSeconds(share.seconds)));
        if (share.rate > 0)
            text += fmt::format("; measured: {:.3g} · 10⁹ relaxations per second", share.rate / 1e9);
    }
    return text;
}

Json toJson(const SharedWork& shared) {
    Json json{{"workers", shared.workers},
              {"gridRows", shared.gridRows},
              {"gridColumns", shared.gridColumns},
              {"side", shared.side},
              {"exchangedBytes", shared.exchangedBytes},
              {"expectedBytes", shared.expectedBytes}};
    for (const WorkerShare& share : shared.shares) {
        Json entry{{"blocks", share.blocks}, {"busySeconds", share.busySeconds}, {"seconds", share.seconds}};
        entry["device"] = deviceJson(share.device);
        if (share.rate > 0) entry["rate"] = share.rate;
        if (!share.reason.empty()) entry["reason"] = share.reason;
        json["shares"].push_back(std::move(entry));
    }
    return json;
}

}  // namespace

Json toJson(const Contradiction& one, const BoundSource& source) {
    Json json{{"pair", toJson(one.pair)},
              {"p", one.p},
              {"q", one.q},
              {"lower", one.lowerInput},
              {"upperSum", one.upperSum},
              {"upperPath", one.upperPath},
              {"upperInputs", one.upperInputs},
              {"explainedPairs", one.explainedPairs}};
    if (!source) return json;
    json["lowerSource"] = source(one.p, one.q, false);
    for (std::size_t step = 0; step < one.upperInputs.size(); ++step)
        json["upperSources"].push_back(source(one.upperPath[step], one.upperPath[step + 1], true));
    return json;
}

void RunReport::print(std::ostream& out) const {
    Fields fields;
    fields.emplace_back("Input", input);
    fields.emplace_back(
        "Known", fmt::format("{} of {} ({})", formatCount(knownPairs), formatCount(upper.pairs, "pair"),
                             formatShare(static_cast<double>(knownPairs), static_cast<double>(upper.pairs))));
    if (restraints) fields.emplace_back("Restraints", describeRestraints(*restraints));
    for (const std::string& warning : warnings) fields.emplace_back("Warning", warning);
    addDeviceFields(fields, *this, fmt::format("{}, {}", smoothing.variant, toString(smoothing.format)));
    if (smoothing.step > 0 && smoothing.format != NumberFormat::Fixed)
        fields.emplace_back(
            "Rounding",
            fmt::format("outward, to multiples of {}: no upper bound lies below, no lower bound above "
                        "what exact arithmetic makes of the input",
                        describeStep(smoothing.step)));
    addTimeField(fields, *this);
    if (!smoothing.note.empty()) fields.emplace_back("", smoothing.note);
    if (smoothing.shared) fields.emplace_back("Shared", describeShared(*smoothing.shared));
    addRecountField(fields, recount);
    addRecountField(fields, pairRecount);
    addRecountField(fields, tetrangleRecount);
    if (!tetrangles.empty()) {
        std::string sweeps = fmt::format("limits on {} ({})", device.backend, device.device);
        for (std::size_t index = 0; index < tetrangles.size(); ++index) {
            const TetrangleSweep& sweep = tetrangles[index];
            const std::string& note = tetrangleNotes[index];
            sweeps +=
                fmt::format("\nsweep {}: {} upper and {} lower bounds tightened, by at most {:.4f} Å{}{}",
                            index + 1, formatCount(sweep.upper), formatCount(sweep.lower), sweep.largestGain,
                            note.empty() ? "" : "; ", note);
        }
        fields.emplace_back("Tetrangles", sweeps);
    }
    fields.emplace_back("Upper", describeTightening(upper));
    if (lower) fields.emplace_back("Lower", describeTightening(*lower));
    if (!loosest.empty()) {
        std::string text;
        for (const Violation& pair : loosest)
            text += fmt::format("{}{} - {}: {:.2f} to {:.2f} Å", text.empty() ? "" : "\n",
                                atomName(*this, pair.i), atomName(*this, pair.j), pair.lower, pair.upper);
        fields.emplace_back("Loosest", text);
    }
    fields.emplace_back("Violations", describeViolations(*this));
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());

    if (!contradictions || smoothing.violationCount == 0 || !tetrangles.empty()) return;
    if (contradictions->empty())
        out << "\nThe inconsistent pairs come from rounding alone: in exact sums the bounds agree.\n";
    else
        out << '\n' << describeGroups(*this);
    for (std::size_t group = 0; group < std::min(shownContradictions, contradictions->size()); ++group)
        out << '\n' << describeContradiction((*contradictions)[group], atomNames, source());
}

Json RunReport::json() const {
    Json json = runHeadJson("bounds", *this);
    if (pairRecount) json["pairRecount"] = toJson(*pairRecount);
    json["input"] = input;
    json["atoms"] = atoms;
    json["knownPairs"] = knownPairs;
    json["warnings"] = warnings;
    json["backend"] = smoothing.backend;
    json["variant"] = smoothing.variant;
    json["numberFormat"] = toString(smoothing.format);
    json["rounding"] = toString(rounding);
    if (smoothing.step > 0) json["step"] = smoothing.step;
    if (!smoothing.note.empty()) json["note"] = smoothing.note;
    if (smoothing.shared) json["shared"] = toJson(*smoothing.shared);
    json["tightened"]["upper"] = toJson(upper);
    if (lower) json["tightened"]["lower"] = toJson(*lower);
    if (!tetrangles.empty())
        json["tetrangles"] = jsonArray(tetrangles, [this](const TetrangleSweep& one) {
            Json sweep{{"upper", one.upper}, {"lower", one.lower}, {"largestGain", one.largestGain}};
            const std::string& note = tetrangleNotes[static_cast<std::size_t>(&one - tetrangles.data())];
            if (!note.empty()) sweep["note"] = note;
            return sweep;
        });
    if (tetrangleRecount) json["tetrangleRecount"] = toJson(*tetrangleRecount);
    Json& violations = json["violations"];
    violations["tolerance"] = violationTolerance;
    violations["count"] = smoothing.violationCount;
    violations["listed"] = smoothing.violations.size();
    violations["worst"] = jsonArray(smoothing.violations, [](const auto& one) { return toJson(one); });
    if (contradictions)
        json["contradictions"] =
            jsonArray(*contradictions, [this](const auto& one) { return toJson(one, source()); });
    if (restraints) json["restraints"] = toJson(*restraints);
    json["loosest"] = jsonArray(loosest, [](const auto& one) { return toJson(one); });
    json["files"] = fileNames(files);
    return json;
}

}  // namespace glycine::bounds
