#pragma once

#include <vector>

#include "engine/core/device_probe.hpp"
#include "engine/core/host_backends.hpp"

namespace glycine::cpu {

/// Performance of all threads of the backend together, with the vectors of its instruction set. Measures
/// memory bandwidth with arrays far larger than the caches, arithmetic in registers, and the cost of a
/// parallel region. The backend must outlive the running probes.
std::vector<DeviceProbe> hostProbes(const HostBackend& backend);

}  // namespace glycine::cpu
