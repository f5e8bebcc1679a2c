#pragma once

#include "engine/core/matrix.hpp"
#include "engine/distance/pair_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/pairs/tile_runner.hpp"

namespace glycine::distance::cuda {

/// What sums need device memory for.
pairs::cuda::TileDemand summingDemand(std::size_t instances, std::size_t attributes, Precision precision);

/// `cuda direct`. Number: float or double.
template <class Number>
class CudaSummingRun final : public SummingRun {
  public:
    CudaSummingRun(glycine::cuda::CudaBackend& backend, MatrixView<const Number> coordinates, SumTerm term);
    Variant variant() const override { return Variant::Direct; }
    PairTimes times() const override { return runner_.times(); }
    std::string note() const override { return runner_.note(); }
    void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override;

  private:
    CudaSummingRun(glycine::cuda::CudaBackend& backend, MatrixView<const Number> coordinates, SumTerm term,
                   const pairs::cuda::TilePlan& plan);

    glycine::cuda::CudaBackend& backend_;
    MatrixView<const Number> coordinates_;
    SumTerm term_;
    pairs::cuda::TileRunner runner_;
    glycine::cuda::DeviceBuffer<double> sums_;
    std::size_t stride_;
};

}  // namespace glycine::distance::cuda
