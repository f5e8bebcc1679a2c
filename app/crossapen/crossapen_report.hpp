#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/algorithms/crossapen/groups/group_comparison.hpp"
#include "engine/algorithms/crossapen/results/subject_entropies.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/run_report.hpp"

namespace glycine::crossapen {

/// Everything that `glycine crossapen` tells about a run.
struct RunReport : RunHead {
    Parameters parameters;
    BatchReport batch;
    std::vector<SubjectEntropies> subjects;
    std::optional<GroupComparison> groups;
    double writeSeconds = 0;
};

/// On standard output: a few lines for people, or JSON.
void printRunReport(CommandContext& context, const RunReport& report, bool asJson);
/// The JSON report as a file.
void writeSummary(const std::filesystem::path& path, const RunReport& report);

}  // namespace glycine::crossapen
