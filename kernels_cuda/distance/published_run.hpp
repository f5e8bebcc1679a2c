#pragma once

#include "engine/distance/pair_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/distance/device_counting.hpp"

namespace glycine::distance::cuda {

/// One of the five published kernels: all symbols on the device, one block of threads a pair. A tile on the
/// diagonal is the square grid of the paper, both halves and the diagonal included. Each count beside
/// `differing` is one more launch of the same kernel that compares otherwise.
///
/// `compute` is the kernels alone, from launch to idle on the device's clock: operands are there, and results
/// zeroed, as in the paper.
class PublishedRun final : public CountingRun {
  public:
    PublishedRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source, CountNeeds needs,
                 Variant variant, glycine::cuda::PublishedKernel kernel);
    Variant variant() const override { return variant_; }
    PairTimes times() const override { return times_; }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override;

    /// Device memory for symbols, and for results of the smallest piece.
    static std::size_t bytes(glycine::cuda::PublishedKernel kernel, const DiscreteShape& shape);

  private:
    void loadAll(Progress& progress);
    void countInto(MatrixView<std::uint32_t> results, glycine::cuda::Comparison comparison,
                   const PairTile& tile, Progress& progress, glycine::cuda::WorkSplit& split);

    glycine::cuda::CudaBackend& backend_;
    const DiscreteSource& source_;
    CountNeeds needs_;
    Variant variant_;
    glycine::cuda::PublishedData data_;
    std::size_t side_;  ///< of the pieces that results are counted in
    glycine::cuda::DeviceBuffer<int> counts_;
    glycine::cuda::Stream stream_;
    bool isLoaded_ = false;
    PairTimes times_;
};

}  // namespace glycine::distance::cuda
