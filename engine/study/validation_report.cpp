#include "engine/study/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

/// How much of the allowance a difference uses up; above 1 it is a disagreement. NaN differences are
/// infinite.
double allowanceUsed(const Comparison& comparison) {
    if (comparison.isEqual) return 0;
    if (comparison.allowedDifference <= 0 || std::isnan(comparison.largestDifference))
        return std::numeric_limits<double>::infinity();
    return comparison.largestDifference / comparison.allowedDifference;
}

std::string verdict(const ValidationRow& row, const std::string& unit) {
    if (!row.skipped.empty()) return "skipped: " + row.skipped;
    if (row.inputs == 0) return "declined every input: " + row.refusals.front();
    std::string text;
    if (!row.disagreements.empty())
        text = fmt::format("DISAGREES on {} of {}: {}", row.disagreements.size(),
                           formatCount(row.inputs, "input"), describeDifference(row.worst, unit));
    else if (row.equalInputs == row.inputs)
        text = "equal to the bit";
    else
        text = fmt::format("agrees: {}", describeDifference(row.worst, unit));
    if (!row.refusals.empty()) text += fmt::format(" ({} declined)", row.refusals.size());
    return text;
}

Json toJson(const Comparison& comparison) {
    return {{"input", comparison.input},
            {"equalToTheBit", comparison.isEqual},
            {"largestDifference", comparison.largestDifference},
            {"allowedDifference", comparison.allowedDifference},
            {"place", comparison.place}};
}

Json toJson(const ValidationRow& row) {
    Json json{{"backend", row.configuration.backend},
              {"variant", row.configuration.variant},
              {"numberFormat", row.configuration.numberFormat}};
    if (row.configuration.dialect) json["dialect"] = row.configuration.dialectName();
    if (!row.skipped.empty()) {
        json["skipped"] = row.skipped;
        return json;
    }
    json["agrees"] = row.disagreements.empty();
    json["inputs"] = row.inputs;
    json["equalToTheBit"] = row.equalInputs;
    json["seconds"] = row.seconds;
    if (row.inputs > row.equalInputs) json["worst"] = toJson(row.worst);
    if (!row.refusals.empty()) json["declined"] = row.refusals;
    Json& disagreements = json["disagreements"] = Json::array();
    for (const Comparison& comparison : row.disagreements) disagreements.push_back(toJson(comparison));
    return json;
}

}  // namespace

void ValidationRow::add(const Comparison& comparison) {
    if (inputs == 0 || allowanceUsed(comparison) > allowanceUsed(worst)) worst = comparison;
    ++inputs;
    if (comparison.isEqual) ++equalInputs;
    if (!comparison.agrees()) disagreements.push_back(comparison);
}

void ValidationReport::addDevice(const DeviceDescription& device) {
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
}

std::size_t ValidationReport::disagreeing() const {
    return static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(), [](const ValidationRow& row) { return !row.disagreements.empty(); }));
}

std::size_t ValidationReport::compared() const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const ValidationRow& row) { return row.inputs > 0; }));
}

void printValidationReport(std::ostream& out, const ValidationReport& report, std::size_t width) {
    Fields head = environmentFields(report.environment);
    for (const DeviceDescription& device : report.devices) head.push_back(deviceField(device));
    head.insert(head.end(), report.settings.begin(), report.settings.end());
    printFields(out, head, width);
    out << '\n';

    TextTable table({{"backend"},
                     {"variant"},
                     {"dialect"},
                     {"format"},
                     {"time", Align::Right},
                     {"agreement with the reference"}});
    for (const ValidationRow& row : report.rows) {
        const Configuration& c = row.configuration;
        table.addRow({c.backend, c.variant, c.dialectName(), c.numberFormat,
                      row.inputs > 0 ? formatSeconds(row.seconds) : "–", verdict(row, report.unit)});
    }
    table.print(out, width);

    constexpr std::size_t kMostDetails = 5;
    for (const ValidationRow& row : report.rows) {
        for (std::size_t d = 0; d < std::min(kMostDetails, row.disagreements.size()); ++d) {
            const Comparison& comparison = row.disagreements[d];
            out << fmt::format("\n{}, {}: {}{}{}", row.configuration.label(), comparison.input,
                               describeDifference(comparison, report.unit),
                               comparison.place.empty() ? "" : ", at ", comparison.place);
        }
        if (row.disagreements.size() > kMostDetails)
            out << fmt::format("\n{}: {} more", row.configuration.label(),
                               row.disagreements.size() - kMostDetails);
    }
    if (report.compared() == 0) return;
    const std::size_t wrong = report.disagreeing();
    const std::string ran = formatCount(report.compared(), "configuration");
    if (wrong > 0)
        out << fmt::format("\n{} of {} disagree with the reference.\n", wrong, ran);
    else if (report.compared() == 1)
        out << fmt::format("\n{} agrees with the reference.\n", ran);
    else
        out << fmt::format("\nAll {} agree with the reference.\n", ran);
}

Json toJson(const ValidationReport& report) {
    Json json{{"command", "validate"},
              {"algorithm", report.algorithm},
              {"environment", toJson(report.environment)}};
    Json& devices = json["devices"] = Json::array();
    for (const DeviceDescription& device : report.devices) devices.push_back(toJson(device));
    Json& settings = json["settings"] = Json::object();
    for (const auto& [label, value] : report.settings) settings[label] = value;
    json["unit"] = report.unit;
    json["agrees"] = report.disagreeing() == 0;
    Json& rows = json["rows"] = Json::array();
    for (const ValidationRow& row : report.rows) rows.push_back(toJson(row));
    return json;
}

int concludeValidation(CommandContext& context, const ValidationReport& report, bool asJson) {
    if (asJson)
        printJson(context.out(), toJson(report));
    else
        printValidationReport(context.out(), report, terminalWidth());
    if (report.compared() == 0) throw UnavailableError("nothing was compared: no configuration could run");
    return report.disagreeing() == 0 ? 0 : 1;
}

}  // namespace glycine
