#include "app/distance/distance_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/distance/measures.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::distance {

namespace {

/// N² · M, every ordered pair and each instance beside itself, as the paper's loop compares them.
double comparisons(const DistanceReport& distances) {
    const double n = static_cast<double>(distances.instances);
    return n * n * static_cast<double>(distances.attributes);
}

/// Whether the rate means something: nothing was taken over from an earlier run.
bool hasRate(const DistanceReport& distances) {
    return distances.tilesResumed == 0 && distances.times.compute > 0;
}

std::string describeTimes(const RunReport& report) {
    const PairTimes& times = report.distances.times;
    std::string text =
        fmt::format("{}: comparing {}", formatSeconds(report.computeSeconds), formatSeconds(times.compute));
    if (hasRate(report.distances))
        text += fmt::format(" ({} G/s, all N² pairs counted)",
                            formatNumber(comparisons(report.distances) / times.compute / 1e9));
    if (times.pack > 0) text += fmt::format(", packing {}", formatSeconds(times.pack));
    if (times.upload + times.download > 0)
        text += fmt::format(", copying {}", formatSeconds(times.upload + times.download));
    return text + fmt::format("; reading {}, writing {}", formatSeconds(report.readSeconds),
                              formatSeconds(report.writeSeconds));
}

std::string describeUndefined(const RunReport& report) {
    const std::string pairs = formatCount(report.summary.undefined, "pair");
    if (report.leastInCommon == 0)
        return fmt::format("{} without an attribute that both have: written as nan", pairs);
    return fmt::format(
        "{} with fewer than {} of {} attributes in common (--min-overlap): written as nan, taken neither for "
        "close nor for identical",
        pairs, formatCount(report.leastInCommon), formatCount(report.distances.attributes));
}

std::string describeMeasure(const RunReport& report) {
    std::string text(toString(report.measure));
    if (report.hasMissing) text += fmt::format(", missing entries: {}", toString(report.missing));
    return text;
}

/// What the rounding of coordinates can change a distance by.
double largestChange(const RunReport& report) {
    return changeOf(report.measure, report.distances.rounding, std::max(0.0, report.summary.largest));
}

/// What the precision of coordinates cost; empty where there is nothing to say.
std::string describePrecision(const RunReport& report) {
    const DistanceReport& distances = report.distances;
    if (!report.isCoordinates) return {};
    if (distances.rounding.largest == 0)
        return distances.precision == Precision::Float64 ? std::string(toString(distances.precision)) : "";
    return fmt::format(
        "{}: {} were rounded by up to {:.2g}, which can change a distance by up to {:.2g}; --precision "
        "float64 rounds nothing (reference, cpu, cuda)",
        toString(distances.precision),
        traitsOf(report.measure).preparation == Preparation::Standardise ? "standardised rows"
                                                                         : "coordinates, less their medians,",
        distances.rounding.largest, largestChange(report));
}

}  // namespace

std::string RunReport::describeDistances() const {
    if (summary.pairs == 0) return "none: a single instance, or no pair with enough attributes in common";
    std::string text = describeValues();
    if (summary.identical > 0) text += fmt::format("; {} identical", formatCount(summary.identical));
    return text;
}

void RunReport::print(std::ostream& out) const {
    Fields fields;
    for (const LeftOutSites& sites : leftOut) fields.emplace_back("Left out", sites.text());
    fields.emplace_back("Input", input);
    for (const std::string& note : notes) fields.emplace_back("", note);
    fields.emplace_back("Measure", describeMeasure(*this));
    addDeviceFields(fields, device, distances.variant);
    if (const std::string precision = describePrecision(*this); !precision.empty())
        fields.emplace_back("Precision", precision);
    fields.emplace_back("Time", describeTimes(*this));
    addRun(fields, distances);
    fields.emplace_back("Distances", describeDistances());
    if (summary.undefined > 0) fields.emplace_back("Warning", describeUndefined(*this));
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json RunReport::json() const {
    Json json = runHeadJson("distance", *this);
    json["input"] = input;
    json["notes"] = notes;
    for (const LeftOutSites& sites : leftOut)
        json["leftOut"].push_back(
            {{"sites", sites.sites}, {"of", sites.of}, {"share", sites.share()}, {"reason", sites.reason}});
    json["instances"] = distances.instances;
    json["attributes"] = distances.attributes;
    json["measure"] = toString(measure);
    json["missing"] = toString(missing);
    json["hasMissing"] = hasMissing;
    json["backend"] = distances.backend;
    json["variant"] = distances.variant;
    if (isCoordinates)
        json["precision"] = {{"numbers", toString(distances.precision)},
                             {"largestRounding", distances.rounding.largest},
                             {"largestChange", largestChange(*this)}};
    addRun(json, distances, "finish", distances.finishSeconds);
    if (hasRate(distances)) json["comparisonsPerSecond"] = comparisons(distances) / distances.times.compute;
    Json& values = json["distances"];
    values = {{"pairs", summary.pairs}, {"undefined", summary.undefined}, {"identical", summary.identical}};
    if (hasMissing) values["leastInCommon"] = leastInCommon;
    addValues(values);
    json["files"] = fileNames(files);
    return json;
}

}  // namespace glycine::distance
