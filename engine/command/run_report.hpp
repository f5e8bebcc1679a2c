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

/// Report members that all commands that write files share.

namespace glycine {

// Where a number was measured; the head of every report.

struct Environment {
    std::string build;      ///< program, version, commit, compiler
    std::string processor;  ///< name and number of threads
    std::string system;     ///< "Linux 6.1.0-18-amd64, x86_64"
    std::string date;       ///< UTC, ISO 8601: "2026-01-31T12:00:00Z"
};
Environment currentEnvironment();
Fields environmentFields(const Environment& environment);
Json toJson(const Environment& environment);

/// A backend that took part in a run.
struct DeviceDescription {
    std::string backend;
    std::string dialect;  ///< `gl` only
    std::string device;
    std::string driver;
    std::string note = {};    ///< Backend::note
    bool isSoftware = false;  ///< Backend::isEmulated: its times say nothing about a GPU
    bool operator==(const DeviceDescription&) const = default;
};
DeviceDescription describeDevice(const Backend& backend);
/// "gl (es300)" with the device and driver as value, and a note if it is a software renderer.
std::pair<std::string, std::string> deviceField(const DeviceDescription& description);
Json toJson(const DeviceDescription& description);

/// A stage of a run, with the reasons why gl and cuda leave it to the host; empty: the device runs it.
struct StagePlacement {
    std::string_view stage;  ///< "guide tree"
    std::string_view gl;
    std::string_view cuda;
};
// Reasons that several algorithms share.
inline constexpr std::string_view kStageOfInput = "each row by itself, as it is read";
inline constexpr std::string_view kStageInDouble = "in double precision, the same for all backends";
inline constexpr std::string_view kStageWithoutKernel = "has no passes or kernels";
inline constexpr std::string_view kStageOfPicture = "pictures are the host's";

/// The common part of a run's report. Each algorithm adds its own fields.
struct RunHead {
    virtual ~RunHead() = default;
    /// Prints a few lines for people.
    virtual void print(std::ostream& out) const = 0;
    virtual Json json() const = 0;

    const Options* options = nullptr;  ///< for the settings
    const TimeLine* times = nullptr;   ///< stages of the command
    DeviceDescription device;
    std::vector<StagePlacement> stages;        ///< for runs on gl and cuda, in order
    std::string backendReason;                 ///< why this backend was chosen; empty if the user named it
    std::optional<RecountReport> recount;      ///< for results of gl and cuda
    std::vector<std::filesystem::path> files;  ///< written files, in order
    bool isVerbose = false;                    ///< print rates and all stages
};

/// Prints the report: a few lines for people, as detailed as the context's verbosity, or JSON. Uses standard
/// output, or standard error if an output went to standard output.
void printRunReport(CommandContext& context, RunHead& report, bool asJson);

/// Adds "Backend", "Device" and, for gl and cuda, "On the host": the stages that the device left to the host,
/// and why. `variant`: the one that ran, with details: "blocked, float32".
void addDeviceFields(Fields& fields, const RunHead& head, std::string_view variant);
/// Adds "Time", followed by `more` if RunHead::isVerbose: "; 12 G/s". `words`: names of stages that differ
/// from those of describeTimes.
void addTimeField(Fields& fields, const RunHead& head, const std::string& more = "",
                  const std::vector<StageWords>& words = {});
/// Adds "Wrote" with one line per file; of many consecutive files of one kind, only the first and the last
/// are named.
void addFileFields(Fields& fields, const std::vector<std::filesystem::path>& files);
/// "12", or "12, of which 5 were kept from an earlier run": tiles, epochs.
std::string describeParts(std::size_t parts, std::size_t kept);
/// First members of a run's JSON report: command, environment, device, settings, seconds and recount. For gl
/// and cuda also `stages`: {"stage": …, "where": "host", "why": …}, {…, "where": "gl"}.
Json runHeadJson(std::string_view command, const RunHead& head);
/// File names as JSON.
Json fileNames(const std::vector<std::filesystem::path>& files);

/// "bounds.npz (1.2 MiB)".
std::string describeFile(const std::filesystem::path& file);

/// Output of `glycine generate`, to the stream of printRunReport: files with their sizes and a `description`,
/// or settings and files as JSON.
void printGenerated(CommandContext& context, bool asJson, std::string_view algorithm, const Options& options,
                    const std::vector<std::filesystem::path>& files, const std::string& description);

}  // namespace glycine
