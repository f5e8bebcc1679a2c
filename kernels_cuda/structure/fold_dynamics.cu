#include "engine/structure/dynamics.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/structure/fold_tree.cuh"

// Torsion-angle dynamics as in engine/structure/torsion_tree.cpp and fold.cpp, one block per model.

namespace glycine::cuda {

namespace {

namespace dynamics = structure::dynamics;

/// Inertia of a sphere about the origin of coordinates; `c`: its centre.
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

/// Adds the children's inertia and force to a body's, and stores the share that its parent adds. Lane i holds
/// row i.
__device__ void gatherInertia(const FoldTree& tree, const Bodies& bodies, const FoldVisit& at,
                              unsigned lane) {
    const unsigned b = at.body;
    const unsigned own = b == kNoBody ? 0 : b;
    const int i = int(min(lane, 5U));
    double row[6];
#pragma unroll
    for (int j = 0; j < 6; ++j) row[j] = bodies.at(Bodies::kInertia + Inertia::placeOf(i, j), own);
    double force = bodies.at(Bodies::kForce + i, own);
    for (unsigned e = at.firstChild; e < at.endChild; ++e) {
        const unsigned child = tree.children[e];
        force += bodies.at(Bodies::kForce + i, child);
#pragma unroll
        for (int j = 0; j < 6; ++j) row[j] += bodies.at(Bodies::kInertia + Inertia::placeOf(i, j), child);
    }
    // u = I a and I c for the axis a and the bias c. The parent adds I c − u (u·c)/d, too.
    double u = 0;
    double biased = 0;
#pragma unroll
    for (int j = 0; j < 6; ++j) {
        u += row[j] * bodies.at(Bodies::kAxis + j, own);
        biased += row[j] * bodies.at(Bodies::kBias + j, own);
    }
    const double axis = bodies.at(Bodies::kAxis + i, own);
    // One division per body: bodies of a path wait for one another.
    const double scale = 1 / sumOfBody(axis * u, lane);
    const double rest = -sumOfBody(axis * force, lane);
    const double along = (rest - sumOfBody(u * bodies.at(Bodies::kBias + i, own), lane)) * scale;
    const bool isRoot = at.parent == kNoBody;
#pragma unroll
    for (int j = 0; j < 6; ++j) {
        const double other = __shfl_sync(kAllLanes, u, j, 8);
        if (!isRoot) row[j] -= scale * u * other;
        if (b != kNoBody && int(lane) < 6 && j <= i)
            bodies.at(Bodies::kInertia + Inertia::placeOf(i, j), b) = row[j];
    }
    if (b == kNoBody || lane >= 6) return;
    bodies.at(Bodies::kForce + i, b) = isRoot ? force : force + biased + along * u;
    bodies.at(Bodies::kPush + i, b) = u;
    if (lane > 0) return;
    bodies.at(Bodies::kScale, b) = scale;
    bodies.at(Bodies::kRest, b) = rest;
}

/// Computes a body's acceleration from its parent's.
__device__ void findAcceleration(const Bodies& bodies, const FoldVisit& at, unsigned lane) {
    const unsigned b = at.body;
    const bool hasParent = at.parent != kNoBody;
    if (b != kNoBody && !hasParent && lane == 0) {
        const Six a = -1.0 * solve(bodies.inertia(b), bodies.sixOf(Bodies::kForce, b));
        bodies.put(kTurnAcceleration, b, angular(a));
        bodies.put(kShiftAcceleration, b,
                   linear(a) + cross(angular(a), bodies.vec(kPlace, b)) +
                       cross(bodies.vec(Bodies::kTurnRate, b), bodies.vec(Bodies::kShiftRate, b)));
        bodies.put(Bodies::kMotion, b, a);
    }
    const unsigned own = hasParent ? b : 0;
    const unsigned parent = hasParent ? at.parent : 0;
    const unsigned i = min(lane, 5U);
    const double a = bodies.at(Bodies::kMotion + i, parent) + bodies.at(Bodies::kBias + i, own);
    const double along = sumOfBody(bodies.at(Bodies::kPush + i, own) * a, lane);
    const double torsion = (bodies.at(Bodies::kRest, own) - along) * bodies.at(Bodies::kScale, own);
    if (!hasParent || lane >= 6) return;
    bodies.at(Bodies::kMotion + i, b) = a + torsion * bodies.at(Bodies::kAxis + i, b);
    if (lane == 0) bodies.at(kAcceleration, b) = torsion;
}

/// Computes accelerations from the rates; returns the kinetic energy.
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
    sweep(tree, bodies, true, [&](const FoldVisit& at, unsigned lane) {
        if (at.parent == kNoBody || lane >= 6) return;
        bodies.at(Bodies::kMotion + lane, at.body) =
            bodies.at(Bodies::kMotion + lane, at.parent) +
            bodies.at(Bodies::kRate, at.body) * bodies.at(Bodies::kAxis + lane, at.body);
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
    sweep(tree, bodies, false,
          [&](const FoldVisit& at, unsigned lane) { gatherInertia(tree, bodies, at, lane); });
    sweep(tree, bodies, true,
          [&](const FoldVisit& at, unsigned lane) { findAcceleration(bodies, at, lane); });
    return blockSum(kinetic);
}

/// Updates the step's length; returns the factor of the velocities.
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
        turnRoot(bodies, b, (1 / size) * turn, size * timeStep);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(kThreads, 2)
    foldDynamics(FoldTables tables, FoldModels models, FoldTree tree, FoldDynamics all, unsigned steps) {
    const Model model(tables, models, blockIdx.x);
    Vec* const r = reinterpret_cast<Vec*>(models.positions) + std::size_t(blockIdx.x) * tables.atoms;
    const Bodies bodies{all.bodies + std::size_t(blockIdx.x) * kBodyFields * tree.bodies};
    double* const timeStep = all.controls + 2 * blockIdx.x;
    double* const kept = all.kept + blockIdx.x * keptByDynamics().count(tree.bodies, tree.rootCount);
    __shared__ double shared[2];
    load(tree, keptByDynamics(), bodies, kept);
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
    store(tree, keptByDynamics(), bodies, kept);
}

}  // namespace

void launchFoldDynamics(const Launch& launch, const FoldTables& tables, const FoldModels& models,
                        const FoldTree& tree, const FoldDynamics& dynamics, unsigned count, unsigned steps,
                        const FoldHost& host) {
    const std::size_t kept = count * keptByDynamics().count(tree.bodies, tree.rootCount) * sizeof(double);
    const std::size_t controls = 2 * std::size_t(count) * sizeof(double);
    GLYCINE_CUDA(cudaMemcpyAsync(dynamics.steps, host.steps, steps * sizeof(FoldStep), cudaMemcpyHostToDevice,
                                 launch.stream));
    GLYCINE_CUDA(
        cudaMemcpyAsync(dynamics.controls, host.controls, controls, cudaMemcpyHostToDevice, launch.stream));
    GLYCINE_CUDA(cudaMemcpyAsync(dynamics.kept, host.kept, kept, cudaMemcpyHostToDevice, launch.stream));
    foldDynamics<<<count, kThreads, 0, launch.stream>>>(tables, models, tree, dynamics, steps);
    checkLaunch("dynamics of models");
    GLYCINE_CUDA(cudaMemcpyAsync(host.kept, dynamics.kept, kept, cudaMemcpyDeviceToHost, launch.stream));
    GLYCINE_CUDA(
        cudaMemcpyAsync(host.controls, dynamics.controls, controls, cudaMemcpyDeviceToHost, launch.stream));
}

}  // namespace glycine::cuda
