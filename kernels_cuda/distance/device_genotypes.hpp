#pragma once

#include <memory>
#include <vector>

#include "engine/core/device_matrix.hpp"
#include "engine/distance/discrete_data.hpp"
#include "kernels_cuda/device/launch.hpp"

namespace glycine::distance::cuda {

/// Genotypes as numbers in device memory, packed by the device. Host code that reads them gets copies of the
/// planes.
class DeviceGenotypes final : public DiscreteSource {
  public:
    /// Null for unsupported number types, and if a number is not a genotype.
    static std::unique_ptr<DeviceGenotypes> of(const DeviceMatrix& numbers);

    const DiscreteShape& shape() const override { return shape_; }
    PlaneBlock readPlanes(Range instances, Range attributes) const override;
    std::vector<std::size_t> knownAttributes() const override { return known_; }

    int device() const { return numbers_.device; }
    /// Queues the packing: for each plane of each instance, writes as many words to `target` as its stride.
    void pack(Range instances, Range attributes, glycine::cuda::MatrixOnDevice<std::uint32_t> target,
              glycine::cuda::StreamHandle stream) const;

  private:
    DeviceGenotypes(const DeviceMatrix& numbers, std::vector<std::size_t> known);

    DeviceMatrix numbers_;
    std::vector<std::size_t> known_;
    DiscreteShape shape_;
};

}  // namespace glycine::distance::cuda
