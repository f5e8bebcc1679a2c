#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/structure/fold_tree.cuh"

// Minimisation along torsions (structure::Minimiser), one block per model. The block of a finished model
// ends.

namespace glycine::cuda {

namespace {

using structure::kMinimiserVectors;
using structure::Minimiser;
using structure::MinimiserState;

__device__ double blockLargest(double value) {
    __shared__ double parts[kThreads / 32];
    for (unsigned offset = 16; offset > 0; offset /= 2)
        value = fmax(value, __shfl_down_sync(0xffffffffU, value, offset));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    double largest = 0;
    for (unsigned warp = 0; warp < kThreads / 32; ++warp) largest = fmax(largest, parts[warp]);
    __syncthreads();
    return largest;
}

/// The Team of all threads of a block.
struct BlockTeam {
    template <class Body>
    __device__ void each(std::size_t count, const Body& body) const {
        for (std::size_t k = threadIdx.x; k < count; k += kThreads) body(k);
    }
    template <class Value>
    __device__ double sum(std::size_t count, const Value& value) const {
        double own = 0;
        each(count, [&](std::size_t k) { own += value(k); });
        return blockSum(own);
    }
    template <class Value>
    __device__ double largest(std::size_t count, const Value& value) const {
        double own = 0;
        each(count, [&](std::size_t k) { own = fmax(own, value(k)); });
        return blockLargest(own);
    }
};

/// Moves the bodies like structure::advance.
__device__ void moveAlong(const FoldTree& tree, const Bodies& bodies, const double* direction, double step) {
    for (unsigned b = threadIdx.x; b < tree.bodies; b += kThreads)
        bodies.at(kAngle, b) += step * direction[b];
    for (unsigned k = threadIdx.x; k < tree.rootCount; k += kThreads) {
        const unsigned root = tree.roots[k];
        const double* const own = direction + tree.bodies + 6 * k;
        const Vec turn{own[0], own[1], own[2]};
        bodies.put(kPlace, root, bodies.vec(kPlace, root) + step * Vec{own[3], own[4], own[5]});
        const double size = sqrt(dot(turn, turn));
        if (size * step >= 1e-14) turnRoot(bodies, root, (1 / size) * turn, size * step);
    }
    __syncthreads();
}

/// Computes the gradient along torsions and roots like structure::gradientAlongTorsions.
__device__ void gradientAlong(const FoldTree& tree, const Bodies& bodies, const Model& model, double* along) {
    for (unsigned b = threadIdx.x; b < tree.bodies; b += kThreads) {
        Six force{};
        for (unsigned e = tree.firstAtom[b]; e < tree.firstAtom[b + 1]; ++e) {
            const unsigned a = tree.atomsOf[e];
            force = force + six(cross(model.r[a], model.gradient[a]), model.gradient[a]);
        }
        bodies.put(Bodies::kForce, b, force);
    }
    __syncthreads();
    sweep(tree, bodies, false, [&](const FoldVisit& at, unsigned lane) {
        if (at.body == kNoBody || lane >= 6) return;
        double force = bodies.at(Bodies::kForce + lane, at.body);
        for (unsigned e = at.firstChild; e < at.endChild; ++e)
            force += bodies.at(Bodies::kForce + lane, tree.children[e]);
        bodies.at(Bodies::kForce + lane, at.body) = force;
    });
    for (unsigned b = threadIdx.x; b < tree.bodies; b += kThreads) {
        const Six force = bodies.sixOf(Bodies::kForce, b);
        const Vec here = angular(force) - cross(bodies.vec(kPlace, b), linear(force));
        along[b] = tree.parent[b] < 0 ? 0 : dot(bodies.turned(kRotation, b, tree.axis[b]), here);
    }
    for (unsigned k = threadIdx.x; k < tree.rootCount; k += kThreads) {
        const unsigned root = tree.roots[k];
        const Six force = bodies.sixOf(Bodies::kForce, root);
        const Vec here = angular(force) - cross(bodies.vec(kPlace, root), linear(force));
        const Six both = six(here, linear(force));
        for (unsigned n = 0; n < 6; ++n) along[tree.bodies + 6 * k + n] = both.v[n];
    }
    __syncthreads();
}

__global__ void __launch_bounds__(kThreads, 2)
    foldMinimise(FoldTables tables, FoldModels models, FoldTree tree, double* allBodies, FoldMinimisation all,
                 FoldWeights weights, unsigned evaluations, bool isFirst) {
    const Model model(tables, models, blockIdx.x);
    Vec* const r = reinterpret_cast<Vec*>(models.positions) + std::size_t(blockIdx.x) * tables.atoms;
    const Bodies bodies{allBodies + std::size_t(blockIdx.x) * kBodyFields * tree.bodies};
    const std::size_t variables = tree.bodies + 6 * tree.rootCount;
    double* const along = all.along + blockIdx.x * variables;
    double* const accepted = all.accepted + blockIdx.x * keptByMinimiser().count(tree.bodies, tree.rootCount);
    MinimiserState state = isFirst ? MinimiserState{} : all.states[blockIdx.x];
    Minimiser<BlockTeam> minimiser(BlockTeam{}, variables,
                                   all.vectors + blockIdx.x * kMinimiserVectors * variables, state);
    for (unsigned k = isFirst ? 0 : 1; k <= evaluations && !minimiser.isDone(); ++k) {
        load(tree, keptByMinimiser(), bodies, accepted);
        if (k > 0) moveAlong(tree, bodies, minimiser.direction(), minimiser.step());
        placeAtoms(tree, bodies, tables.atoms, r);
        evaluate(tables, model, weights);
        gradientAlong(tree, bodies, model, along);
        double energy = 0;
        for (unsigned term = 0; term < kFoldTerms; ++term) energy += model.energies[term];
        if (k == 0)
            minimiser.begin(energy, along);
        else if (minimiser.take(energy, along))
            store(tree, keptByMinimiser(), bodies, accepted);
    }
    if (threadIdx.x == 0) all.states[blockIdx.x] = state;
}

}  // namespace

void launchFoldMinimisation(const Launch& launch, const FoldTables& tables, const FoldModels& models,
                            const FoldTree& tree, double* bodies, const FoldMinimisation& minimisation,
                            const FoldWeights& weights, unsigned count, unsigned evaluations, bool isFirst,
                            const FoldMinimisationHost& host) {
    const std::size_t accepted =
        count * keptByMinimiser().count(tree.bodies, tree.rootCount) * sizeof(double);
    const std::size_t states = count * sizeof(structure::MinimiserState);
    if (isFirst)
        GLYCINE_CUDA(cudaMemcpyAsync(minimisation.accepted, host.accepted, accepted, cudaMemcpyHostToDevice,
                                     launch.stream));
    foldMinimise<<<count, kThreads, 0, launch.stream>>>(tables, models, tree, bodies, minimisation, weights,
                                                        evaluations, isFirst);
    checkLaunch("minimisation of models");
    GLYCINE_CUDA(cudaMemcpyAsync(host.accepted, minimisation.accepted, accepted, cudaMemcpyDeviceToHost,
                                 launch.stream));
    GLYCINE_CUDA(
        cudaMemcpyAsync(host.states, minimisation.states, states, cudaMemcpyDeviceToHost, launch.stream));
}

}  // namespace glycine::cuda
