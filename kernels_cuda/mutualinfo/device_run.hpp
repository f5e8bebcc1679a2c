#pragma once

#include <memory>

#include "engine/mutualinfo/information_engine.hpp"
#include "kernels_cuda/mutualinfo/device_information.hpp"
#include "kernels_cuda/mutualinfo/position_operands.hpp"
#include "kernels_cuda/pairs/tile_runner.hpp"

namespace glycine::mutualinfo::cuda {

/// What a request is to the device.
glycine::cuda::InformationMethod methodOf(const InformationRequest& request);
glycine::cuda::SplineShape splineShape(const SplineOptions& splines);
/// What a run needs device memory for.
pairs::cuda::TileDemand informationDemand(const glycine::cuda::CudaBackend& backend,
                                          const InformationRequest& request);

/// `cuda cudami` and `cuda gemm`.
class DeviceRun final : public InformationRun {
  public:
    DeviceRun(glycine::cuda::CudaBackend& backend, ExpressionView expression,
              const InformationRequest& request);
    std::string_view variantName() const override { return toString(variant_); }
    pairs::PairTimes times() const override { return runner_.times(); }
    std::string note() const override { return runner_.note(); }
    std::vector<pairs::KernelTime> kernelTimes() const override { return information_->kernelTimes(); }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    DeviceRun(glycine::cuda::CudaBackend& backend, const InformationRequest& request,
              std::unique_ptr<PositionOperands> positions, const pairs::cuda::TilePlan& plan);

    glycine::cuda::CudaBackend& backend_;
    Variant variant_;
    const PositionOperands& positions_;  ///< the runner's
    pairs::cuda::TileRunner runner_;
    std::size_t stride_;
    glycine::cuda::DeviceBuffer<double> results_;
    std::unique_ptr<glycine::cuda::PairInformation> information_;
};

}  // namespace glycine::mutualinfo::cuda
