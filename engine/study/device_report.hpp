#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "engine/study/conditions.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/report.hpp"

namespace glycine::study {

/// The ceilings of a device.
struct MeasuredDevice {
    DeviceDescription device;
    int threads = 0;            ///< threadsOf the backend
    std::string unavailable{};  ///< why there is none; the description has only the backend's name then
    std::vector<DeviceCeiling> ceilings{};
};

/// What `glycine bench device` prints.
struct DeviceReport : Report {
    Conditions conditions;
    std::vector<MeasuredDevice> measured;

    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;
};

/// The ceilings of a report's JSON, {"measured": […]}, for results that are measured later. Throws what the
/// JSON library throws.
void keepCeilings(const Json& report, CeilingsInUse& ceilings);

/// {"name", "unit", "value": Statistics, "best", "how"} or {"name", "unit", "absent"}; "wrong" likewise.
Json ceilingToJson(const DeviceCeiling& ceiling);

}  // namespace glycine::study
