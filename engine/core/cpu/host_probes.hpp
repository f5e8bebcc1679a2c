#pragma once

#include <vector>

#include "engine/core/device_probe.hpp"
#include "engine/core/host_backends.hpp"

namespace glycine::cpu {

/// What the threads of the backend can do together, with the vectors of its instruction set: memory
/// bandwidth by arrays far beyond the caches, arithmetic in registers, the cost of a parallel region. The
/// backend outlives what the probes start.
std::vector<DeviceProbe> hostProbes(const HostBackend& backend);

}  // namespace glycine::cpu
