#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/command_context.hpp"
#include "engine/command/environment.hpp"
#include "engine/command/options.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/text_table.hpp"

/// What the reports of all commands that write files have in common.
namespace glycine {

/// What is told about a run: the common part. Each algorithm adds its own.
struct RunHead {
    virtual ~RunHead() = default;
    /// For people: a few lines.
    virtual void print(std::ostream& out) const = 0;
    virtual Json json() const = 0;

    const Options* options = nullptr;  ///< the settings
    DeviceDescription device;
    std::string backendReason;                 ///< why this backend; empty when the user named it
    std::optional<RecountReport> recount;      ///< of results of gl and cuda
    std::vector<std::filesystem::path> files;  ///< written, in this order
};

/// On standard output, or on standard error where an output went to standard output: a few lines for people,
/// or JSON.
void printRunReport(CommandContext& context, const RunHead& report, bool asJson);

/// Adds "Backend" and "Device". `variant`: the one that ran, and what else is said of it: "blocked, float32".
void addDeviceFields(Fields& fields, const DeviceDescription& device, std::string_view variant);
/// Adds "Wrote" with a line a file; many of one kind in a row are named by the first and the last.
void addFileFields(Fields& fields, const std::vector<std::filesystem::path>& files);
/// "12", or "12, of which 5 were kept from an earlier run": tiles, epochs.
std::string describeParts(std::size_t parts, std::size_t kept);
/// The first members of a run's JSON report: command, environment, device, settings, recount.
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
