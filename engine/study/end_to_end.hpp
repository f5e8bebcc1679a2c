#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/time_report.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/report.hpp"
#include "engine/study/subject.hpp"

/// Times whole commands, from input file to output files, each in its own process: the time that users wait,
/// and the kernels' share of it.
namespace glycine::study {

/// A command on a backend: its times, with stages from the run of median wall-clock time.
struct EndToEndRow {
    std::string algorithm;
    std::string name;                    ///< EndToEndRun::name
    std::vector<std::string> arguments;  ///< after `glycine`
    std::string backend;
    std::string variant{};
    std::string skipped{};  ///< why it has no times; empty otherwise
    DeviceDescription device{};
    Statistics seconds{};                      ///< from the start to the end of the process
    std::array<double, kTimeGroups> groups{};  ///< seconds of the median run, by TimeGroup
    double ending = 0;                         ///< seconds after the report, while the system reclaims memory
    Json stages{};                             ///< `seconds` from the command's own report
    double bytes = 0;                          ///< of the files read and written
    double copySeconds = 0;                    ///< least time of a plain copy of as many bytes

    double of(TimeGroup group) const { return groups[static_cast<std::size_t>(group)]; }
    /// Wall-clock seconds of the median run.
    double wall() const;
    /// The kernel's share of the wall clock.
    double kernelShare() const { return wall() > 0 ? of(TimeGroup::Kernel) / wall() : 0; }
    /// Wall clock divided by the time of the kernel or of the copy, whichever is longer.
    double ratio() const;
};

/// Output of `glycine bench end-to-end`.
struct EndToEndReport : Report {
    Conditions conditions;
    std::vector<EndToEndRow> rows;

    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;
};

struct EndToEndRules {
    std::vector<std::string> backends;
    Extent extent = Extent::Medium;
    std::filesystem::path folder{};  ///< parent of the temporary folder; empty: the system's
    std::size_t repeats = 5;         ///< rounds after the first one, which is dropped
    /// Returns why a backend must not run; empty if it may.
    std::function<std::string(const std::string& backend)> refusal{};
};

/// Generates each subject's inputs and runs its commands in rounds, each backend once per round. A backend
/// that cannot run a command gets the reason. Throws Error if an input cannot be generated.
EndToEndReport timeEndToEndRuns(const std::vector<const Subject*>& subjects, const EndToEndRules& rules,
                                CommandContext& context);

}  // namespace glycine::study
