#include "engine/study/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

/// Difference divided by the allowance; above 1 is a disagreement. NaN differences count as infinite.
double allowanceUsed(const Comparison& comparison) {
    if (comparison.isEqual) return 0;
    if (comparison.allowedDifference <= 0 || std::isnan(comparison.largestDifference))
        return std::numeric_limits<double>::infinity();
    return comparison.largestDifference / comparison.allowedDifference;
}

}  // namespace

void ValidationRow::add(const Comparison& comparison) {
    if (inputs == 0 || allowanceUsed(comparison) > allowanceUsed(worst)) worst = comparison;
    ++inputs;
    if (comparison.isEqual) ++equalInputs;
    if (!comparison.agrees()) disagreements.push_back(comparison);
    if (!comparison.also.empty()) also.push_back(fmt::format("{}: {}", comparison.input, comparison.also));
}

namespace study {

namespace {

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
    Json json;
    addToJson(json, row.configuration);
    if (!row.skipped.empty()) {
        json["skipped"] = row.skipped;
        return json;
    }
    json["agrees"] = row.disagreements.empty();
    json["inputs"] = row.inputs;
    json["equalToTheBit"] = row.equalInputs;
    json["seconds"] = row.seconds;
    if (row.inputs > row.equalInputs) json["worst"] = toJson(row.worst);
    if (!row.also.empty()) json["also"] = row.also;
    if (!row.refusals.empty()) json["declined"] = row.refusals;
    for (const Score& figure : row.figures) json["figures"][figure.name] = figure.value;
    json["disagreements"] = jsonArray(row.disagreements, [](const auto& one) { return toJson(one); });
    return json;
}

}  // namespace

std::size_t ValidationReport::disagreeing() const {
    return static_cast<std::size_t>(
        std::ranges::count(rows, false, [](const ValidationRow& row) { return row.disagreements.empty(); }));
}

std::size_t ValidationReport::compared() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [](const ValidationRow& row) { return row.inputs > 0; }));
}

void ValidationReport::print(std::ostream& out, std::size_t width) const {
    if (compared() > 0) {
        const std::string ran = formatCount(compared(), "configuration");
        if (disagreeing() > 0)
            out << fmt::format("{} of {} disagree with the reference.\n\n", disagreeing(), ran);
        else if (compared() == 1)
            out << fmt::format("{} agrees with the reference.\n\n", ran);
        else
            out << fmt::format("All {} agree with the reference.\n\n", ran);
    }
    TableOf<ValidationRow> table;
    table.add({"backend"}, [](const auto& row) { return row.configuration.backend; });
    table.add({"variant"}, [](const auto& row) { return row.configuration.variant; });
    table.add({"dialect"}, [](const auto& row) { return row.configuration.dialectName(); });
    table.add({"format"}, [](const auto& row) { return row.configuration.numberFormat; });
    table.add({"time", Align::Right}, [](const auto& row) -> std::string {
        return row.inputs > 0 ? formatSeconds(row.seconds) : "–";
    });
    table.add({"agreement with the reference"}, [this](const auto& row) { return verdict(row, unit); });
    table.print(out, rows, width);

    const bool hasDetails = std::ranges::any_of(
        rows, [](const ValidationRow& row) { return !row.disagreements.empty() || !row.also.empty(); });
    constexpr std::size_t kMaxDetails = 5;
    for (const ValidationRow& row : rows) {
        for (std::size_t d = 0; d < std::min(kMaxDetails, row.disagreements.size()); ++d) {
            const Comparison& comparison = row.disagreements[d];
            out << fmt::format("\n{}, {}: {}{}{}", row.configuration.label(), comparison.input,
                               describeDifference(comparison, unit), comparison.place.empty() ? "" : ", at ",
                               comparison.place);
        }
        if (row.disagreements.size() > kMaxDetails)
            out << fmt::format("\n{}: {} more", row.configuration.label(),
                               row.disagreements.size() - kMaxDetails);
    }
    for (const ValidationRow& row : rows)
        for (const std::string& also : row.also)
            out << fmt::format("\n{}, {}", row.configuration.label(), also);
    out << (hasDetails ? "\n\n" : "\n");
    printHead(out, {environmentFields(environment), deviceFields(), settings}, width);
}

Json ValidationReport::toJson() const {
    Json json{{"command", "validate"}, {"algorithm", algorithm}};
    addTo(json);
    json["unit"] = unit;
    json["agrees"] = disagreeing() == 0;
    json["rows"] = jsonArray(rows, [](const auto& row) { return study::toJson(row); });
    return json;
}

}  // namespace study

}  // namespace glycine
