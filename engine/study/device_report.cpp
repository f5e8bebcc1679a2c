#include "engine/study/device_report.hpp"

#include <fmt/format.h>

#include <ostream>

#include "engine/core/quantity.hpp"

namespace glycine::study {

namespace {

std::string bestText(const DeviceCeiling& ceiling) {
    if (!ceiling.wrong.empty()) return "WRONG";
    if (!ceiling.hasValue()) return "–";
    return fmt::format("{} ({})", formatNumber(ceiling.best()), formatNumber(ceiling.value.median));
}

}  // namespace

void DeviceReport::print(std::ostream& out, std::size_t width) const {
    for (const MeasuredDevice& one : measured) {
        out << one.device.backend << (one.device.dialect.empty() ? "" : " (" + one.device.dialect + ")");
        if (!one.unavailable.empty()) {
            out << ": not measured: " << one.unavailable << "\n\n";
            continue;
        }
        out << '\n';
        TableOf<DeviceCeiling> table;
        table.add({"ceiling"}, [](const auto& ceiling) { return ceiling.name; });
        table.add({"best (median)", Align::Right}, bestText);
        table.add({"unit"}, [](const auto& ceiling) { return ceiling.unit; });
        table.add({"interval of the median", Align::Right}, [](const auto& ceiling) -> std::string {
            if (!ceiling.hasValue()) return "–";
            return fmt::format("{} … {}", formatNumber(ceiling.value.interval.low),
                               formatNumber(ceiling.value.interval.high));
        });
        table.add({"how"}, [](const auto& ceiling) { return ceiling.note(); });
        table.print(out, one.ceilings, width);
        out << '\n';
    }
    printConditions(out, conditions, cutShort);
    printHead(out, {environmentFields(environment), deviceFields(), conditionFields(conditions), settings},
              width);
}

Json ceilingToJson(const DeviceCeiling& ceiling) {
    Json json{{"name", ceiling.name}, {"unit", ceiling.unit}};
    if (!ceiling.wrong.empty()) {
        json["wrong"] = ceiling.wrong;
    } else if (!ceiling.hasValue()) {
        json["absent"] = ceiling.absent;
    } else {
        json["best"] = ceiling.best();
        json["value"] = glycine::toJson(ceiling.value);
        json["how"] = ceiling.how;
    }
    return json;
}

Json DeviceReport::toJson() const {
    Json json{{"command", "bench device"}};
    addTo(json);
    addToJson(json, conditions);
    json["measured"] = jsonArray(measured, [](const MeasuredDevice& one) {
        Json device{{"device", glycine::toJson(one.device)}};
        if (one.threads > 0) device["threads"] = one.threads;
        if (!one.unavailable.empty()) device["unavailable"] = one.unavailable;
        device["ceilings"] =
            jsonArray(one.ceilings, [](const auto& ceiling) { return ceilingToJson(ceiling); });
        return device;
    });
    return json;
}

void keepCeilings(const Json& report, CeilingsInUse& ceilings) {
    for (const Json& one : report.at("measured")) {
        const Json& device = one.at("device");
        for (const Json& json : one.at("ceilings")) {
            DeviceCeiling ceiling{.name = json.at("name").get<std::string>(),
                                  .unit = json.at("unit").get<std::string>()};
            if (json.contains("value")) ceiling.value = statisticsFrom(json["value"]);
            ceiling.how = json.value("how", "");
            ceiling.absent = json.value("absent", "");
            ceiling.wrong = json.value("wrong", "");
            ceilings.keep(device.at("backend").get<std::string>(), device.value("dialect", ""),
                          one.value("threads", 0), std::move(ceiling));
        }
    }
}

}  // namespace glycine::study
