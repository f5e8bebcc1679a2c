#pragma once

#include <algorithm>
#include <vector>

#include "engine/core/device_probe.hpp"
#include "engine/gl/framework/gl_backend.hpp"

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

/// Sums of a thread of the compute stage (probes/add_min.comp with SUMS), and the number that the j-th one
/// adds to what all have in common.
inline constexpr int kProbeSums = 16;
constexpr int probeWeight(int j) {
    return 7 * j % kProbeSums;
}
/// Of sums j = 4 · part … 4 · part + 3, added up: each begins with 4 · `start` and becomes, in round r = 1 …
/// kProbeRounds, the least of itself, `start` − r + w(j) and `start` − 5 − 2 r + w(j + 1 mod kProbeSums),
/// w(j) being the weight. T: float or std::int32_t.
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
