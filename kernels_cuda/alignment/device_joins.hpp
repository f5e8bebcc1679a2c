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

/// Joins of groups from posteriors that are on the device: sums over all pairs of their sequences, added up
/// as integers, and the chains by dynamic programming, a row at a time.
namespace glycine::align::cuda {

/// Where a test asks for other ways.
struct JoinSettings {
    /// Pairs of sequences times columns: of less the processor is done before the device has begun.
    double leastSteps = 200'000;
    std::size_t mostBytes = std::size_t{2} << 30;  ///< of sums and steps at once
};

/// All pairs of a set on the device, as kernels find them.
class PlacedPosteriors {
  public:
    PlacedPosteriors(const glycine::cuda::CudaBackend& backend,
                     std::shared_ptr<const PosteriorsThere> posteriors);
    const glycine::cuda::PlacedPosterior* data() const { return pairs_.data(); }
    std::uint32_t count() const { return count_; }
    std::uint32_t mostColumns() const { return mostColumns_; }

  private:
    std::shared_ptr<const PosteriorsThere> posteriors_;
    glycine::cuda::DeviceBuffer<glycine::cuda::PlacedPosterior> pairs_;
    std::uint32_t count_ = 0, mostColumns_ = 0;
};

/// What the set has on the device, or, where there is room, is brought there; else null.
std::shared_ptr<const PosteriorsThere> posteriorsThere(const glycine::cuda::CudaBackend& backend,
                                                       const PosteriorSet& posteriors);

/// Nothing where the device has no room for the posteriors, or no numbers for a sequence's length.
std::optional<std::vector<double>> expectedAccuraciesThere(const glycine::cuda::CudaBackend& backend,
                                                           const PosteriorSet& posteriors);

/// Null where the device has no room for the posteriors. Groups whose columns it does not take, or has no
/// room for, are joined by the processor.
std::unique_ptr<GroupJoins> joinsThere(const glycine::cuda::CudaBackend& backend,
                                       const PosteriorSet& posteriors, std::span<const double> weights,
                                       const JoinSettings& settings = {});

}  // namespace glycine::align::cuda
