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

/// Whole commands, from an input file to output files, each a process of its own: what users wait for, and
/// the share of the kernels in it.
namespace glycine::study {

/// A command on a backend, in the run whose wall clock is the median, and what came of it.
struct EndToEndRow {
    std::string algorithm;
    std::string name;                    ///< WholeRun::name
    std::vector<std::string> arguments;  ///< behind `glycine`
    std::string backend;
    std::string variant{};
    std::string skipped{};  ///< why it has no times; empty: it has
    DeviceDescription device{};
    Statistics seconds{};                      ///< from the start to the end of the process
    std::array<double, kTimeGroups> groups{};  ///< seconds of it, by TimeGroup
    double ending = 0;                         ///< after the report: memory that the system takes back
    Json stages{};                             ///< `seconds` of the command's own report
    double bytes = 0;                          ///< of the files that are read and written
    double copySeconds = 0;                    ///< that a plain copy of as many bytes takes, the least

    double of(TimeGroup group) const { return groups[static_cast<std::size_t>(group)]; }
    /// Seconds of the process, of the run that the groups are of.
    double wall() const;
    /// Of the wall clock.
    double kernelShare() const { return wall() > 0 ? of(TimeGroup::Kernel) / wall() : 0; }
    /// How many times as long as its kernel or the copy, whichever is longer.
    double ratio() const;
};

/// What `glycine bench end-to-end` prints.
struct EndToEndReport : Report {
    Conditions conditions;
    std::vector<EndToEndRow> rows;

    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;
};

struct EndToEndRules {
    std::vector<std::string> backends;
    Extent extent = Extent::Medium;
    std::filesystem::path folder{};  ///< in which a temporary one is made; empty: the system's
    std::size_t repeats = 5;         ///< rounds after the one that is dropped
    /// Why a backend is not run; empty: it is.
    std::function<std::string(const std::string& backend)> refusal{};
};

/// Generates each subject's inputs, and runs its commands in rounds, each backend once a round. A backend
/// that cannot run one has the reason. Throws Error where an input cannot be generated.
EndToEndReport timeWholeRuns(const std::vector<const Subject*>& subjects, const EndToEndRules& rules,
                             CommandContext& context);

}  // namespace glycine::study
