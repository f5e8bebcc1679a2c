#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/command/run_report.hpp"
#include "engine/crossapen/groups/group_comparison.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"

namespace glycine::crossapen {

/// Everything that `glycine crossapen` tells about a run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override;
    Json json() const override;

    Parameters parameters;
    BatchReport batch;
    std::vector<SubjectEntropies> subjects;
    std::optional<GroupComparison> groups;
    double writeSeconds = 0;
};

/// The JSON report as a file.
void writeSummary(const std::filesystem::path& path, const RunReport& report);

}  // namespace glycine::crossapen
