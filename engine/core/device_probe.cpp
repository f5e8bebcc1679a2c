#include "engine/core/device_probe.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"

namespace glycine {

void requireProbeResult(std::string_view probe, double found, double expected) {
    if (found == expected) return;
    throw DeviceError(fmt::format("{}: {} was computed where {} was expected", probe, found, expected));
}

}  // namespace glycine
