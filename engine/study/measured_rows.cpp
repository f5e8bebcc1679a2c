#include "engine/study/measured_rows.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/device_ceilings.hpp"

namespace glycine::study {

namespace {

Json measuredTime(const MeasuredTime& time) {
    return {{"name", time.name}, {"seconds", time.seconds.samples}, {"work", time.work}};
}

MeasuredTime restoredTime(const Json& json) {
    return {.name = json.at("name").get<std::string>(),
            .seconds = summarize(json.at("seconds").get<std::vector<double>>()),
            .work = json.at("work").get<double>()};
}

Json measuredRow(const FigureRow& row) {
    if (!row.hasTime() || !row.fit.empty()) return {};
    Json json{{"variant", row.configuration.variant},
              {"problem", row.problem},
              {"size", row.size},
              {"dimensions", row.dimensions},
              {"cutShort", row.cutShort},
              {"check", row.check},
              {"note", row.note},
              {"stages", jsonArray(row.stages, measuredTime)},
              {"total", measuredTime(row.total)},
              {"scores", jsonArray(row.scores,
                                   [](const Score& score) {
                                       return Json::array({score.name, score.value});
                                   })},
              {"ceilings", jsonArray(row.ceilings, ceilingUseToJson)}};
    if (row.digest)
        json["digest"] = {
            {"bits", row.digest->bits}, {"elements", row.digest->elements}, {"samples", row.digest->samples}};
    return json;
}

void restoreRow(FigureRow& row, const Json& json) {
    row.configuration.variant = json.at("variant").get<std::string>();
    row.problem = json.at("problem").get<std::string>();
    row.size = json.at("size").get<std::size_t>();
    row.dimensions = json.at("dimensions").get<Dimensions>();
    row.cutShort = json.at("cutShort").get<std::string>();
    row.check = json.at("check").get<std::string>();
    row.note = json.at("note").get<std::string>();
    for (const Json& stage : json.at("stages")) row.stages.push_back(restoredTime(stage));
    row.total = restoredTime(json.at("total"));
    for (const Json& score : json.at("scores"))
        row.scores.push_back({score.at(0).get<std::string>(), score.at(1).get<double>()});
    for (const Json& use : json.at("ceilings")) row.ceilings.push_back(ceilingUseFrom(use));
    if (json.contains("digest"))
        row.digest = {.bits = json["digest"].at("bits").get<std::uint64_t>(),
                      .elements = json["digest"].at("elements").get<std::size_t>(),
                      .samples = json["digest"].at("samples").get<std::vector<double>>()};
}

}  // namespace

Json measuredRowsOf(const ReproductionReport& report) {
    return jsonArray(report.rows, measuredRow);
}

void restoreRows(ReproductionReport& report, const Json& rows, const Json& earlier) {
    if (rows.size() != report.rows.size())
        throw InputError(fmt::format("{}: the earlier result has {}, the figure {}", report.figure.id,
                                     formatCount(rows.size(), "row"), report.rows.size()));
    bool isMeasured = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (rows[r].is_null()) continue;
        restoreRow(report.rows[r], rows[r]);
        isMeasured = true;
    }
    if (isMeasured) report.conditions = conditionsFrom(earlier);
}

}  // namespace glycine::study
