#pragma once

#include <memory>

#include "engine/distance/pair_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/distance/device_counting.hpp"
#include "kernels_cuda/pairs/tile_runner.hpp"

namespace glycine::distance::cuda {

/// The planes of `shape`, as the kernels know them.
glycine::cuda::PlaneFormat planeFormat(const DiscreteShape& shape);

/// What a run with bit planes needs device memory for. `valid` is counted only where entries may be missing.
pairs::cuda::TileDemand countingDemand(const DiscreteShape& shape, CountNeeds needs,
                                       glycine::cuda::CountMethod method);

/// `cuda bitplane`, `bittensor` and `tensor`: `method` says how windows are counted.
class CudaCountingRun final : public CountingRun {
  public:
    CudaCountingRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source, CountNeeds needs,
                    Variant variant, glycine::cuda::CountMethod method);
    Variant variant() const override { return variant_; }
    PairTimes times() const override { return runner_.times(); }
    std::string note() const override { return runner_.note(); }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override;

  private:
    CudaCountingRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source, CountNeeds needs,
                    Variant variant, glycine::cuda::CountMethod method, const pairs::cuda::TilePlan& plan);

    glycine::cuda::CudaBackend& backend_;
    std::size_t attributes_;
    Variant variant_;
    pairs::cuda::TileRunner runner_;
    glycine::cuda::DeviceBuffer<std::uint32_t> differing_, opposite_, valid_;
    glycine::cuda::CountsOnDevice counts_;
    std::unique_ptr<glycine::cuda::PairCounter> counter_;
};

}  // namespace glycine::distance::cuda
