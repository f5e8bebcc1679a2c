#include "engine/bounds/tetrangle_limit.hpp"
#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

/// Tetrangle limits (engine/bounds/tetrangle.hpp): a block takes a tile of pairs and an atom k, and goes
/// through the atoms l > k. Points depend on one atom of a pair, so a tile of 32 × 32 pairs shares those of
/// 64 atoms: there are few square roots compared with pairs of points. Every expression has the operations of
/// the reference in its order, and a minimum depends on no order, so that the limits have its bits.
namespace glycine::cuda {

namespace {

using bounds::kLeastTetrangleHeight;
using bounds::kLeastTetrangleWeight;

constexpr int kPairTile = 32;              // atoms on each side
constexpr int kPairSide = 16;              // threads on each side, 2 × 2 pairs each
constexpr int kPairAtoms = 2 * kPairTile;  // i, then j
constexpr int kThirdAtoms = 8;             // l at once
/// A point's bounds to k and to l, and the one between these, by the signs of their weights.
enum PointKind { kLowerLower, kUpperUpper, kLowerUpper, kUpperLower, kPointKinds };

struct PointsOfAtoms {
    double x[kThirdAtoms][kPointKinds][kPairAtoms];
    double y[kThirdAtoms][kPointKinds][kPairAtoms];       // NaN: none, or too flat
    double perLower[kThirdAtoms], perUpper[kThirdAtoms];  // 1 / distance of k and l
};

struct PointOfAtom {
    double x, y;
};

template <bool isPlus>
__device__ bool hasWeightSign(double weight) {
    return isPlus ? weight > kLeastTetrangleWeight : weight < -kLeastTetrangleWeight;
}

/// i and j on two sides of the line through k and l.
template <bool plusK, bool plusL>
__device__ void limitAcross(double perAcross, const PointOfAtom& a, const PointOfAtom& b, double& upper) {
    const double weightL = -(perAcross * (b.y * a.x + a.y * b.x));
    const double weightK = -(a.y + b.y) - weightL;
    if (!(hasWeightSign<plusK>(weightK) && hasWeightSign<plusL>(weightL))) return;
    const double dx = a.x - b.x;
    const double dy = a.y + b.y;
    upper = fmin(upper, dx * dx + dy * dy);
}

/// i and j on one side.
template <bool plusK, bool plusL>
__device__ void limitBeside(double perAcross, const PointOfAtom& a, const PointOfAtom& b, double& lower) {
    const double weightL = perAcross * (a.y * b.x - b.y * a.x);
    const double weightK = a.y - b.y - weightL;
    if (!(hasWeightSign<plusK>(weightK) && hasWeightSign<plusL>(weightL))) return;
    const double dx = a.x - b.x;
    const double dy = a.y - b.y;
    lower = fmax(lower, dx * dx + dy * dy);
}

__device__ PointOfAtom placeAtom(double squareToK, double squareToL, double square, double halfPer) {
    const double x = (squareToK + square - squareToL) * halfPer;
    const double y = sqrt(squareToK - x * x);
    return {x, y > kLeastTetrangleHeight ? y : nan("")};
}

__global__ void __launch_bounds__(kPairSide* kPairSide)
    tetrangleKernel(const TetrangleArrays arrays, std::size_t firstK) {
    if (blockIdx.x < blockIdx.y) return;  // pairs below the diagonal
    __shared__ PointsOfAtoms points;
    __shared__ double upperToK[kPairAtoms], lowerToK[kPairAtoms];
    const std::size_t n = arrays.atoms;
    const std::size_t k = firstK + blockIdx.z;
    const int thread = int(threadIdx.y) * kPairSide + int(threadIdx.x);
    const auto atomOf = [](int slot) {
        return slot < kPairTile ? std::size_t(blockIdx.y) * kPairTile + slot
                                : std::size_t(blockIdx.x) * kPairTile + (slot - kPairTile);
    };
    if (thread < kPairAtoms) {
        const std::size_t atom = atomOf(thread);
        upperToK[thread] = atom < n ? arrays.upper[k * n + atom] : 0;
        lowerToK[thread] = atom < n ? arrays.lower[k * n + atom] : 0;
    }
    double upper[2][2], lower[2][2];
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
            upper[a][b] = HUGE_VAL;
            lower[a][b] = 0;
        }

    for (std::size_t first = k + 1; first < n; first += kThirdAtoms) {
        __syncthreads();
        for (int index = thread; index < kThirdAtoms * kPairAtoms; index += kPairSide * kPairSide) {
            const int third = index / kPairAtoms;
            const int slot = index % kPairAtoms;
            const std::size_t l = first + third;
            const std::size_t atom = atomOf(slot);
            PointOfAtom kinds[kPointKinds];
            if (l < n && atom < n) {
                const double upperToL = arrays.upper[l * n + atom];
                const double lowerToL = arrays.lower[l * n + atom];
                const double squareLower = arrays.lower[k * n + l], squareUpper = arrays.upper[k * n + l];
                const double halfLower = arrays.halfPerLower[k * n + l],
                             halfUpper = arrays.halfPerUpper[k * n + l];
                kinds[kLowerLower] = placeAtom(lowerToK[slot], lowerToL, squareLower, halfLower);
                kinds[kUpperUpper] = placeAtom(upperToK[slot], upperToL, squareLower, halfLower);
                kinds[kLowerUpper] = placeAtom(lowerToK[slot], upperToL, squareUpper, halfUpper);
                kinds[kUpperLower] = placeAtom(upperToK[slot], lowerToL, squareUpper, halfUpper);
            } else {
                for (PointOfAtom& kind : kinds) kind = {0, nan("")};
            }
            for (int kind = 0; kind < kPointKinds; ++kind) {
                points.x[third][kind][slot] = kinds[kind].x;
                points.y[third][kind][slot] = kinds[kind].y;
            }
        }
        if (thread < kThirdAtoms) {
            const std::size_t l = first + thread;
            points.perLower[thread] = l < n ? 2 * arrays.halfPerLower[k * n + l] : 0;
            points.perUpper[thread] = l < n ? 2 * arrays.halfPerUpper[k * n + l] : 0;
        }
        __syncthreads();
        for (int third = 0; third < kThirdAtoms; ++third) {
            const double perLower = points.perLower[third];
            const double perUpper = points.perUpper[third];
            const auto pointOf = [&](int kind, int slot) {
                return PointOfAtom{points.x[third][kind][slot], points.y[third][kind][slot]};
            };
            // One pair of kinds after the other: the points of all four at once would not fit the registers.
            PointOfAtom i[2][2], j[2][2];
            const auto load = [&](int kind, int other) {
                for (int s = 0; s < 2; ++s) {
                    const int row = int(threadIdx.y) + s * kPairSide;
                    const int column = kPairTile + int(threadIdx.x) + s * kPairSide;
                    i[s][0] = pointOf(kind, row);
                    i[s][1] = pointOf(other, row);
                    j[s][0] = pointOf(kind, column);
                    j[s][1] = pointOf(other, column);
                }
            };
            load(kLowerLower, kUpperUpper);
#pragma unroll
            for (int a = 0; a < 2; ++a)
#pragma unroll
                for (int b = 0; b < 2; ++b) {
                    limitBeside<true, true>(perLower, i[a][0], j[b][1], lower[a][b]);
                    limitAcross<false, false>(perLower, i[a][1], j[b][1], upper[a][b]);
                    limitBeside<false, false>(perLower, i[a][1], j[b][0], lower[a][b]);
                }
            load(kLowerUpper, kUpperLower);
#pragma unroll
            for (int a = 0; a < 2; ++a)
#pragma unroll
                for (int b = 0; b < 2; ++b) {
                    limitAcross<true, false>(perUpper, i[a][0], j[b][0], upper[a][b]);
                    limitBeside<true, false>(perUpper, i[a][0], j[b][1], lower[a][b]);
                    limitAcross<false, true>(perUpper, i[a][1], j[b][1], upper[a][b]);
                    limitBeside<false, true>(perUpper, i[a][1], j[b][0], lower[a][b]);
                }
        }
    }

    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
            const std::size_t i = atomOf(int(threadIdx.y) + a * kPairSide);
            const std::size_t j = atomOf(kPairTile + int(threadIdx.x) + b * kPairSide);
            if (i >= j || j >= n || i == k || j == k) continue;
            // Non-negative doubles have the order of integers with the same bits.
            const auto mostBits = static_cast<unsigned long long>(__double_as_longlong(upper[a][b]));
            const auto leastBits = static_cast<unsigned long long>(__double_as_longlong(lower[a][b]));
            if (mostBits < arrays.limitUpper[i * n + j]) atomicMin(&arrays.limitUpper[i * n + j], mostBits);
            if (leastBits > arrays.limitLower[i * n + j]) atomicMax(&arrays.limitLower[i * n + j], leastBits);
        }
}

}  // namespace

void launchTetrangles(const Launch& launch, const TetrangleArrays& arrays, const Range& k) {
    const unsigned tiles = unsigned((arrays.atoms + kPairTile - 1) / kPairTile);
    tetrangleKernel<<<dim3(tiles, tiles, unsigned(k.size())), dim3(kPairSide, kPairSide), 0, launch.stream>>>(
        arrays, k.begin);
    checkLaunch("tetrangles");
}

}  // namespace glycine::cuda
