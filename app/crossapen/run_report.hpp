#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/algorithms/crossapen/groups/group_comparison.hpp"
#include "engine/algorithms/crossapen/results/subject_entropies.hpp"
#include "engine/command/environment.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::crossapen {

/// Everything that `glycine crossapen` tells about a run.
struct RunReport {
    Parameters parameters;
    DeviceDescription device;
    std::string backendReason;  ///< why this backend; empty when the user named it
    BatchReport batch;
    std::vector<SubjectEntropies> subjects;
    std::optional<GroupComparison> groups;
    double writeSeconds = 0;
    std::vector<std::filesystem::path> files;  ///< written, in this order
};

/// A few lines for people.
void printRunReport(std::ostream& out, const RunReport& report, std::size_t width);
Json toJson(const RunReport& report);

}  // namespace glycine::crossapen
