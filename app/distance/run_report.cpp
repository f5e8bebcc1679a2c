#include "app/distance/run_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "engine/command/run_report.hpp"
#include "engine/core/quantity.hpp"
#include "engine/distance/measures.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::distance {

namespace {

/// N² · M: every ordered pair, and each instance with itself, as in the paper's loop. For a rectangle, only
/// its pairs.
double comparisons(const RunReport& report) {
    const double n = static_cast<double>(report.distances.instances);
    const double references = static_cast<double>(report.references);
    const double pairs = references > 0 ? references * (n - references) : n * n;
    return pairs * static_cast<double>(report.distances.attributes);
}

/// Whether the rate is meaningful: no tile was kept from an earlier run.
bool hasRate(const DistanceReport& distances) {
    return distances.tilesResumed == 0 && distances.times.compute > 0;
}

std::string describeRate(const RunReport& report) {
    if (!hasRate(report.distances)) return "";
    return fmt::format("; computing at {} G/s{}",
                       formatNumber(comparisons(report) / report.distances.times.compute / 1e9),
                       report.references > 0 ? "" : ", all N² pairs counted");
}

std::string describeUndefined(const RunReport& report) {
    const std::string pairs = formatCount(report.summary.undefined, "pair");
    if (report.measure == Measure::King && report.leastInCommon == 0)
        return fmt::format(
            "{} with an instance that has no heterozygote: written as nan, in .kin0 as PLINK 2 writes them",
            pairs);
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

/// Largest change of a distance due to rounded coordinates.
double largestChange(const RunReport& report) {
    return changeOf(report.measure, report.distances.rounding, std::max(0.0, report.summary.largest));
}

/// Effect of the coordinates' precision; empty if there is none.
std::string describePrecision(const RunReport& report) {
    const DistanceReport& distances = report.distances;
    if (report.measure == Measure::Grm && distances.precision == Precision::Float32)
        return "float32: relationships are off by some 10⁻⁶; reference, cpu and cuda have float64";
    if (!report.isCoordinates) return {};
    if (distances.rounding.largest == 0)
        return distances.precision == Precision::Float64 ? std::string(toString(distances.precision)) : "";
    return fmt::format(
        "{}: {} were rounded by up to {:.2g}, which can change a distance by up to {:.2g}; --precision "
        "float64 rounds nothing (reference, cpu, cuda)",
        toString(distances.precision),
        traitsOf(report.measure).preparation == Preparation::None ? "coordinates, less their medians,"
                                                                  : "rows, scaled to length 1,",
        distances.rounding.largest, largestChange(report));
}

}  // namespace

std::string RunReport::describeDistances() const {
    if (summary.pairs == 0) return "none: a single instance, or no pair with enough attributes in common";
    std::string text = describeValues();
    if (summary.identical > 0) text += fmt::format("; {} identical", formatCount(summary.identical));
    return text;
}

namespace {

/// Related pairs: "107 pairs: 1 duplicate or identical twins, 13 first degree; closest a – b (0.251)".
std::string describeRelatives(const RunReport& report) {
    if (report.relatives.empty()) return "no pair of third degree or closer";
    std::vector<std::string> parts;
    std::size_t pairs = 0;
    for (const auto& [degree, count] : report.relatives) {
        pairs += count;
        parts.push_back(fmt::format("{} {}", formatCount(count),
                                    degree == Degree::Duplicate
                                        ? "duplicate or identical twins"
                                        : fmt::format("{} degree", toString(degree))));
    }
    const auto& [one, other] = report.summary.largestPair;
    return fmt::format("{}: {}; closest {} – {} ({:.3f})", formatCount(pairs, "pair"), fmt::join(parts, ", "),
                       report.names.at(one), report.names.at(other), report.summary.largest);
}

/// "6.92 %, 2.50 %, 0.71 % of the sum of all eigenvalues"
std::string describeCoordinates(const statistics::PrincipalCoordinates& found) {
    std::vector<std::string> shares;
    for (const double share : found.shares) shares.push_back(formatShare(share, 1));
    return fmt::format("{} of the sum of all eigenvalues", fmt::join(shares, ", "));
}

std::string describeClusters(const RunReport& report) {
    const pairs::Clusters& clusters = *report.clusters;
    const std::size_t linked = clusters.linked();
    const auto members = std::accumulate(
        clusters.sizes.begin(), clusters.sizes.begin() + static_cast<std::ptrdiff_t>(linked), std::size_t{0});
    return fmt::format("{} of two or more ({}), with {} of {}; the largest has {}", formatCount(linked),
                       report.clusterRule, formatCount(members), formatCount(clusters.of.size(), "instance"),
                       formatCount(clusters.sizes.front()));
}

}  // namespace

void RunReport::print(std::ostream& out) const {
    Fields fields;
    for (const LeftOutSites& sites : leftOut) fields.emplace_back("Left out", sites.text());
    fields.emplace_back("Input", input);
    for (const std::string& note : notes) fields.emplace_back("", note);
    fields.emplace_back("Measure", describeMeasure(*this));
    addDeviceFields(fields, *this, distances.variant);
    if (const std::string precision = describePrecision(*this); !precision.empty())
        fields.emplace_back("Precision", precision);
    addTimeField(fields, *this, describeRate(*this));
    addRun(fields, distances);
    fields.emplace_back("Distances", describeDistances());
    if (hasRelatives) fields.emplace_back("Relatives", describeRelatives(*this));
    if (coordinates) fields.emplace_back("Coordinates", describeCoordinates(*coordinates));
    if (!tree.empty()) fields.emplace_back("Tree", tree);
    if (clusters) fields.emplace_back("Clusters", describeClusters(*this));
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
    addRun(json, distances);
    if (hasRate(distances)) json["comparisonsPerSecond"] = comparisons(*this) / distances.times.compute;
    Json& values = json["distances"];
    values = {{"pairs", summary.pairs}, {"undefined", summary.undefined}, {"identical", summary.identical}};
    if (hasMissing) values["leastInCommon"] = leastInCommon;
    addValues(values);
    for (const auto& [degree, count] : relatives) json["relatives"][std::string(toString(degree))] = count;
    if (references > 0) json["references"] = references;
    if (coordinates)
        json["coordinates"] = {{"eigenvalues", coordinates->eigenvalues}, {"shares", coordinates->shares}};
    if (!tree.empty()) json["tree"] = tree;
    if (clusters)
        json["clusters"] = {{"rule", clusterRule}, {"of", clusters->of}, {"sizes", clusters->sizes}};
    json["files"] = fileNames(files);
    return json;
}

}  // namespace glycine::distance
