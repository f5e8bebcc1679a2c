#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/alignment/posterior/group_joins.hpp"
#include "kernels_cuda/alignment/device_consistency.hpp"
#include "kernels_cuda/alignment/join_kernels.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

/// Joins of groups from posteriors on the device. Sums over all pairs of their sequences are added as
/// integers; chains are found by dynamic programming, row by row.
namespace glycine::align::cuda {

/// Overridden by tests to reach other code paths.
struct JoinSettings {
    /// Pairs of sequences times columns; with fewer, the processor finishes before the device could start.
    double leastSteps = 200'000;
    std::size_t mostBytes = std::size_t{2} << 30;  ///< for sums and steps at once
};

/// All pairs of a set on the device, as kernels address them.
class PlacedPosteriors {
  public:
    PlacedPosteriors(const glycine::cuda::CudaBackend& backend,
                     std::shared_ptr<const DevicePosteriors> posteriors);
    const glycine::cuda::PlacedPosterior* data() const { return pairs_.data(); }
    std::uint32_t count() const { return count_; }
    std::uint32_t mostColumns() const { return mostColumns_; }

  private:
    std::shared_ptr<const DevicePosteriors> posteriors_;
    glycine::cuda::DeviceBuffer<glycine::cuda::PlacedPosterior> pairs_;
    std::uint32_t count_ = 0, mostColumns_ = 0;
};

/// The set's resident posteriors, or an upload of them if there is room; else null.
std::shared_ptr<const DevicePosteriors> ensurePosteriorsOnDevice(const glycine::cuda::CudaBackend& backend,
                                                                 const PosteriorSet& posteriors);

/// Empty if the posteriors are not on the device, or if a sequence is too long for it.
std::optional<std::vector<double>> expectedAccuraciesOnDevice(const glycine::cuda::CudaBackend& backend,
                                                              const PosteriorSet& posteriors);

/// Null if the device has no room for the posteriors. Groups that are too wide for the device, or for which
/// it has no room, are joined by the processor.
std::unique_ptr<GroupJoins> createDeviceJoins(const glycine::cuda::CudaBackend& backend,
                                              const PosteriorSet& posteriors, std::span<const double> weights,
                                              const JoinSettings& settings = {});

}  // namespace glycine::align::cuda
