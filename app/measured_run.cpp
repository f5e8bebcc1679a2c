#include "app/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "engine/command/time_report.hpp"
#include "engine/core/data_size.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::planning {

namespace {

/// More time that processes of MPI need to start and to end than one process (docs/machines.md).
constexpr double kTeamSeconds = 0.1;

RunSize measuredSize(const Json& report, const Costs& costs) {
    const auto count = [&](const char* name) { return report.at(name).get<std::size_t>(); };
    if (costs.isOfBounds()) return {count("atoms"), count("atoms")};
    if (costs.name == "mutualinfo") return {count("genes"), count("samples")};
    if (costs.name == "distance") return {count("instances"), count("attributes")};
    if (costs.isOfFiles()) {
        const Json& files = report.at("subjects");
        const std::size_t channels = files.at(0).at("channels").size();
        const auto epochs = report.at("epochs").get<double>();
        const Json samples = report.at("settings").value("epoch", Json());  // null: as long as the file says
        const double found =
            samples.is_number()
                ? samples.get<double>()
                : std::sqrt(report.at("comparisons").get<double>() / epochs) / static_cast<double>(channels);
        const auto rounded = [](double number) {
            return static_cast<std::size_t>(std::max(1.0, std::round(number)));
        };
        return {files.size(), rounded(epochs / static_cast<double>(files.size())), channels, rounded(found)};
    }
    const auto sequences = report.at("sequences").get<double>();
    const double each = report.at("cells").get<double>() / std::max(1.0, sequences * (sequences - 1) / 2);
    return {count("sequences"), static_cast<std::size_t>(std::max(1.0, std::round(std::sqrt(each))))};
}

double operationsOf(const Json& report, const Costs& costs, const RunSize& size) {
    if (costs.name == "pairwise") return report.at("cells").get<double>();
    // Files of unequal length count by all their epochs.
    if (costs.isOfFiles())
        return costs.operations({1, report.at("epochs").get<std::size_t>(), size.channels, size.samples});
    return costs.operations(size);
}

/// Whether all processes read only a part of this input, where it lies.
bool isReadInPlace(const Json& settings, const Costs& costs) {
    if (costs.readAtOnce == 0) return false;
    const std::string ending = lowerCase(
        std::filesystem::path(settings.at(costs.name == "mutualinfo" ? "EXPR" : "IN").get<std::string>())
            .extension()
            .string());
    return (ending == ".bed" || ending == ".npy") && !settings.value("transpose", false);
}

/// Bytes of a value in the store; 0: as usual.
double bytesPerValue(const Json& report, const Costs& costs) {
    const Json type = report.at("settings").value("dtype", Json());  // null: the algorithm's choice
    if (type == "float32" || type == "int32") return sizeof(float);
    if (type == "float64") return sizeof(double);
    if (costs.name == "distance" && report.value("measure", "mismatch") != "mismatch") return sizeof(double);
    return costs.name == "mutualinfo" && report.value("precision", "float64") != "float64" ? sizeof(float)
                                                                                           : 0;
}

/// What the report says of a run that is no measure of one device; empty if nothing.
std::string unsuitable(const Json& report) {
    if (report.contains("devices") || report.contains("shared"))
        return "of several devices or processes; expected one process on one device";
    if (report.value("tilesResumed", 0) > 0 || report.value("epochsKept", 0) > 0)
        return "that was resumed; expected one from the beginning (--restart)";
    if (report.contains("tetrangles")) return "with --tetrangle, which has no plan";
    return "";
}

enum class Law { Start, Read, Prepare, Open, Pack, Compute, Upload, Download, Store, Recount, Input, Values };

Law lawOf(std::string_view stage) {
    using enum Law;
    constexpr std::pair<std::string_view, Law> kLaws[] = {
        {"startUp", Start},   {"read", Read},           {"prepare", Prepare},   {"open", Open},
        {"pack", Pack},       {"upload", Upload},       {"download", Download}, {"store", Store},
        {"recount", Recount}, {TimeLine::kOther, Input}};
    for (const auto& [name, law] : kLaws)
        if (name == stage) return law;
    return groupOf(stage) == TimeGroup::Kernel ? Compute : Values;
}

}  // namespace

double MeasuredRun::computeSeconds() const {
    double seconds = 0;
    for (const TimedStage& stage : stages)
        if (lawOf(stage.stage) == Law::Compute) seconds += stage.seconds;
    return seconds;
}

bool isRunReport(const Json& report) {
    return report.is_object() && report.contains("command") && report.contains("seconds");
}

MeasuredRun readMeasuredRun(const Json& report, const std::string& name, const Costs& costs) try {
    if (report.at("command") != costs.name)
        throw InputError(fmt::format("{}: the report of a run of {}; expected one of {}", name,
                                     report.at("command").get<std::string>(), costs.name));
    if (const std::string found = unsuitable(report); !found.empty())
        throw InputError(fmt::format("{}: the report of a run {}", name, found));
    const Json& settings = report.at("settings");
    MeasuredRun run;
    run.request.costs = &costs;
    run.request.size = measuredSize(report, costs);
    run.request.backend = report.at("device").at("backend").get<std::string>();
    run.request.precision = costs.name == "mutualinfo" ? report.value("precision", "") : "";
    run.request.tile = settings.value("tile", std::size_t{0});
    run.request.isInPlace = isReadInPlace(settings, costs);
    run.request.bytesPerValue = bytesPerValue(report, costs);
    run.operations = operationsOf(report, costs, run.request.size);
    for (const auto& [stage, seconds] : report.at("seconds").items())
        if (stage != "wall" && stage != "overlapped")
            run.stages.push_back({.stage = stage, .seconds = seconds.get<double>()});
    if (!(run.operations > 0) || !(run.computeSeconds() > 0))
        throw InputError(fmt::format("{}: the run computed nothing; expected a larger one", name));
    const RunSize& size = run.request.size;
    run.label = fmt::format("{} of {} by {}, {}", costs.name,
                            costs.isOfBounds() ? formatCount(size.instances, "atom")
                                               : formatDataSize({size.instances, size.attributes}),
                            report.at("variant").get<std::string>(), name);
    return run;
} catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: as the report of a run of {}: {}", name, costs.name, error.what()));
}

std::vector<TimedStage> scaleStages(const MeasuredRun& measured, const RunRequest& request,
                                    const RunDivision& division) {
    const Costs& costs = *request.costs;
    const RunSize& from = measured.request.size;
    const auto machines = static_cast<double>(request.machines);
    const auto workers = static_cast<double>(request.workers());
    const bool isTeam = request.machines > 1 || request.processesOfMachine() > 1;
    const double input = costs.inputNumbers(request.size) / costs.inputNumbers(from);
    const double values = costs.values(request.size) / costs.values(from);
    const double operations = costs.operations(request.size) / measured.operations;
    // Processes of a machine share its processors.
    const double span = division.span * static_cast<double>(request.isOfProcessors() ? request.devices : 1);
    const double moved =
        costs.isOfBounds() ? 0 : division.movedNumbers / divide(measured.request).movedNumbers;
    const double limit = std::max(StageRecount::kStageSeconds,
                                  StageRecount::kStageShare * measured.computeSeconds() * operations * span);

    std::vector<TimedStage> stages;
    for (const TimedStage& stage : measured.stages) {
        const auto factor = [&]() -> double {
            switch (lawOf(stage.stage)) {
                case Law::Start:
                    return 1;
                case Law::Prepare:
                    if (costs.isOfFiles()) return operations * span;
                    [[fallthrough]];
                case Law::Read:
                    if (costs.isOfBounds()) return values;
                    if (costs.isOfFiles()) return input * division.firstReads;
                    return input * (request.isInPlace ? 1 / machines
                                                      : static_cast<double>(request.processesOfMachine()));
                case Law::Open:
                    return input / machines;
                case Law::Pack:
                    return input * division.timesRead / machines;
                case Law::Compute:
                    return operations * span;
                // The first process of bounds hands out and collects blocks.
                case Law::Upload:
                    return costs.isOfBounds() ? values : costs.isOfFiles() ? input * span : moved / workers;
                case Law::Download:
                    return costs.isOfBounds() ? values : costs.isOfFiles() ? input * span : values / workers;
                case Law::Store:
                    return values / machines;
                case Law::Recount:
                    return operations / values;
                case Law::Input:
                    return input;
                case Law::Values:
                    return values;
            }
            return 1;
        };
        TimedStage planned{.stage = stage.stage, .seconds = stage.seconds * factor()};
        if (lawOf(stage.stage) == Law::Start && isTeam) planned.seconds += kTeamSeconds;
        if (lawOf(stage.stage) == Law::Recount) {
            // Blocks that other processes have computed are re-counted on cpu, too.
            const bool isOfHost = request.isOfProcessors() && request.machines == 1;
            if (costs.isOfBounds() && workers > 1)
                planned.seconds = isOfHost ? StageRecount::kStageSeconds : limit;
            planned.seconds = std::min(planned.seconds, limit);
        }
        stages.push_back(std::move(planned));
    }
    return stages;
}

}  // namespace glycine::planning
