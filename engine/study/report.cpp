#include "engine/study/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <span>

#include "engine/core/quantity.hpp"
#include "engine/study/device_ceilings.hpp"

namespace glycine::study {

void Report::addDevice(const DeviceDescription& device) {
    if (!device.backend.empty() && std::ranges::find(devices, device) == devices.end())
        devices.push_back(device);
}

Fields Report::deviceFields() const {
    Fields fields;
    for (const DeviceDescription& device : devices) fields.push_back(deviceField(device));
    return fields;
}

void Report::addTo(Json& json) const {
    json["environment"] = glycine::toJson(environment);
    json["devices"] = jsonArray(devices, [](const auto& device) { return glycine::toJson(device); });
    Json& values = json["settings"] = Json::object();
    for (const auto& [label, value] : settings) values[label] = value;
    if (!cutShort.empty()) json["cutShort"] = cutShort;
}

void printHead(std::ostream& out, std::initializer_list<Fields> parts, std::size_t width) {
    Fields head;
    for (const Fields& fields : parts) head.insert(head.end(), fields.begin(), fields.end());
    printFields(out, head, width);
}

void printConditions(std::ostream& out, const Conditions& conditions, const std::string& cutShort) {
    const std::string busy = busyLine(conditions);
    if (!cutShort.empty()) out << "Not finished: " << cutShort << '\n';
    out << busy;
    if (!busy.empty() || !cutShort.empty()) out << '\n';
}

void addToJson(Json& json, const Configuration& configuration) {
    json["backend"] = configuration.backend;
    json["variant"] = configuration.variant;
    json["numberFormat"] = configuration.numberFormat;
    if (configuration.dialect) json["dialect"] = configuration.dialectName();
}

void addToJson(Json& json, const MeasuredRow& row) {
    addToJson(json, row.configuration);
    if (row.threads > 0) json["threads"] = row.threads;
    if (!row.skipped.empty()) {
        json["skipped"] = row.skipped;
        return;
    }
    json["verified"] = !row.isWrong;
    json["check"] = row.check;
    if (row.digest && !row.isWrong)
        json["result"] = {{"digest", row.digest->text()},
                          {"elements", row.digest->elements},
                          {"samples", row.digest->samples}};
    if (!row.note.empty()) json["note"] = row.note;
    if (!row.cutShort.empty()) json["cutShort"] = row.cutShort;
}

std::string ceilingShareText(double share, const std::string& ceiling, const std::string& raisedBy) {
    const std::string text = fmt::format("{} of {}", formatShare(share, 1), ceiling);
    return raisedBy.empty() ? text : fmt::format("{}, raised by {}", text, raisedBy);
}

std::string shareText(const MeasuredRow& row) {
    if (!(row.ceilingShare() > 0)) return "–";
    const CeilingUse& use = row.ceilings.front();
    return ceilingShareText(row.ceilingShare(), use.name, use.raisedBy);
}

void addDimensions(Json& json, const MeasuredRow& row) {
    json["size"] = row.size;
    json["dimensions"] = jsonArray(row.dimensions, [](const auto& dimension) {
        return Json{{"name", dimension.first}, {"extent", dimension.second}};
    });
    for (const auto& [name, extent] : row.dimensions) json[name] = extent;
}

void addCeilings(Json& json, const MeasuredRow& row) {
    if (!(row.ceilingShare() > 0)) return;
    const auto toJson = [&row](const CeilingUse& use) {
        Json one = ceilingUseToJson(use);
        if (const double seconds = row.computingSeconds(use.stage); seconds > 0)
            one["share"] = use.shareOf(seconds);
        return one;
    };
    json["ceiling"] = toJson(row.ceilings.front());
    if (row.ceilings.size() > 1)
        json["otherCeilings"] = jsonArray(std::span(row.ceilings).subspan(1), toJson);
}

std::string sizeText(const MeasuredRow& row) {
    std::vector<std::string> extents;
    for (const auto& [name, extent] : row.dimensions) extents.push_back(formatCount(extent));
    return fmt::format("{}", fmt::join(extents, " × "));
}

std::string timeText(const MeasuredTime* time) {
    if (time == nullptr || time->seconds.maximum == 0) return "–";
    return fmt::format("{} ({})", formatSeconds(time->seconds.minimum), formatSeconds(time->seconds.median));
}

std::string incompleteText(std::string_view what, std::size_t index, std::size_t count,
                           std::string_view reason) {
    return fmt::format("{} {} of {} and later not complete: {}", what, index + 1, count, reason);
}

std::string outcomeText(const MeasuredRow& row, std::string_view skipped) {
    if (!row.skipped.empty()) return fmt::format("{}: {}", skipped, row.skipped);
    if (!row.isWrong && !row.hasTime()) return std::string(skipped);
    return (row.isWrong ? "WRONG: " : "") + row.check + (row.cutShort.empty() ? "" : "; " + row.cutShort);
}

}  // namespace glycine::study
