#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "engine/study/conditions.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/report.hpp"

namespace glycine::study {

/// The measured ceilings of one device.
struct MeasuredDevice {
    DeviceDescription device;
    int threads = 0;            ///< threadsOf(backend)
    std::string unavailable{};  ///< why the backend cannot run; the description then has only its name
    std::vector<DeviceCeiling> ceilings{};
};

/// Output of `glycine bench device`.
struct DeviceReport : Report {
    Conditions conditions;
    std::vector<MeasuredDevice> measured;

    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;
};

/// Stores the ceilings of a report's JSON, {"measured": […]}, for results measured later. Throws the JSON
/// library's exceptions.
void keepCeilings(const Json& report, CeilingsInUse& ceilings);

/// {"name", "unit", "value": Statistics, "best", "how"}, or {"name", "unit"} with "absent" or "wrong".
Json ceilingToJson(const DeviceCeiling& ceiling);

}  // namespace glycine::study
