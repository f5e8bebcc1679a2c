#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/command/run_report.hpp"
#include "engine/crossapen/groups/group_comparison.hpp"
#include "engine/crossapen/results/result_files.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"

namespace glycine::crossapen {

/// The report of a `glycine crossapen` run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override;
    Json json() const override;

    Parameters parameters;
    EntropyReport entropies;
    std::vector<pairs::DeviceShare> shares;  ///< files per device; empty for a single device
    std::vector<SubjectEntropies> subjects;
    std::optional<GroupComparison> groups;
};

/// Where the stages of a device's run take place. `variant`: the variant that ran.
std::vector<StagePlacement> stagesOf(const DeviceDescription& device, std::string_view variant,
                                     const SubjectOptions& what);

}  // namespace glycine::crossapen
