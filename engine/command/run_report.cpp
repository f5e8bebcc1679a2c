#include "engine/command/run_report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <ostream>
#include <utility>

#include "engine/core/build_info.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine {

namespace {

constexpr std::size_t kMaxFiles = 4;  ///< consecutive files of one kind that are named individually

/// Stream for the report of a run that has written `files`.
std::ostream& reportStream(CommandContext& context, const std::vector<std::filesystem::path>& files) {
    const bool isTaken = std::ranges::any_of(files, storage::isStandardOutput);
    return isTaken ? context.err() : context.out();
}

/// Why the host runs a stage although the run uses this device; empty if the device runs it, or if the host
/// runs all.
std::string_view reasonOf(const StagePlacement& stage, const DeviceDescription& device) {
    return device.backend == "gl" ? stage.gl : device.backend == "cuda" ? stage.cuda : "";
}

}  // namespace

void printRunReport(CommandContext& context, RunHead& report, bool asJson) {
    std::ostream& out = reportStream(context, report.files);
    report.isVerbose = context.verbosity() == Verbosity::Verbose;
    if (asJson)
        printJson(out, report.json());
    else if (context.verbosity() != Verbosity::Quiet)
        report.print(out);
}

void addDeviceFields(Fields& fields, const RunHead& head, std::string_view variant) {
    const DeviceDescription& device = head.device;
    fields.emplace_back("Backend", fmt::format("{}, variant {}{}", device.backend, variant,
                                               device.dialect.empty() ? "" : ", dialect " + device.dialect));
    fields.emplace_back("Device", fmt::format("{}; {}", device.device, device.driver));
    if (!device.note.empty()) fields.emplace_back("Note", device.note);
    // Stages with the same reason share a line.
    std::vector<std::pair<std::string_view, std::string>> lines;
    for (const StagePlacement& stage : head.stages) {
        const std::string_view reason = reasonOf(stage, device);
        if (reason.empty()) continue;
        const auto line = std::ranges::find(lines, reason, [](const auto& one) { return one.first; });
        if (line == lines.end())
            lines.emplace_back(reason, stage.stage);
        else
            line->second += fmt::format(", {}", stage.stage);
    }
    for (const auto& [reason, stages] : lines)
        fields.emplace_back(&reason == &lines.front().first ? "On the host" : "",
                            fmt::format("{} ({})", stages, reason));
}

void addTimeField(Fields& fields, const RunHead& head, const std::string& more,
                  const std::vector<StageWords>& words) {
    if (head.times != nullptr)
        fields.emplace_back("Time",
                            describeTimes(*head.times, head.isVerbose, words) + (head.isVerbose ? more : ""));
}

void addFileFields(Fields& fields, const std::vector<std::filesystem::path>& files) {
    std::string label = "Wrote";
    for (auto file = files.begin(); file != files.end();) {
        const auto end = std::find_if(file, files.end(), [&file](const std::filesystem::path& other) {
            return other.extension() != file->extension();
        });
        const auto count = static_cast<std::size_t>(end - file);
        if (count > kMaxFiles) {
            fields.emplace_back(
                std::exchange(label, ""),
                fmt::format("{} … {} ({})", file->string(), (end - 1)->string(), formatCount(count, "file")));
            file = end;
        } else {
            fields.emplace_back(std::exchange(label, ""), describeFile(*file++));
        }
    }
}

std::string describeParts(std::size_t parts, std::size_t kept) {
    if (kept == 0) return fmt::format("{}", parts);
    return fmt::format("{}, of which {} were kept from an earlier run", parts, kept);
}

Json runHeadJson(std::string_view command, const RunHead& head) {
    Json json{
        {"command", command}, {"environment", toJson(currentEnvironment())}, {"device", toJson(head.device)}};
    if (head.device.backend == "gl" || head.device.backend == "cuda")
        for (const StagePlacement& stage : head.stages) {
            const std::string_view reason = reasonOf(stage, head.device);
            Json one{{"stage", stage.stage}, {"where", reason.empty() ? head.device.backend : "host"}};
            if (!reason.empty()) one["why"] = reason;
            json["stages"].push_back(std::move(one));
        }
    if (!head.backendReason.empty()) json["backendReason"] = head.backendReason;
    if (head.options != nullptr) json["settings"] = head.options->settings();
    if (head.times != nullptr) json["seconds"] = timesJson(*head.times);
    if (head.recount) json["recount"] = toJson(*head.recount);
    return json;
}

Json fileNames(const std::vector<std::filesystem::path>& files) {
    return jsonArray(files, [](const std::filesystem::path& file) { return file.string(); });
}

std::string describeFile(const std::filesystem::path& file) {
    if (storage::isStandardOutput(file)) return "standard output";
    return fmt::format("{} ({})", file.string(), formatBytes(std::filesystem::file_size(file)));
}

void printGenerated(CommandContext& context, bool asJson, std::string_view algorithm, const Options& options,
                    const std::vector<std::filesystem::path>& files, const std::string& description) {
    std::ostream& out = reportStream(context, files);
    if (asJson) {
        printJson(out, {{"command", "generate"},
                        {"algorithm", algorithm},
                        {"settings", options.settings()},
                        {"description", description},
                        {"files", fileNames(files)}});
        return;
    }
    if (context.verbosity() == Verbosity::Quiet) return;
    for (const std::filesystem::path& file : files) out << fmt::format("Wrote {}\n", describeFile(file));
    out << description << '\n';
}

Environment currentEnvironment() {
    Environment result;
    result.build = describeBuild();
    result.processor = HostBackend("cpu", 0).device();
    utsname system{};
    if (uname(&system) == 0)
        result.system = fmt::format("{} {}, {}", system.sysname, system.release, system.machine);
    result.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    return result;
}

Fields environmentFields(const Environment& environment) {
    return {{"build", environment.build},
            {"processor", environment.processor},
            {"system", environment.system},
            {"date", environment.date}};
}

Json toJson(const Environment& environment) {
    Json json;
    for (const auto& [name, value] : environmentFields(environment)) json[name] = value;
    return json;
}

DeviceDescription describeDevice(const Backend& backend) {
    return {std::string(backend.name()),
            std::string(backend.dialectName()),
            backend.device(),
            backend.driver(),
            backend.note(),
            backend.isEmulated()};
}

std::pair<std::string, std::string> deviceField(const DeviceDescription& description) {
    return {description.dialect.empty() ? description.backend
                                        : fmt::format("{} ({})", description.backend, description.dialect),
            fmt::format("{}; {}{}", description.device, description.driver,
                        description.isSoftware ? "; a software renderer, no GPU" : "")};
}

Json toJson(const DeviceDescription& description) {
    Json json{
        {"backend", description.backend}, {"device", description.device}, {"driver", description.driver}};
    if (!description.dialect.empty()) json["dialect"] = description.dialect;
    if (!description.note.empty()) json["note"] = description.note;
    if (description.isSoftware) json["softwareRenderer"] = true;
    return json;
}

}  // namespace glycine
