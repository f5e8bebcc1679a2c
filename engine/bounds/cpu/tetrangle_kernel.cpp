#include "engine/bounds/cpu/tetrangle_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace glycine::bounds::cpu {

namespace {

struct Point {
    double x, y;  ///< k at 0, l at t; y NaN where no triangle has these sides
};
inline Point place(double squareToK, double squareToL, double t2, double halfPerT) {
    const double x = (squareToK + t2 - squareToL) * halfPerT;
    return {x, std::sqrt(squareToK - x * x)};
}

template <bool isPlus>
inline bool hasSign(double w) {
    return isPlus ? w > kLeastTetrangleWeight : w < -kLeastTetrangleWeight;
}

/// One pattern of signs of w_k and w_l, where w_i > 0: the largest d_ij (w_j > 0) and the least (w_j < 0).
template <bool plusK, bool plusL>
inline void limitBy(const SquaredBounds& i, const SquaredBounds& j, const SquaredBounds& k, std::size_t atomK,
                    std::size_t l, double& upper, double& lower) {
    constexpr bool isLowerKl = plusK == plusL;
    const double t2 = isLowerKl ? k.lower[l] : k.upper[l];
    const double halfPerT = isLowerKl ? k.halfPerLower[l] : k.halfPerUpper[l];
    const double toK = plusK ? i.lower[atomK] : i.upper[atomK];
    const Point a = place(toK, plusL ? i.lower[l] : i.upper[l], t2, halfPerT);
    if constexpr (!(plusK && plusL)) {
        const Point b =
            place(plusK ? j.lower[atomK] : j.upper[atomK], plusL ? j.lower[l] : j.upper[l], t2, halfPerT);
        const double wl = -2 * halfPerT * (b.y * a.x + a.y * b.x);
        const double wk = -(a.y + b.y) - wl;
        const double d2 = (a.x - b.x) * (a.x - b.x) + (a.y + b.y) * (a.y + b.y);
        const bool holds = (a.y > kLeastTetrangleHeight) && (b.y > kLeastTetrangleHeight) &&
                           hasSign<plusK>(wk) && hasSign<plusL>(wl);
        const double limit = holds ? d2 : HUGE_VAL;
        upper = limit < upper ? limit : upper;
    }
    const Point b =
        place(plusK ? j.upper[atomK] : j.lower[atomK], plusL ? j.upper[l] : j.lower[l], t2, halfPerT);
    const double wl = 2 * halfPerT * (a.y * b.x - b.y * a.x);
    const double wk = a.y - b.y - wl;
    const double d2 = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
    const bool holds = (a.y > kLeastTetrangleHeight) && (b.y > kLeastTetrangleHeight) && hasSign<plusK>(wk) &&
                       hasSign<plusL>(wl);
    const double limit = holds ? d2 : 0;
    lower = limit > lower ? limit : lower;
}

void tightenRow(const SquaredBounds& i, const SquaredBounds& j, const SquaredBounds& k, std::size_t atomK,
                const Range& range, TetrangleLimit& limits) {
    // One limit a lane: compilers find no vectors in a minimum that a whole loop shares.
    constexpr std::size_t kLanes = 32;
    double upper[kLanes];
    double lower[kLanes];
    std::fill_n(upper, kLanes, limits.upper);
    std::fill_n(lower, kLanes, limits.lower);
    // l = i and l = j make triangles of no height.
    for (std::size_t first = range.begin; first < range.end; first += kLanes) {
        const std::size_t lanes = std::min(kLanes, range.end - first);
#pragma omp simd
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t l = first + lane;
            limitBy<true, true>(i, j, k, atomK, l, upper[lane], lower[lane]);
            limitBy<true, false>(i, j, k, atomK, l, upper[lane], lower[lane]);
            limitBy<false, true>(i, j, k, atomK, l, upper[lane], lower[lane]);
            limitBy<false, false>(i, j, k, atomK, l, upper[lane], lower[lane]);
        }
    }
    limits = {*std::min_element(upper, upper + kLanes), *std::max_element(lower, lower + kLanes)};
}

}  // namespace

template <InstructionSet set>
TetrangleKernel TetrangleKernel::compiled() {
    return {&tightenRow};
}

template TetrangleKernel TetrangleKernel::compiled<kCompiledSet>();

}  // namespace glycine::bounds::cpu
