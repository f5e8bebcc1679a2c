#pragma once

#include <vector>

#include "engine/core/device_probe.hpp"
#include "engine/gl/gl_backend.hpp"

namespace glycine::gl {

/// What the fragment stage of the backend's device can do in its dialect: memory bandwidth, arithmetic in
/// registers, lookups of texels, overheads, transfers; and, in desktop contexts whose driver has one, what
/// the compute stage can do at additions and minima, which no algorithm uses. The backend outlives what the
/// probes start.
std::vector<DeviceProbe> glProbes(GlBackend& backend);

/// "compute stage add+min float32" or "… int32".
DeviceProbe computeStageProbe(GlBackend& backend, bool isInteger);

/// Rounds of a draw, below any limit on loops; chains of a fragment (probes/add_min.frag).
inline constexpr int kProbeRounds = 256;
inline constexpr int kProbeChains = 8;
/// The sum of the chains that begin with `start` and are lowered by 1 a step. T: float or std::int32_t.
template <class T>
T expectedChainSum(T start) {
    T c[kProbeChains];
    for (T& chain : c) chain = start;
    for (int round = 0; round < kProbeRounds; ++round)
        for (int j = 0; j < kProbeChains; ++j) {
            const T sum = c[(j + 1) % kProbeChains] - T{1};
            if (sum < c[j]) c[j] = sum;
        }
    T sum{};
    for (const T chain : c) sum += chain;
    return sum;
}

}  // namespace glycine::gl
