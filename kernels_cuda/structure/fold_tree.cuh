#pragma once

#include "kernels_cuda/structure/fold_evaluation.cuh"

/// A model's torsion tree, by the threads of a block. The first warp visits bodies that depend on others,
/// four at once with eight lanes each; other work covers all bodies at once.
namespace glycine::cuda {

namespace {

struct Six {
    double v[6];
};
__device__ Six six(const Vec& a, const Vec& b) {
    return {{a.x, a.y, a.z, b.x, b.y, b.z}};
}
__device__ Vec angular(const Six& s) {
    return {s.v[0], s.v[1], s.v[2]};
}
__device__ Vec linear(const Six& s) {
    return {s.v[3], s.v[4], s.v[5]};
}
__device__ double dot(const Six& a, const Six& b) {
    double sum = 0;
    for (int k = 0; k < 6; ++k) sum += a.v[k] * b.v[k];
    return sum;
}
__device__ Six operator+(const Six& a, const Six& b) {
    Six sum;
    for (int k = 0; k < 6; ++k) sum.v[k] = a.v[k] + b.v[k];
    return sum;
}
__device__ Six operator*(double s, const Six& a) {
    Six scaled;
    for (int k = 0; k < 6; ++k) scaled.v[k] = s * a.v[k];
    return scaled;
}

/// Symmetric, 6 × 6.
struct Inertia {
    __device__ static int placeOf(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }
    __device__ double& at(int i, int j) { return m[placeOf(i, j)]; }
    __device__ double at(int i, int j) const { return m[placeOf(i, j)]; }
    __device__ Six operator*(const Six& s) const {
        Six result;
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            result.v[i] = 0;
#pragma unroll
            for (int j = 0; j < 6; ++j) result.v[i] += at(i, j) * s.v[j];
        }
        return result;
    }
    double m[21];
};

/// The numbers of a model's bodies.
struct Bodies {
    /// A body's numbers lie side by side, as the lanes that share it read them.
    __device__ double& at(unsigned field, unsigned body) const { return numbers[body * kBodyFields + field]; }
    __device__ Vec vec(unsigned field, unsigned body) const {
        return {at(field, body), at(field + 1, body), at(field + 2, body)};
    }
    __device__ void put(unsigned field, unsigned body, const Vec& v) const {
        at(field, body) = v.x;
        at(field + 1, body) = v.y;
        at(field + 2, body) = v.z;
    }
    __device__ Six sixOf(unsigned field, unsigned body) const {
        return six(vec(field, body), vec(field + 3, body));
    }
    __device__ void put(unsigned field, unsigned body, const Six& s) const {
        put(field, body, angular(s));
        put(field + 3, body, linear(s));
    }
    __device__ Vec turned(unsigned field, unsigned body, const Vec& v) const {
        return v.x * vec(field, body) + v.y * vec(field + 3, body) + v.z * vec(field + 6, body);
    }
    __device__ Inertia inertia(unsigned body) const {
        Inertia result;
        for (int k = 0; k < 21; ++k) result.m[k] = at(kInertia + k, body);
        return result;
    }
    __device__ void put(const Inertia& inertia, unsigned body) const {
        for (int k = 0; k < 21; ++k) at(kInertia + k, body) = inertia.m[k];
    }

    // Fields of one step, after those that are kept.
    enum : unsigned {
        kRate = kKeptFields,    ///< of the torsion, at the time of the state
        kTurnRate = kRate + 1,  ///< of roots alone, as kShiftRate
        kShiftRate = kTurnRate + 3,
        kLocal = kShiftRate + 3,  ///< rotation about the body's axis
        kCentre = kLocal + 9,
        kAxis = kCentre + 3,
        kMotion = kAxis + 6,  ///< velocity, then acceleration
        kBias = kMotion + 6,
        kForce = kBias + 6,
        kPush = kForce + 6,
        kInertia = kPush + 6,
        kScale = kInertia + 21,
        kRest = kScale + 1,
        kFields = kRest + 1
    };

    double* numbers;
};
static_assert(Bodies::kFields == kBodyFields);

/// Copies between bodies and their kept numbers.
template <class Copy>
__device__ void copyKept(const FoldTree& tree, const FoldKept& what, const Bodies& bodies, double* kept,
                         const Copy& copy) {
    const unsigned shared = what.end * tree.bodies;
    const unsigned fields = what.rootEnd - kRotation;
    for (unsigned k = threadIdx.x; k < shared; k += kThreads)
        copy(bodies.at(k / tree.bodies, k % tree.bodies), kept[k]);
    for (unsigned k = threadIdx.x; k < fields * tree.rootCount; k += kThreads)
        copy(bodies.at(kRotation + k % fields, tree.roots[k / fields]), kept[shared + k]);
    __syncthreads();
}
__device__ void load(const FoldTree& tree, const FoldKept& what, const Bodies& bodies, double* kept) {
    copyKept(tree, what, bodies, kept, [](double& body, const double& number) { body = number; });
}
__device__ void store(const FoldTree& tree, const FoldKept& what, const Bodies& bodies, double* kept) {
    copyKept(tree, what, bodies, kept, [](const double& body, double& number) { number = body; });
}

/// Fetches a body's numbers into the first-level cache, which is too small for those of all bodies. Each of
/// the body's lanes fetches a line.
__device__ void fetchAhead(const Bodies& bodies, unsigned body, unsigned lane) {
    constexpr unsigned kLine = 128 / sizeof(double);
    static_assert(kBodyFields <= 7 * kLine + 1, "the last lane fetches the rest");
    if (body == kNoBody) return;
    const double* const line = &bodies.at(min(lane * kLine, kBodyFields - 1), body);
    asm volatile("prefetch.global.L1 [%0];" ::"l"(line));
}

/// Calls visit(at, lane) for each body from the roots to the ends, or back, with eight lanes for each body.
/// All lanes of the first warp call it together, some with kNoBody.
template <class Visit>
__device__ void sweep(const FoldTree& tree, const Bodies& bodies, bool isDown, const Visit& visit) {
    constexpr unsigned kLanes = 32 / kBodiesOfStep;
    if (threadIdx.x < 32) {
        const FoldVisit* const own = tree.visits + threadIdx.x / kLanes;
        const auto visitOf = [&](unsigned step) {
            return own[(isDown ? step : tree.steps - 1 - step) * kBodiesOfStep];
        };
        // Loads the next visit while the present one computes.
        FoldVisit next = visitOf(0);
        for (unsigned k = 0; k < tree.steps; ++k) {
            const FoldVisit at = next;
            next = visitOf(min(k + 1, tree.steps - 1));
            fetchAhead(bodies, next.body, threadIdx.x % kLanes);
            visit(at, threadIdx.x % kLanes);
            __syncwarp();
        }
    }
    __syncthreads();
}
/// Sums over a body's lanes, of which the first six count; all eight get the sum.
__device__ double sumOfBody(double value, unsigned lane) {
    if (lane >= 6) value = 0;
    for (unsigned offset = 4; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
    return value;
}

/// Columns of the rotation about a unit axis.
__device__ void putRotation(const Bodies& bodies, unsigned field, unsigned body, const Vec& axis,
                            double angle) {
    const double c = cos(angle);
    const double s = sin(angle);
    const Vec units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (unsigned k = 0; k < 3; ++k)
        bodies.put(field + 3 * k, body,
                   c * units[k] + s * cross(axis, units[k]) + ((1 - c) * dot(axis, units[k])) * axis);
}

/// Turns a root by `angle` about a unit axis.
__device__ void turnRoot(const Bodies& bodies, unsigned root, const Vec& axis, double angle) {
    putRotation(bodies, Bodies::kLocal, root, axis, angle);
    Vec axes[3];
    for (unsigned k = 0; k < 3; ++k)
        axes[k] = bodies.turned(Bodies::kLocal, root, bodies.vec(kRotation + 3 * k, root));
    // Restores orthonormality, which rounding erodes.
    const Vec x = (1 / sqrt(dot(axes[0], axes[0]))) * axes[0];
    Vec z = cross(x, axes[1]);
    z = (1 / sqrt(dot(z, z))) * z;
    bodies.put(kRotation, root, x);
    bodies.put(kRotation + 3, root, cross(z, x));
    bodies.put(kRotation + 6, root, z);
}

__device__ void placeAtoms(const FoldTree& tree, const Bodies& bodies, unsigned atoms, Vec* r) {
    for (unsigned b = threadIdx.x; b < tree.bodies; b += blockDim.x)
        if (tree.parent[b] >= 0) putRotation(bodies, Bodies::kLocal, b, tree.axis[b], bodies.at(kAngle, b));
    __syncthreads();
    static_assert(kPlace == kRotation + 9, "a lane for each column, and one for the place");
    sweep(tree, bodies, true, [&](const FoldVisit& at, unsigned lane) {
        if (at.parent == kNoBody || lane > 3) return;
        const Vec own = lane == 3 ? tree.offset[at.body] : bodies.vec(Bodies::kLocal + 3 * lane, at.body);
        const Vec turned = bodies.turned(kRotation, at.parent, own);
        bodies.put(kRotation + 3 * lane, at.body,
                   lane == 3 ? bodies.vec(kPlace, at.parent) + turned : turned);
    });
    for (unsigned a = threadIdx.x; a < atoms; a += blockDim.x)
        r[a] = bodies.vec(kPlace, tree.bodyOf[a]) + bodies.turned(kRotation, tree.bodyOf[a], tree.rest[a]);
    __syncthreads();
}

__device__ double blockSum(double value) {
    __shared__ double parts[kThreads / 32];
    for (unsigned offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffU, value, offset);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    double sum = 0;
    for (unsigned warp = 0; warp < kThreads / 32; ++warp) sum += parts[warp];
    __syncthreads();
    return sum;
}

}  // namespace

}  // namespace glycine::cuda
