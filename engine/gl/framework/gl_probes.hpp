#pragma once

#include <algorithm>
#include <vector>

#include "engine/core/device_probe.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::gl {

/// Probes of the fragment stage in the backend's dialect: memory bandwidth, arithmetic in registers, texel
/// lookups, overheads, transfers. Desktop contexts whose driver has a compute stage also probe its additions
/// and minima, which no algorithm uses. The backend must outlive the probes' runners.
std::vector<DeviceProbe> glProbes(GlBackend& backend);

/// "compute stage add+min float32" or "… int32".
DeviceProbe computeStageProbe(GlBackend& backend, bool isInteger);

/// Rounds per draw, below any loop limit, and chains per fragment (probes/add_min.frag).
inline constexpr int kProbeRounds = 256;
inline constexpr int kProbeChains = 8;
/// Sum of the chains after all rounds. Chains begin with `start` and are lowered by 1 per step. T: float or
/// std::int32_t.
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

/// Sums per thread of the compute stage (probes/add_min.comp with SUMS), and the number that the j-th sum
/// adds to the common operands.
inline constexpr int kProbeSums = 16;
constexpr int probeWeight(int j) {
    return 7 * j % kProbeSums;
}
/// Total of the sums j = 4 · part … 4 · part + 3. Each begins with 4 · `start`. In round r = 1 … kProbeRounds
/// it becomes the least of itself, `start` − r + w(j) and `start` − 5 − 2 r + w(j + 1 mod kProbeSums), where
/// w(j) is the weight. T: float or std::int32_t.
template <class T>
T expectedSums(T start, int part) {
    T total{};
    for (int j = 4 * part; j < 4 * part + 4; ++j) {
        T sum = 4 * start;
        T x = start;
        T y = start - T{5};
        for (int round = 0; round < kProbeRounds; ++round) {
            x -= T{1};
            y -= T{2};
            sum = std::min(sum, x + static_cast<T>(probeWeight(j)));
            sum = std::min(sum, y + static_cast<T>(probeWeight((j + 1) % kProbeSums)));
        }
        total += sum;
    }
    return total;
}

}  // namespace glycine::gl
