#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/structure/fold_evaluation.cuh"

namespace glycine::cuda {

namespace {

__global__ void __launch_bounds__(kThreads, 2)
    foldEnergies(FoldTables tables, FoldModels models, FoldWeights weights) {
    evaluate(tables, Model(tables, models, blockIdx.x), weights);
}

}  // namespace

void launchFoldNames(const Launch& launch, const FoldTables& tables, const FoldModels& models, unsigned count,
                     const std::uint32_t* host) {
    const std::size_t bytes = std::size_t(count) * tables.atoms * sizeof(std::uint32_t);
    GLYCINE_CUDA(cudaMemcpyAsync(models.names, host, bytes, cudaMemcpyHostToDevice, launch.stream));
    GLYCINE_CUDA(cudaMemcpyAsync(models.aliases, host + std::size_t(count) * tables.atoms, bytes,
                                 cudaMemcpyHostToDevice, launch.stream));
}

void launchFoldFetch(const Launch& launch, const FoldTables& tables, const FoldModels& models, unsigned model,
                     double* host) {
    const std::size_t numbers = std::size_t(tables.atoms) * 3;
    const auto fetch = [&](const double* all, std::size_t count) {
        GLYCINE_CUDA(cudaMemcpyAsync(host, all + model * count, count * sizeof(double),
                                     cudaMemcpyDeviceToHost, launch.stream));
        host += count;
    };
    fetch(models.positions, numbers);
    fetch(models.gradients, numbers);
    fetch(models.energies, kFoldTerms);
}

void launchFoldReset(const Launch& launch, const FoldModels& models, unsigned count) {
    GLYCINE_CUDA(cudaMemsetAsync(models.listed, 0, count * sizeof(std::uint32_t), launch.stream));
}

void launchFoldEnergies(const Launch& launch, const FoldTables& tables, const FoldModels& models,
                        const FoldWeights& weights, unsigned count, double* host) {
    const std::size_t numbers = std::size_t(count) * tables.atoms * 3;
    GLYCINE_CUDA(cudaMemcpyAsync(models.positions, host, numbers * sizeof(double), cudaMemcpyHostToDevice,
                                 launch.stream));
    foldEnergies<<<count, kThreads, 0, launch.stream>>>(tables, models, weights);
    checkLaunch("energies of models");
    GLYCINE_CUDA(cudaMemcpyAsync(host, models.gradients, numbers * sizeof(double), cudaMemcpyDeviceToHost,
                                 launch.stream));
    GLYCINE_CUDA(cudaMemcpyAsync(host + numbers, models.energies,
                                 std::size_t(count) * kFoldTerms * sizeof(double), cudaMemcpyDeviceToHost,
                                 launch.stream));
}

}  // namespace glycine::cuda
