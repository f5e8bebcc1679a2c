#include "app/alignment/align_report.hpp"

#include <fmt/format.h>

#include <ostream>

#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::align {

std::string AlignRunReport::describeTimes() const {
    std::string text;
    for (const auto& [stage, seconds] : run.stages) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", stage, formatSeconds(seconds));
        if (stage == "pairs" && run.pairs && run.pairs->times.compute > 0 && run.pairs->cellsComputed > 0)
            text += fmt::format(" ({} GCUPS)",
                                formatNumber(run.pairs->cellsComputed / run.pairs->times.compute / 1e9));
    }
    return text +
           fmt::format("; reading {}, writing {}", formatSeconds(readSeconds), formatSeconds(writeSeconds));
}

void AlignRunReport::print(std::ostream& out) const {
    Fields fields;
    fields.emplace_back(
        "Input", fmt::format("{}: {} ({}), {} to {} letters", input, formatCount(sequences, "sequence"),
                             toString(alphabet), formatCount(shortest), formatCount(longest)));
    for (const std::string& note : notes) fields.emplace_back("", note);
    fields.emplace_back("Method", method);
    if (run.choice)
        fields.emplace_back("",
                            fmt::format("{}: {}; chosen by --auto", run.choice->name, run.choice->reason));
    if (run.pairs) {
        addDeviceFields(fields, device, run.pairs->variant);
        if (run.pairs->tiles > 1)
            fields.emplace_back("Tiles", describeParts(run.pairs->tiles, run.pairs->tilesResumed));
        if (!run.pairs->note.empty()) fields.emplace_back("", run.pairs->note);
    } else if (!run.variant.empty()) {
        addDeviceFields(fields, device, run.variant);
        if (pairsResumed > 0)
            fields.emplace_back("Pairs", describeParts(sequences * (sequences - 1) / 2, pairsResumed));
    }
    if (!run.note.empty()) fields.emplace_back("", run.note);
    fields.emplace_back("Time", describeTimes());
    addRecountField(fields, recount);
    if (summary) {
        fields.emplace_back(
            "Alignment",
            fmt::format(
                "{} × {} columns, {} conserved; {} of the pairs of letters equal, {} gaps",
                formatCount(summary->rows), formatCount(summary->columns), formatCount(summary->conserved),
                formatShare(summary->identical, summary->pairs),
                formatShare(static_cast<double>(summary->gaps),
                            static_cast<double>(summary->rows) * static_cast<double>(summary->columns))));
    }
    for (const std::string& note : pictureNotes) fields.emplace_back("Picture", note);
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json AlignRunReport::json() const {
    Json json = runHeadJson("align", *this);
    json["input"] = input;
    json["notes"] = notes;
    if (!pictureNotes.empty()) json["pictures"] = pictureNotes;
    json["sequences"] = sequences;
    json["alphabet"] = toString(alphabet);
    json["shortest"] = shortest;
    json["longest"] = longest;
    json["method"] = method;
    if (run.choice)
        json["choice"] = {{"by", "--auto"},
                          {"method", toString(run.choice->method)},
                          {"name", run.choice->name},
                          {"consistencyRounds", run.choice->consistencyRounds},
                          {"refinements", run.choice->refinements},
                          {"estimatedSeconds", run.choice->seconds},
                          {"budgetSeconds", run.choice->budgetSeconds},
                          {"reason", run.choice->reason}};
    if (run.pairs) {
        json["pairs"] = {{"backend", run.pairs->backend},
                         {"variant", run.pairs->variant},
                         {"cells", run.pairs->cells},
                         {"tiles", run.pairs->tiles},
                         {"tilesResumed", run.pairs->tilesResumed}};
        if (!run.pairs->note.empty()) json["pairs"]["note"] = run.pairs->note;
    }
    if (!run.variant.empty()) json["variant"] = run.variant;
    if (!run.note.empty()) json["note"] = run.note;
    if (pairsResumed > 0) json["pairsResumed"] = pairsResumed;
    Json& seconds = json["seconds"];
    seconds["read"] = readSeconds;
    for (const auto& [stage, took] : run.stages) seconds[stage] = took;
    seconds["write"] = writeSeconds;
    if (summary)
        json["alignment"] = {{"rows", summary->rows},
                             {"columns", summary->columns},
                             {"conservedColumns", summary->conserved},
                             {"identity", summary->pairs > 0 ? summary->identical / summary->pairs : 0},
                             {"gaps", summary->gaps}};
    json["files"] = fileNames(files);
    return json;
}

}  // namespace glycine::align
