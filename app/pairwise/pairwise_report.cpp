#include "app/pairwise/pairwise_report.hpp"

#include <fmt/format.h>

#include <ostream>

#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::pairwise {

std::string RunReport::describeScoring() const {
    const PairScoring& scoring = settings.scoring;
    if (scoring.method == PairMethod::ClustalW) return "as ClustalW 2.1 aligns pairs";
    return fmt::format("{}, {}, a gap of k letters costs {}", toString(scoring.method), scoring.matrix.name,
                       scoring.gaps.open == 0
                           ? fmt::format("{}k", scoring.gaps.extend)
                           : fmt::format("{} + {}k", scoring.gaps.open, scoring.gaps.extend));
}

std::string RunReport::describeTimes() const {
    std::string text =
        fmt::format("{}: pairs {}", formatSeconds(computeSeconds), formatSeconds(run.times.compute));
    if (hasRate())
        text += fmt::format(" ({} GCUPS)", formatNumber(run.cellsComputed / run.times.compute / 1e9));
    return text +
           fmt::format("; reading {}, writing {}", formatSeconds(readSeconds), formatSeconds(writeSeconds));
}

void RunReport::print(std::ostream& out) const {
    Fields fields;
    fields.emplace_back(
        "Input", fmt::format("{}: {} ({}), {} to {} letters", input, formatCount(names.size(), "sequence"),
                             toString(alphabet), formatCount(shortest), formatCount(longest)));
    for (const std::string& note : notes) fields.emplace_back("", note);
    fields.emplace_back("Alignment", describeScoring());
    addDeviceFields(fields, device, run.variant);
    fields.emplace_back("Time", describeTimes());
    addRun(fields, run);
    fields.emplace_back(settings.measure == PairMeasure::Score      ? "Score"
                        : settings.measure == PairMeasure::Identity ? "Identity"
                                                                    : "Distance",
                        describeValues());
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json RunReport::json() const {
    Json json = runHeadJson("pairwise", *this);
    json["input"] = input;
    json["notes"] = notes;
    json["sequences"] = names.size();
    json["alphabet"] = toString(alphabet);
    json["shortest"] = shortest;
    json["longest"] = longest;
    json["method"] = toString(settings.scoring.method);
    if (settings.scoring.method != PairMethod::ClustalW) {
        json["matrix"] = settings.scoring.matrix.name;
        json["gapOpen"] = settings.scoring.gaps.open;
        json["gapExtend"] = settings.scoring.gaps.extend;
    }
    json["measure"] = toString(settings.measure);
    json["backend"] = run.backend;
    json["variant"] = run.variant;
    json["cells"] = run.cells;
    addRun(json, run, "store", run.storeSeconds);
    if (hasRate()) json["cellsPerSecond"] = run.cellsComputed / run.times.compute;
    Json& values = json["values"];
    values = {{"pairs", summary.pairs}};
    addValues(values);
    json["files"] = fileNames(files);
    return json;
}

}  // namespace glycine::pairwise
