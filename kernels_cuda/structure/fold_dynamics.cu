#include "engine/structure/dynamics.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/structure/fold_evaluation.cuh"

// The dynamics of torsion angles, as engine/structure/torsion_tree.cpp and fold.cpp have them, a block a
// model. What a body takes of others goes along the tree, level by level, in the first warp; all else is done
// for all bodies at once.

namespace glycine::cuda {

namespace fold {

namespace {

namespace dynamics = structure::dynamics;

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
    __device__ double& at(int i, int j) { return i >= j ? m[i * (i + 1) / 2 + j] : m[j * (j + 1) / 2 + i]; }
    __device__ double at(int i, int j) const {
        return i >= j ? m[i * (i + 1) / 2 + j] : m[j * (j + 1) / 2 + i];
    }
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

/// Of a sphere with its mass at `centre`, about the coordinates' origin.
__device__ Inertia inertiaOf(double mass, const Vec& c) {
    Inertia result{};
    const double p[3] = {c.x, c.y, c.z};
    const double own = 0.4 * mass * dynamics::kBodyRadius * dynamics::kBodyRadius + mass * dot(c, c);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) result.at(i, j) = (i == j ? own : 0) - mass * p[i] * p[j];
        result.at(3 + i, 3 + i) = mass;
    }
    result.at(4, 0) = -mass * c.z;
    result.at(5, 0) = mass * c.y;
    result.at(3, 1) = mass * c.z;
    result.at(5, 1) = -mass * c.x;
    result.at(3, 2) = -mass * c.y;
    result.at(4, 2) = mass * c.x;
    return result;
}

/// Solves I x = b, by Cholesky's method.
__device__ Six solve(Inertia l, Six b) {
    for (int j = 0; j < 6; ++j) {
        for (int k = 0; k < j; ++k) l.at(j, j) -= l.at(j, k) * l.at(j, k);
        l.at(j, j) = sqrt(l.at(j, j));
        for (int i = j + 1; i < 6; ++i) {
            for (int k = 0; k < j; ++k) l.at(i, j) -= l.at(i, k) * l.at(j, k);
            l.at(i, j) /= l.at(j, j);
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k) b.v[i] -= l.at(i, k) * b.v[k];
        b.v[i] /= l.at(i, i);
    }
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k) b.v[i] -= l.at(k, i) * b.v[k];
        b.v[i] /= l.at(i, i);
    }
    return b;
}

/// A model's numbers of all bodies.
struct Bodies {
    __device__ double& at(unsigned field, unsigned body) const {
        return numbers[std::size_t(field) * count + body];
    }
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

    // Beyond what is kept from step to step.
    enum : unsigned {
        kRate = kKeptFields,    ///< of the torsion, at the time of the state
        kTurnRate = kRate + 1,  ///< roots, of these two
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
    unsigned count;
};
static_assert(Bodies::kFields == kBodyFields);

/// Calls body(b) from the roots to the ends, or back.
template <class Body>
__device__ void sweep(const FoldTree& tree, bool isDown, const Body& body) {
    if (threadIdx.x < 32) {
        for (unsigned k = 0; k < tree.levels; ++k) {
            const unsigned level = isDown ? k : tree.levels - 1 - k;
            for (unsigned place = tree.firstOfLevel[level] + threadIdx.x;
                 place < tree.firstOfLevel[level + 1]; place += 32)
                body(tree.ofLevel[place]);
            __syncwarp();
        }
    }
    __syncthreads();
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

__device__ void placeAtoms(const FoldTree& tree, const Bodies& bodies, unsigned atoms, Vec* r) {
    for (unsigned b = threadIdx.x; b < tree.bodies; b += blockDim.x)
        if (tree.parent[b] >= 0) putRotation(bodies, Bodies::kLocal, b, tree.axis[b], bodies.at(kAngle, b));
    __syncthreads();
    sweep(tree, true, [&](unsigned b) {
        if (tree.parent[b] < 0) return;
        const unsigned parent = unsigned(tree.parent[b]);
        for (unsigned k = 0; k < 9; k += 3)
            bodies.put(kRotation + k, b, bodies.turned(kRotation, parent, bodies.vec(Bodies::kLocal + k, b)));
        bodies.put(kPlace, b, bodies.vec(kPlace, parent) + bodies.turned(kRotation, parent, tree.offset[b]));
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

/// Accelerations for the rates; returns the kinetic energy.
__device__ double accelerate(const FoldTree& tree, const Bodies& bodies, const Model& model) {
    for (unsigned b = threadIdx.x; b < tree.bodies; b += blockDim.x) {
        const Vec place = bodies.vec(kPlace, b);
        bodies.put(Bodies::kCentre, b, place + bodies.turned(kRotation, b, tree.centre[b]));
        if (tree.parent[b] < 0) {
            const Vec turn = bodies.vec(Bodies::kTurnRate, b);
            bodies.put(Bodies::kMotion, b, six(turn, bodies.vec(Bodies::kShiftRate, b) + cross(place, turn)));
        } else {
            const Vec axis = bodies.turned(kRotation, b, tree.axis[b]);
            bodies.put(Bodies::kAxis, b, six(axis, cross(place, axis)));
        }
    }
    __syncthreads();
    sweep(tree, true, [&](unsigned b) {
        if (tree.parent[b] >= 0)
            bodies.put(Bodies::kMotion, b,
                       bodies.sixOf(Bodies::kMotion, unsigned(tree.parent[b])) +
                           bodies.at(Bodies::kRate, b) * bodies.sixOf(Bodies::kAxis, b));
    });
    double kinetic = 0;
    for (unsigned b = threadIdx.x; b < tree.bodies; b += blockDim.x) {
        const Six motion = bodies.sixOf(Bodies::kMotion, b);
        const Vec w = angular(motion);
        if (tree.parent[b] >= 0) {
            const Six axis = bodies.sixOf(Bodies::kAxis, b);
            bodies.put(Bodies::kBias, b,
                       bodies.at(Bodies::kRate, b) *
                           six(cross(w, angular(axis)),
                               cross(w, linear(axis)) + cross(linear(motion), angular(axis))));
        }
        const Vec centre = bodies.vec(Bodies::kCentre, b);
        const double mass = tree.mass[b];
        const Vec v = linear(motion) + cross(w, centre);
        kinetic += 0.5 * mass * (dot(v, v) + 0.4 * dynamics::kBodyRadius * dynamics::kBodyRadius * dot(w, w));
        const Inertia inertia = inertiaOf(mass, centre);
        const Six momentum = inertia * motion;
        Six force = six(cross(w, angular(momentum)) + cross(linear(motion), linear(momentum)),
                        cross(w, linear(momentum)));
        for (unsigned e = tree.firstAtom[b]; e < tree.firstAtom[b + 1]; ++e) {
            const unsigned a = tree.atomsOf[e];
            const Vec gradient = dynamics::kEnergyUnit * model.gradient[a];
            force = force + six(cross(model.r[a], gradient), gradient);
        }
        bodies.put(Bodies::kForce, b, force);
        bodies.put(inertia, b);
    }
    __syncthreads();
    sweep(tree, false, [&](unsigned b) {
        Inertia inertia = bodies.inertia(b);
        Six force = bodies.sixOf(Bodies::kForce, b);
        for (unsigned e = tree.firstChild[b]; e < tree.firstChild[b + 1]; ++e) {
            const unsigned child = tree.children[e];
            force = force + bodies.sixOf(Bodies::kForce, child);
            for (int k = 0; k < 21; ++k) inertia.m[k] += bodies.at(Bodies::kInertia + k, child);
        }
        if (tree.parent[b] >= 0) {
            // What is handed on, I c − u (u·c)/d among it.
            const Six axis = bodies.sixOf(Bodies::kAxis, b);
            const Six bias = bodies.sixOf(Bodies::kBias, b);
            const Six u = inertia * axis;
            const double d = dot(axis, u);
            const double rest = -dot(axis, force);
            force = force + inertia * bias + ((rest - dot(u, bias)) / d) * u;
#pragma unroll
            for (int i = 0; i < 6; ++i)
#pragma unroll
                for (int j = 0; j <= i; ++j) inertia.at(i, j) -= u.v[i] * u.v[j] / d;
            bodies.put(Bodies::kPush, b, u);
            bodies.at(Bodies::kScale, b) = 1 / d;
            bodies.at(Bodies::kRest, b) = rest;
        }
        bodies.put(Bodies::kForce, b, force);
        bodies.put(inertia, b);
    });
    sweep(tree, true, [&](unsigned b) {
        if (tree.parent[b] < 0) {
            const Six a = -1.0 * solve(bodies.inertia(b), bodies.sixOf(Bodies::kForce, b));
            bodies.put(kTurnAcceleration, b, angular(a));
            bodies.put(kShiftAcceleration, b,
                       linear(a) + cross(angular(a), bodies.vec(kPlace, b)) +
                           cross(bodies.vec(Bodies::kTurnRate, b), bodies.vec(Bodies::kShiftRate, b)));
            bodies.put(Bodies::kMotion, b, a);
            return;
        }
        const Six a =
            bodies.sixOf(Bodies::kMotion, unsigned(tree.parent[b])) + bodies.sixOf(Bodies::kBias, b);
        const double torsion = (bodies.at(Bodies::kRest, b) - dot(bodies.sixOf(Bodies::kPush, b), a)) *
                               bodies.at(Bodies::kScale, b);
        bodies.at(kAcceleration, b) = torsion;
        bodies.put(Bodies::kMotion, b, a + torsion * bodies.sixOf(Bodies::kAxis, b));
    });
    return blockSum(kinetic);
}

/// The next step's length, and what velocities are scaled by.
__device__ double control(const FoldStep& step, double found, double total, double* timeStep,
                          double* lastTotal) {
    double length = *timeStep;
    if (!isnan(*lastTotal)) {
        const double error = fabs(total - *lastTotal) / fmax(fabs(total), 1e-9);
        const double factor = 1 + (step.accuracy - error) / (dynamics::kCoupling * fmax(error, 1e-12));
        length *= fmin(fmax(sqrt(fmax(factor, 0.25)), 0.7), 1.025);
        length = fmin(fmax(length, dynamics::kShortestStep), dynamics::kLongestStep);
    }
    *lastTotal = total;
    double coupling = 1 + (step.temperature - found) / (dynamics::kCoupling * fmax(found, 1.0));
    coupling = sqrt(fmin(fmax(coupling, 0.5), 1.5));
    if (found > 2 * step.temperature + 300) {
        coupling = sqrt(step.temperature / found);
        length = fmax(0.5 * length, dynamics::kShortestStep);
    }
    *timeStep = length;
    return coupling;
}

__device__ void moveOn(const FoldTree& tree, const Bodies& bodies, double coupling, double timeStep) {
    const double limit = dynamics::kLargestTurn / timeStep;
    for (unsigned b = threadIdx.x; b < tree.bodies; b += blockDim.x) {
        if (tree.parent[b] >= 0) {
            const double velocity =
                coupling * bodies.at(kVelocity, b) + timeStep * bodies.at(kAcceleration, b);
            bodies.at(kVelocity, b) = fmin(fmax(velocity, -limit), limit);
            bodies.at(kAngle, b) += timeStep * bodies.at(kVelocity, b);
            continue;
        }
        Vec turn = coupling * bodies.vec(kTurn, b) + timeStep * bodies.vec(kTurnAcceleration, b);
        const Vec shift = coupling * bodies.vec(kShift, b) + timeStep * bodies.vec(kShiftAcceleration, b);
        double size = sqrt(dot(turn, turn));
        if (size > limit) {
            turn = (limit / size) * turn;
            size = limit;
        }
        bodies.put(kTurn, b, turn);
        bodies.put(kShift, b, shift);
        bodies.put(kPlace, b, bodies.vec(kPlace, b) + timeStep * shift);
        if (size * timeStep < 1e-14) continue;
        putRotation(bodies, Bodies::kLocal, b, (1 / size) * turn, size * timeStep);
        Vec axes[3];
        for (unsigned k = 0; k < 3; ++k)
            axes[k] = bodies.turned(Bodies::kLocal, b, bodies.vec(kRotation + 3 * k, b));
        // Rounding must not make it a deformation.
        const Vec x = (1 / sqrt(dot(axes[0], axes[0]))) * axes[0];
        Vec z = cross(x, axes[1]);
        z = (1 / sqrt(dot(z, z))) * z;
        bodies.put(kRotation, b, x);
        bodies.put(kRotation + 3, b, cross(z, x));
        bodies.put(kRotation + 6, b, z);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(kThreads, 2)
    foldDynamics(FoldTables tables, FoldModels models, FoldTree tree, FoldDynamics all, unsigned steps) {
    const Model model(tables, models, blockIdx.x);
    Vec* const r = reinterpret_cast<Vec*>(models.positions) + std::size_t(blockIdx.x) * tables.atoms;
    const Bodies bodies{all.bodies + std::size_t(blockIdx.x) * kBodyFields * tree.bodies, tree.bodies};
    double* const timeStep = all.controls + 2 * blockIdx.x;
    __shared__ double shared[2];
    for (unsigned k = 0; k < steps; ++k) {
        const FoldStep step = all.steps[k];
        placeAtoms(tree, bodies, tables.atoms, r);
        evaluate(tables, model, step.weights);
        const double half = 0.5 * *timeStep;
        for (unsigned b = threadIdx.x; b < tree.bodies; b += blockDim.x) {
            bodies.at(Bodies::kRate, b) = bodies.at(kVelocity, b) + half * bodies.at(kAcceleration, b);
            if (tree.parent[b] >= 0) continue;
            bodies.put(Bodies::kTurnRate, b, bodies.vec(kTurn, b) + half * bodies.vec(kTurnAcceleration, b));
            bodies.put(Bodies::kShiftRate, b,
                       bodies.vec(kShift, b) + half * bodies.vec(kShiftAcceleration, b));
        }
        __syncthreads();
        const double kinetic = accelerate(tree, bodies, model);
        if (threadIdx.x == 0) {
            double energy = 0;
            for (unsigned term = 0; term < kFoldTerms; ++term) energy += model.energies[term];
            const double found = 2 * kinetic / (dynamics::kBoltzmann * tree.freedom);
            shared[0] =
                control(step, found, kinetic + dynamics::kEnergyUnit * energy, timeStep, timeStep + 1);
            shared[1] = *timeStep;
        }
        __syncthreads();
        moveOn(tree, bodies, shared[0], shared[1]);
    }
}

}  // namespace

}  // namespace fold

void launchFoldDynamics(const Launch& launch, const FoldTables& tables, const FoldModels& models,
                        const FoldTree& tree, const FoldDynamics& dynamics, unsigned count, unsigned steps,
                        const FoldHost& host) {
    const std::size_t kept = std::size_t(kKeptFields) * tree.bodies * sizeof(double);
    const std::size_t all = std::size_t(kBodyFields) * tree.bodies * sizeof(double);
    const std::size_t controls = 2 * std::size_t(count) * sizeof(double);
    GLYCINE_CUDA(cudaMemcpyAsync(dynamics.steps, host.steps, steps * sizeof(FoldStep), cudaMemcpyHostToDevice,
                                 launch.stream));
    GLYCINE_CUDA(
        cudaMemcpyAsync(dynamics.controls, host.controls, controls, cudaMemcpyHostToDevice, launch.stream));
    GLYCINE_CUDA(cudaMemcpy2DAsync(dynamics.bodies, all, host.bodies, kept, kept, count,
                                   cudaMemcpyHostToDevice, launch.stream));
    fold::foldDynamics<<<count, fold::kThreads, 0, launch.stream>>>(tables, models, tree, dynamics, steps);
    checkLaunch("dynamics of models");
    GLYCINE_CUDA(cudaMemcpy2DAsync(host.bodies, kept, dynamics.bodies, all, kept, count,
                                   cudaMemcpyDeviceToHost, launch.stream));
    GLYCINE_CUDA(
        cudaMemcpyAsync(host.controls, dynamics.controls, controls, cudaMemcpyDeviceToHost, launch.stream));
}

}  // namespace glycine::cuda
