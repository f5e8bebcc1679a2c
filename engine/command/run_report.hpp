#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/options.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/text_table.hpp"
#include "engine/command/time_report.hpp"
#include "engine/core/backend.hpp"
#include "engine/io/text/json_forward.hpp"

/// What the reports of all commands that write files have in common.

namespace glycine {

// Where a number was measured: the head of every report.

struct Environment {
    std::string build;      ///< program, version, commit, compiler
    std::string processor;  ///< its name and the number of its threads
    std::string system;     ///< "Linux 6.1.0-18-amd64, x86_64"
    std::string date;       ///< UTC, ISO 8601: "2026-01-31T12:00:00Z"
};
Environment currentEnvironment();
Fields environmentFields(const Environment& environment);
Json toJson(const Environment& environment);

/// A backend that took part in a report.
struct DeviceDescription {
    std::string backend;
    std::string dialect;  ///< `gl` only
    std::string device;
    std::string driver;
    std::string note = {};    ///< Backend::note
    bool isSoftware = false;  ///< Backend::isEmulated: what it does says nothing about a GPU
    bool operator==(const DeviceDescription&) const = default;
};
DeviceDescription describeDevice(const Backend& backend);
/// "gl (es300)", with the device and driver as value, and that it is a software renderer.
std::pair<std::string, std::string> deviceField(const DeviceDescription& description);
Json toJson(const DeviceDescription& description);

/// A stage of a run: of gl and cuda, why the host does it; empty: the device does.
struct StageWhere {
    std::string_view stage;  ///< "guide tree"
    std::string_view gl;
    std::string_view cuda;
};
// Reasons that several algorithms have.
inline constexpr std::string_view kStageOfInput = "each row by itself, as it is read";
inline constexpr std::string_view kStageInDouble = "in double precision, the same for all backends";
inline constexpr std::string_view kStageWithoutKernel = "has no passes or kernels";

/// What is told about a run: the common part. Each algorithm adds its own.
struct RunHead {
    virtual ~RunHead() = default;
    /// For people: a few lines.
    virtual void print(std::ostream& out) const = 0;
    virtual Json json() const = 0;

    const Options* options = nullptr;  ///< the settings
    const TimeLine* times = nullptr;   ///< the command's
    DeviceDescription device;
    std::vector<StageWhere> stages;            ///< of runs on gl and cuda, in their order
    std::string backendReason;                 ///< why this backend; empty when the user named it
    std::optional<RecountReport> recount;      ///< of results of gl and cuda
    std::vector<std::filesystem::path> files;  ///< written, in this order
    bool isVerbose = false;                    ///< print rates and all stages
};

/// On standard output, or on standard error where an output went to standard output: a few lines for people,
/// in as many words as the context has, or JSON.
void printRunReport(CommandContext& context, RunHead& report, bool asJson);

/// Adds "Backend", "Device" and, of gl and cuda, "On the host": the stages that left the device, and why.
/// `variant`: the one that ran, and what else is said of it: "blocked, float32".
void addDeviceFields(Fields& fields, const RunHead& head, std::string_view variant);
/// Adds "Time", and behind it, with RunHead::isVerbose, `more`: "; 12 G/s", with other names of stages than
/// describeTimes has.
void addTimeField(Fields& fields, const RunHead& head, const std::string& more = "",
                  const std::vector<StageWords>& words = {});
/// Adds "Wrote" with a line a file; many of one kind in a row are named by the first and the last.
void addFileFields(Fields& fields, const std::vector<std::filesystem::path>& files);
/// "12", or "12, of which 5 were kept from an earlier run": tiles, epochs.
std::string describeParts(std::size_t parts, std::size_t kept);
/// The first members of a run's JSON report: command, environment, device, settings, seconds, recount,
/// and of gl and cuda `stages`: {"stage": …, "where": "host", "why": …}, {…, "where": "gl"}.
Json runHeadJson(std::string_view command, const RunHead& head);
/// The names as JSON.
Json fileNames(const std::vector<std::filesystem::path>& files);

/// "bounds.npz (1.2 MiB)".
std::string describeFile(const std::filesystem::path& file);

/// What `glycine generate` tells, where printRunReport would: the files with their sizes and a `description`,
/// or as JSON the settings and the files.
void printGenerated(CommandContext& context, bool asJson, std::string_view algorithm, const Options& options,
                    const std::vector<std::filesystem::path>& files, const std::string& description);

}  // namespace glycine
