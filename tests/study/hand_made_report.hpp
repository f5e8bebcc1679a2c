#pragma once

#include "engine/study/reports/study_report.hpp"
#include "tests/test.hpp"

/// Reports of studies made by hand: one algorithm "x" on inputs of atoms.
namespace glycine::study::test {

struct RowByHand {
    std::string backend;
    std::string variant;
    double seconds = 0;  ///< 0: it did not run
    double share = 0;    ///< share of its ceiling
    std::string digest = "00000000000000aa";
    std::vector<double> samples{1, 2};
    double spread = 0.01;  ///< relative width of the interval
    bool isBeyondLimit = false;
};

inline Json jsonOfRow(const RowByHand& row) {
    Json json{{"size", 8},
              {"atoms", 8},
              {"backend", row.backend},
              {"variant", row.variant},
              {"numberFormat", "float32"}};
    if (row.seconds == 0) {
        json["skipped"] = "no";
        if (row.isBeyondLimit) json["beyondLimit"] = true;
        return json;
    }
    json["verified"] = true;
    json["check"] = "by hand";
    json["result"] = {{"digest", row.digest}, {"elements", 2}, {"samples", row.samples}};
    const double s = row.seconds;
    json["seconds"]["total"] = {{"min", s},
                                {"median", s},
                                {"max", s},
                                {"count", 5},
                                {"confidence", 0.9375},
                                {"samples", std::vector<double>(5, s)},
                                {"interval", {s * (1 - row.spread), s * (1 + row.spread)}}};
    if (row.share > 0) {
        json["ceiling"] = {{"share", row.share}, {"what", "adds"}};
        json["energy"] = {{{"of", "package-0"}, {"joules", 1.25}, {"how", "by hand"}}};
    }
    return json;
}

inline Json reportOf(const std::string& label, const std::vector<RowByHand>& rows, double othersDuring = 0,
                     const std::vector<std::string>& absent = {}) {
    Json result{
        {"algorithm", "x"}, {"sizeLabel", "atoms"}, {"rateUnit", "G/s"}, {"series", ""}, {"extent", "small"}};
    result["load"] = {{"othersBefore", 0.0}, {"othersDuring", othersDuring}};
    result["noise"] = {{"runSpread", 0.0}, {"loop", 0.0}};
    result["busy"] = othersDuring > 0 ? "others" : "";
    result["rows"] = jsonArray(rows, jsonOfRow);
    Json json = studyHead(label, {});
    json["scale"] = "full";
    json["environment"] = {{"build", "b"}, {"processor", "p"}, {"system", "s"}, {"date", "d"}};
    json["devices"] = Json::array();
    for (const char* backend : {"cpu", "gl", "cuda"})
        if (std::ranges::find(absent, backend) == absent.end())
            json["devices"].push_back({{"backend", backend}, {"device", "d"}, {"driver", "r"}});
    json["absent"] = jsonArray(absent, [](const std::string& one) {
        return Json{{"backend", one}, {"reason", "none"}};
    });
    json["options"] = Json::object();
    json["steps"] = {{{"id", "times-x"},
                      {"kind", "times"},
                      {"algorithm", "x"},
                      {"status", "done"},
                      {"wallSeconds", 1},
                      {"result", result}}};
    return json;
}

inline StudyReport parsed(const Json& json) {
    return parseStudyReport(json, "by hand");
}

/// A row of a validation: of two inputs, `equal` are equal to the bit; others differ by `difference` metres.
inline Json comparedRow(const std::string& backend, const std::string& variant, int equal = 2,
                        double difference = 0, bool agrees = true) {
    Json row{{"backend", backend}, {"variant", variant}, {"numberFormat", "float32"},
             {"agrees", agrees},   {"inputs", 2},        {"equalToTheBit", equal}};
    if (equal < 2)
        row["worst"] = {{"input", "8 atoms"},
                        {"equalToTheBit", false},
                        {"largestDifference", difference},
                        {"allowedDifference", 1e-5},
                        {"place", "atom 3"}};
    return row;
}

/// Adds a validation before the report's other steps.
inline void addValidation(Json& report, const std::vector<Json>& rows) {
    report["steps"].insert(report["steps"].begin(), Json{{"id", "validation-x"},
                                                         {"kind", "validation"},
                                                         {"algorithm", "x"},
                                                         {"status", "done"},
                                                         {"wallSeconds", 1},
                                                         {"result", {{"unit", "m"}, {"rows", rows}}}});
}

}  // namespace glycine::study::test
