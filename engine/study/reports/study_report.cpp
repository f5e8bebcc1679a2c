#include "engine/study/reports/study_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/report.hpp"

namespace glycine::study {

namespace {

Contender contenderOf(const Json& row) {
    return {row.value("backend", ""), row.value("variant", ""), row.value("dialect", ""),
            row.value("numberFormat", "")};
}

/// One ceiling of a row, with the time that is compared with it.
struct UseInRow {
    CeilingUse use;
    double seconds = 0;  ///< 0: reports of earlier versions lack it
};

/// The uses in a row's JSON; those without a rate are omitted.
std::vector<UseInRow> usesIn(const Json& row) {
    std::vector<UseInRow> uses;
    const auto take = [&](const Json& json) {
        if (!json.is_object() || !json.contains("rate") || !json.contains("work")) return;
        UseInRow one{.use = ceilingUseFrom(json)};
        if (one.use.threads == 0) one.use.threads = row.value("threads", 0);
        if (const double share = json.value("share", 0.0); share > 0)
            one.seconds = one.use.leastSeconds() / share;
        uses.push_back(std::move(one));
    };
    if (row.contains("ceiling")) take(row["ceiling"]);
    for (const Json& other : row.value("otherCeilings", Json::array())) take(other);
    return uses;
}

CeilingKey ceilingKeyIn(const Json& row, const CeilingUse& use) {
    return {row.value("backend", ""), row.value("dialect", ""), use.threads, use.name};
}

std::string nameOfResult(const Json& row, const Json& step) {
    const Contender contender{row.value("backend", ""), row.value("variant", ""), row.value("dialect", ""),
                              row.value("numberFormat", "")};
    std::string where = step.value("figure", "");
    if (where.empty()) {
        where = step.value("algorithm", "");
        if (const std::string series = step.value("series", ""); !series.empty()) where += " " + series;
    }
    if (row.contains("problem"))
        return fmt::format("{} on {}, {}", contender.label(), where, row["problem"].get<std::string>());
    std::string extents;
    for (const Json& one : row.value("dimensions", Json::array()))
        extents += fmt::format("{}{} {}", extents.empty() ? "" : " × ", one.value("extent", 0),
                               one.value("name", ""));
    return fmt::format("{} on {}, {}", contender.label(), where, extents);
}

void raiseRow(Json& row, const RaisedCeilings& raised) {
    std::vector<UseInRow> uses = usesIn(row);
    if (uses.empty() || std::ranges::none_of(uses, [&](const UseInRow& one) {
            return raised.find(ceilingKeyIn(row, one.use)) != nullptr;
        }))
        return;
    for (UseInRow& one : uses) raised.apply(ceilingKeyIn(row, one.use), one.use);
    std::ranges::stable_sort(uses, std::greater(),
                             [](const UseInRow& one) { return one.use.leastSeconds(); });
    // Uses with a known time come first, because only their share can be computed.
    std::stable_partition(uses.begin(), uses.end(), [](const UseInRow& one) { return one.seconds > 0; });
    const auto toJson = [](const UseInRow& one) {
        Json json = ceilingUseToJson(one.use);
        if (one.seconds > 0) json["share"] = one.use.shareOf(one.seconds);
        return json;
    };
    row["ceiling"] = toJson(uses.front());
    row.erase("otherCeilings");
    for (std::size_t other = 1; other < uses.size(); ++other)
        row["otherCeilings"].push_back(toJson(uses[other]));
}

/// Updates a ceiling that was measured on a device.
void raiseMeasured(Json& device, const RaisedCeilings& raised) {
    const Json about = device.value("device", Json::object());
    for (Json& ceiling : device["ceilings"]) {
        if (!ceiling.contains("best")) continue;
        // Reports of earlier versions do not state the number of threads.
        const RaisedCeilings::Raise* raise = nullptr;
        for (const int threads : {device.value("threads", 0), 0})
            if (raise == nullptr)
                raise = raised.find({about.value("backend", ""), about.value("dialect", ""), threads,
                                     ceiling.value("name", "")});
        if (raise == nullptr) continue;
        if (!ceiling.contains("raisedBy")) ceiling["probed"] = ceiling["best"];
        ceiling["best"] = raise->rate;
        ceiling["raisedBy"] = raise->by;
    }
}

}  // namespace

bool isSoftware(const Json& device) {
    if (device.contains("softwareRenderer")) return device["softwareRenderer"].get<bool>();
    return device.value("backend", "") == "gl" && isSoftwareRenderer(device.value("device", ""));
}

double disturbanceOf(const Json& result) {
    if (result.value("busy", "").empty()) return 0;
    const Json load = result.value("load", Json::object());
    const auto shareOf = [&](const char* name) {
        const bool isKnown = load.contains(name) && load[name].is_number();
        return isKnown ? std::clamp(load[name].get<double>(), 0.0, 0.9) : 0.0;
    };
    const double others = std::max(shareOf("othersBefore"), shareOf("othersDuring"));
    const double loop = result.value("noise", Json::object()).value("loop", 0.0);
    return std::max(others / (1 - others), loop);
}

double disturbanceOf(const Conditions& conditions) {
    Json result = Json::object();
    addToJson(result, conditions);
    return disturbanceOf(result);
}

namespace {

/// The software renderer that a step used for a backend's rows; empty if none.
std::string softwareOf(const std::string& backend, const Json& result) {
    for (const Json& device : result.value("devices", Json::array()))
        if (device.value("backend", "") == backend && isSoftware(device)) return device.value("device", "");
    return {};
}

/// Dimensions of a row. Older reports have only the members named by the subject's label, in its order
/// ("epochs × channels × samples").
Dimensions dimensionsOf(const Json& row, const std::string& sizeLabel) {
    Dimensions dimensions;
    if (row.contains("dimensions")) {
        for (const Json& one : row["dimensions"])
            dimensions.emplace_back(one.at("name").get<std::string>(), one.at("extent").get<std::size_t>());
        return dimensions;
    }
    for (const auto& [name, value] : row.items())
        if (value.is_number_integer() && sizeLabel.find(name) != std::string::npos)
            dimensions.emplace_back(name, value.get<std::size_t>());
    std::ranges::sort(dimensions, {}, [&](const auto& one) { return sizeLabel.find(one.first); });
    return dimensions;
}

TimedRow timedRow(const Json& row, const StudyStepReport& step, double disturbance) {
    TimedRow timed{.contender = contenderOf(row),
                   .algorithm = step.algorithm,
                   .series = step.series,
                   .dimensions = dimensionsOf(row, step.result.value("sizeLabel", ""))};
    timed.skipped = row.value("skipped", "");
    timed.isBeyondLimit = row.value("beyondLimit", false);
    timed.isWrong = !row.value("verified", true);
    timed.check = row.value("check", "");
    timed.cutShort = row.value("cutShort", "");
    timed.rateUnit = step.result.value("rateUnit", "");
    timed.disturbance = disturbance;
    timed.software = softwareOf(timed.contender.backend, step.result);
    if (row.contains("seconds")) timed.seconds = statisticsFrom(row["seconds"].at("total"));
    const Json rates = row.value("rates", Json::object());
    for (const auto& [stage, rate] : rates.items()) timed.stageRates[stage] = rate.at("best").get<double>();
    if (row.contains("rates") && row["rates"].contains("total")) {
        timed.bestRate = row["rates"]["total"].at("best").get<double>();
        timed.work = timed.bestRate * timed.seconds.minimum;
    }
    if (row.contains("result")) {
        timed.digest = row["result"].at("digest").get<std::string>();
        // JSON has no NaN; null represents it.
        for (const Json& sample : row["result"].at("samples"))
            timed.samples.push_back(sample.is_null() ? std::nan("") : sample.get<double>());
    }
    if (row.contains("ceiling") && row["ceiling"].is_object()) {
        const Json& ceiling = row["ceiling"];
        timed.ceilingShare = ceiling.value("share", 0.0);
        // Reports without rates cannot be raised, and may contain shares above 1.
        if (timed.ceilingShare > 1) timed.ceilingShare = 0;
        timed.ceiling = ceiling.value("name", ceiling.value("what", ""));
        timed.raisedBy = ceiling.value("raisedBy", "");
        timed.isByOverhead = ceiling.value("unit", "") == "µs";
    }
    for (const Json& use : row.value("energy", Json::array()))
        timed.energy += fmt::format("{}{} J {}", timed.energy.empty() ? "" : ", ",
                                    formatNumber(use.at("joules").get<double>()), use.value("of", ""));
    return timed;
}

ComparedRow comparedRow(const Json& row, const StudyStepReport& step) {
    ComparedRow compared{.contender = contenderOf(row), .algorithm = step.algorithm, .inputs = step.series};
    compared.unit = step.result.value("unit", "");
    if (row.contains("skipped")) {
        compared.reason = row["skipped"].get<std::string>();
        return compared;
    }
    compared.count = row.at("inputs").get<std::size_t>();
    compared.equal = row.at("equalToTheBit").get<std::size_t>();
    const Json worst = row.value("worst", Json::object());
    const auto numberOf = [&](const char* name) {
        return worst.contains(name) && worst[name].is_number() ? worst[name].get<double>() : 0.0;
    };
    compared.difference = numberOf("largestDifference");
    compared.allowed = numberOf("allowedDifference");
    if (!row.at("agrees").get<bool>()) {
        compared.agreement = Agreement::Wrong;
        compared.reason = fmt::format("{}: {}", worst.value("input", ""), worst.value("place", ""));
    } else if (compared.count == 0) {
        compared.agreement = Agreement::Declined;
        compared.reason = row.value("declined", Json::array({""})).at(0).get<std::string>();
    } else {
        compared.agreement = compared.equal == compared.count ? Agreement::Equal : Agreement::Within;
    }
    return compared;
}

FigureClaim claimOf(const Json& json, const StudyStepReport& step) {
    FigureClaim claim;
    claim.figure = step.figure;
    claim.title = step.result.value("title", "");
    claim.claim = json.at("claim").get<std::string>();
    claim.place = json.value("place", "");
    claim.column = json.value("column", "");
    claim.published = json.value("published", "");
    claim.verdict = json.at("verdict").get<std::string>();
    claim.reason = json.value("reason", "");
    claim.disturbance = disturbanceOf(step.result);
    if (json.contains("low")) claim.low = json["low"].get<double>();
    if (json.contains("high")) claim.high = json["high"].get<double>();
    if (!json.contains("value") || !json["value"].is_number()) return claim;
    claim.value = json["value"].get<double>();
    claim.interval = {json.at("interval").at(0).get<double>(), json.at("interval").at(1).get<double>(),
                      json.value("confidence", 0.0)};
    return claim;
}

StudyStepReport stepOf(const Json& json) {
    StudyStepReport step;
    step.id = json.at("id").get<std::string>();
    step.kind = json.at("kind").get<std::string>();
    step.algorithm = json.value("algorithm", "");
    step.series = json.value("series", "");
    step.figure = json.value("figure", "");
    step.isDone = json.at("status").get<std::string>() == "done";
    if (!step.isDone) {
        step.reason = json.at("reason").get<std::string>();
        return step;
    }
    step.result = json.at("result");
    step.cutShort = json.value("cutShort", "");
    step.busy = step.result.value("busy", "");
    return step;
}

Fields fieldsOf(const Json& object) {
    Fields fields;
    for (const auto& [name, value] : object.items())
        if (value.is_string()) fields.emplace_back(name, value.get<std::string>());
    return fields;
}

EndToEndTimes endToEndTimesOf(const Json& row, const StudyStepReport&) {
    EndToEndTimes whole{
        .algorithm = row.at("algorithm"), .name = row.at("name"), .backend = row.at("backend")};
    whole.skipped = row.value("skipped", "");
    if (!whole.skipped.empty()) return whole;
    whole.isSoftware = isSoftware(row.at("device"));
    for (std::size_t group = 0; group < kEndToEndGroups.size(); ++group)
        whole.seconds[group] = row.at("groups").at(std::string(kEndToEndGroups[group])).get<double>();
    whole.copySeconds = row.at("copy").at("seconds");
    return whole;
}

/// The message of an error of the JSON library, without its prefix: "key 'id' not found".
std::string problemOf(const Json::exception& error) {
    const std::string_view text = error.what();
    return std::string(text.substr(text.starts_with('[') ? text.find("] ") + 2 : 0));
}

[[noreturn]] void refuseReport(const std::string& name, const std::string& found) {
    throw InputError(fmt::format("{}: {}; expected the report.json of `glycine study` or `glycine reproduce`",
                                 name, found));
}

/// Calls `read`, which reads the report's JSON at `place` ("/steps/3/result"). Throws InputError with the
/// report's name and the place if the JSON is not as expected there.
template <class Read>
void readAt(const std::string& report, const std::string& place, const Read& read) try {
    read();
} catch (const Json::exception& error) {
    refuseReport(report, fmt::format("at {}: {}", place, problemOf(error)));
}

std::string placeOf(const StudyReport& report, const StudyStepReport& step) {
    return fmt::format("/steps/{}/result", &step - report.steps.data());
}

template <class Row>
std::vector<Row> rowsOf(const StudyReport& report, std::string_view kind, const char* list,
                        Row (*make)(const Json&, const StudyStepReport&)) {
    std::vector<Row> rows;
    readDoneSteps(report, [&](const StudyStepReport& step) {
        if (step.kind != kind) return;
        const Json& all = step.result.at(list);
        for (std::size_t row = 0; row < all.size(); ++row)
            readAt(report.name, fmt::format("{}/{}/{}", placeOf(report, step), list, row),
                   [&] { rows.push_back(make(all.at(row), step)); });
    });
    return rows;
}

/// Reads the ceilings that raiseCeilings uses.
std::size_t countUses(const Json& row, const StudyStepReport&) {
    return usesIn(row).size();
}

}  // namespace

Json studyHead(const std::string& label, const std::vector<DeviceDescription>& devices) {
    std::vector<std::string> names;
    for (const DeviceDescription& device : devices)
        if (device.backend != "reference" && std::ranges::find(names, device.device) == names.end())
            names.push_back(device.device);
    return {{"schema", {{"name", kStudySchema}, {"version", kStudyVersion}}},
            {"command", "study"},
            {"label", label.empty() ? fmt::format("{}", fmt::join(names, "; ")) : label}};
}

Json stepHead(const std::string& id, std::string_view kind, const std::string& algorithm,
              const SweepStep& sweep, const std::string& figure) {
    Json step{{"id", id}, {"kind", kind}};
    if (!algorithm.empty()) step["algorithm"] = algorithm;
    if (!sweep.series.empty()) step["series"] = sweep.series;
    if (!figure.empty()) step["figure"] = figure;
    if (!sweep.arguments.empty()) step["arguments"] = sweep.arguments;
    return step;
}

std::string Contender::label() const {
    std::string text = application();
    if (!dialect.empty()) text += " " + dialect;
    if (!numberFormat.empty()) text += " " + numberFormat;
    return text;
}

std::string TimedRow::curve() const {
    if (series.empty() || series == contender.numberFormat) return contender.numberFormat;
    return contender.numberFormat.empty() ? series : series + " " + contender.numberFormat;
}

std::string TimedRow::size() const {
    std::vector<std::string> extents;
    for (const auto& [name, extent] : dimensions) extents.push_back(formatCount(extent) + " " + name);
    return fmt::format("{}", fmt::join(extents, " × "));
}

std::string TimedRow::problem() const {
    std::string text = algorithm;
    if (const std::string name = curve(); !name.empty()) text += " " + name;
    if (!dimensions.empty()) text += ", " + size();
    return text;
}

Interval TimedRow::certainty() const {
    return {seconds.interval.low / (1 + disturbance), seconds.interval.high * (1 + disturbance),
            seconds.interval.confidence};
}

std::string FigureClaim::text() const {
    return place.empty() ? claim : fmt::format("{} ({})", claim, place);
}

std::string FigureClaim::found() const {
    return value ? fmt::format("{:.3g} ({:.3g} … {:.3g})", *value, interval.low, interval.high) : "–";
}

std::string FigureClaim::certainVerdict() const {
    if (!value || disturbance == 0) return verdict;
    const auto crosses = [this](const std::optional<double>& limit) {
        return limit && interval.low / (1 + disturbance) < *limit &&
               *limit < interval.high * (1 + disturbance);
    };
    return crosses(low) || crosses(high) ? "undecided (busy machine)" : verdict;
}

std::vector<TimedRow> StudyReport::times() const {
    return rowsOf<TimedRow>(*this, "times", "rows", [](const Json& row, const StudyStepReport& step) {
        return timedRow(row, step, disturbanceOf(step.result));
    });
}

std::vector<ComparedRow> StudyReport::comparisons() const {
    return rowsOf<ComparedRow>(*this, "validation", "rows", comparedRow);
}

std::vector<EndToEndTimes> StudyReport::endToEndRuns() const {
    return rowsOf<EndToEndTimes>(*this, "commands", "rows", endToEndTimesOf);
}

std::vector<FigureClaim> StudyReport::claims() const {
    return rowsOf<FigureClaim>(*this, "figures", "claims", claimOf);
}

std::vector<std::string> StudyReport::algorithms() const {
    std::vector<std::string> names;
    for (const StudyStepReport& step : steps)
        if (!step.algorithm.empty() && std::ranges::find(names, step.algorithm) == names.end())
            names.push_back(step.algorithm);
    return names;
}

std::string TimedRow::shareText() const {
    return ceilingShare > 0 ? ceilingShareText(ceilingShare, ceiling, raisedBy) : "–";
}

bool StudyReport::requested(const std::string& backend) const {
    const auto isIt = [&](const auto& field) {
        return field.first == backend || field.first.starts_with(backend + " (");
    };
    return std::ranges::any_of(devices, isIt) || std::ranges::any_of(absent, isIt);
}

namespace {

/// Converts output of `glycine reproduce`, of one figure or of all, to a study of figures only.
Json studyOfFigures(const Json& json) {
    const Json figures = json.contains("figures") ? json["figures"] : Json::array({json});
    Json devices = Json::array();
    std::vector<DeviceDescription> graphics;
    std::set<std::string> listed;
    for (const Json& figure : figures)
        for (const Json& device : figure.at("devices")) {
            const auto backend = device.at("backend").get<std::string>();
            if (!listed.insert(backend + " " + device.value("dialect", "")).second) continue;
            devices.push_back(device);
            if (backend != "cpu")
                graphics.push_back({backend, {}, device.at("device").get<std::string>(), {}});
        }
    const Json& first = figures.at(0);
    Json study = studyHead("", graphics);
    if (study["label"] == "") study["label"] = first.at("environment").value("processor", "");
    study["scale"] = first.at("scale") == "quick" ? "quick" : "full";
    study["environment"] = first.at("environment");
    study["devices"] = std::move(devices);
    study["absent"] = Json::array();
    study["steps"] = jsonArray(figures, [](const Json& figure) {
        const auto id = figure.at("figure").get<std::string>();
        Json step = stepHead("figures-" + id, "figures", "", {}, id);
        step["status"] = "done";
        step["cutShort"] = figure.value("cutShort", "");
        step["result"] = figure;
        return step;
    });
    return study;
}

/// Returns a study's JSON as it is, and that of `glycine reproduce` as a study of figures only.
Json asStudy(const Json& json, const std::string& name) try {
    const bool isReproduction = json.is_object() && json.value("command", Json()) == "reproduce";
    return isReproduction ? studyOfFigures(json) : json;
} catch (const Json::exception& error) {
    refuseReport(name, fmt::format("as a report of `glycine reproduce`: {}", problemOf(error)));
}

}  // namespace

void readDoneSteps(const StudyReport& report, const std::function<void(const StudyStepReport&)>& read) {
    for (const StudyStepReport& step : report.steps)
        if (step.isDone) readAt(report.name, placeOf(report, step), [&] { read(step); });
}

StudyReport parseStudyReport(const Json& given, const std::string& name) {
    const auto refuse = [&](const std::string& found) { refuseReport(name, found); };
    const Json json = asStudy(given, name);
    if (!json.is_object() || !json.contains("schema") || !json["schema"].is_object())
        refuse("it has no \"schema\"");
    const Json& schema = json["schema"];
    if (!schema.contains("name") || schema["name"] != kStudySchema) refuse("its schema has another name");
    if (!schema.contains("version") || !schema["version"].is_number_integer())
        refuse("its schema has no version");
    if (schema["version"].get<int>() < 1 || schema["version"].get<int>() > kStudyVersion)
        throw InputError(fmt::format("{}: version {} of {}; this program reads 1 to {} ({})", name,
                                     schema["version"].dump(), kStudySchema, kStudyVersion, describeBuild()));
    StudyReport report;
    std::string place = "/";
    try {
        report.name = name;
        report.label = json.at("label").get<std::string>();
        report.scale = json.at("scale").get<std::string>();
        report.environment = fieldsOf(json.at("environment"));
        place = "/devices";
        for (const Json& device : json.at("devices")) {
            const std::string dialect = device.value("dialect", "");
            report.devices.emplace_back(
                device.at("backend").get<std::string>() + (dialect.empty() ? "" : " (" + dialect + ")"),
                fmt::format("{}; {}{}", device.at("device").get<std::string>(),
                            device.at("driver").get<std::string>(),
                            isSoftware(device) ? "; a software renderer, no GPU" : ""));
        }
        place = "/absent";
        for (const Json& one : json.at("absent"))
            report.absent.emplace_back(one.at("backend").get<std::string>(),
                                       one.at("reason").get<std::string>());
        Json steps = json.at("steps");
        const auto takeSteps = [&] {
            report.steps.clear();
            for (std::size_t index = 0; index < steps.size(); ++index) {
                place = fmt::format("/steps/{}", index);
                report.steps.push_back(stepOf(steps.at(index)));
            }
        };
        takeSteps();
        // Reads the rows now, so that errors appear here and not later.
        static_cast<void>(report.times());
        static_cast<void>(report.comparisons());
        static_cast<void>(report.claims());
        static_cast<void>(report.endToEndRuns());
        for (const char* kind : {"times", "figures"})
            static_cast<void>(rowsOf<std::size_t>(report, kind, "rows", countUses));
        readDoneSteps(report, [](const StudyStepReport& step) {
            if (step.kind == "ceilings")
                for (const Json& device : step.result.value("measured", Json::array()))
                    for (const Json& ceiling : device.value("ceilings", Json::array())) {
                        static_cast<void>(ceiling.at("name").get<std::string>());
                        if (ceiling.contains("value")) static_cast<void>(statisticsFrom(ceiling["value"]));
                    }
        });
        place = "/steps, their ceilings";
        report.raised = raiseCeilings(steps);
        takeSteps();
    } catch (const Json::exception& error) {
        refuse(fmt::format("at {}: {}", place, problemOf(error)));
    }
    return report;
}

Json readStudyJson(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(fmt::format("{}: cannot be read", path.string()));
    // Also reads pipes, whose size is unknown in advance.
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const std::string text = io::readText(io::openMemory(std::as_bytes(std::span(bytes)), path.string()));
    return asStudy(readJson(text, path.string(), "the report.json of `glycine study` or `glycine reproduce`"),
                   path.string());
}

StudyReport readStudyReport(const std::filesystem::path& path) {
    return parseStudyReport(readStudyJson(path), path.string());
}

// Ceilings of a study's report, raised by the results of all its steps.

RaisedCeilings raiseCeilings(Json& steps) {
    const auto withResult = [&](const auto& kinds, const auto& work) {
        for (Json& step : steps)
            if (step.value("status", "") == "done" &&
                std::ranges::find(kinds, step.value("kind", "")) != kinds.end())
                work(step);
    };
    const std::vector<std::string> timed{"times", "figures"};
    RaisedCeilings raised;
    withResult(timed, [&](const Json& step) {
        for (const Json& row : step.at("result").at("rows"))
            for (const UseInRow& one : usesIn(row))
                raised.note(ceilingKeyIn(row, one.use), one.use, one.seconds, nameOfResult(row, step));
    });
    if (raised.all().empty()) return raised;
    withResult(timed, [&](Json& step) {
        for (Json& row : step["result"]["rows"]) raiseRow(row, raised);
    });
    withResult(std::vector<std::string>{"ceilings"}, [&](Json& step) {
        if (step["result"].contains("measured"))
            for (Json& device : step["result"]["measured"]) raiseMeasured(device, raised);
    });
    return raised;
}

}  // namespace glycine::study
